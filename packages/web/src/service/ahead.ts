/*
 * What is asked for ahead of the page: `first.ts`, which is loaded before it, asks, and the page takes the answers where it would ask itself. Both
 * are files of their own, so that what they share is in `globalThis` and in `localStorage`.
 */

import { recallJson } from '../device/storage.ts';

type EarlyAnswers = { user: string; answers: Map<string, Promise<Response>> };

const shared = globalThis as { askedAhead?: EarlyAnswers | undefined };

/** Where the user is remembered who used the page last. */
export const rememberedKey = 'chat-user';

const rememberedId = (): string | undefined => recallJson<{ _id?: { $oid: string } }>(rememberedKey, {})._id?.$oid;

/** Where it is noted of which rooms a user's browser keeps messages, for those who can't wait for its database. */
export const noteOf = (user: string): string => `chat-kept-${user}`;

/** The rooms that are noted there. Where the note is wrong, something that is kept is asked for, or something else not ahead. */
export const readNote = (note: string): string[] => recallJson<string[]>(note, []);

/** How many messages the newest page of a room has, which somebody waits for. */
export const newestPageSize = 50;

// A line that is dead says nothing; longer than the service takes for its slowest answer, in milliseconds.
const longestWait = 20_000;

/** Fetches, but does not wait for ever. */
export function fetchInTime(request: Request): Promise<Response> {
  // The timer holds on to what it ends. A signal that is made of others may be collected, and with it the only end of a request on a dead line.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), longestWait);
  // What changes something has been done, or not: that is for its own retry to find out.
  const waiting = { controller, since: performance.now() };
  if (request.method === 'GET') reads.add(waiting);
  return fetch(request, { signal: controller.signal }).finally(() => {
    clearTimeout(timer);
    reads.delete(waiting);
  });
}

const reads = new Set<{ controller: AbortController; since: number }>();

/** A read that has no answer after so many milliseconds, when the page is looked at again, is repeated. */
const impatience = 5_000;

/** Gives up the reads that have waited for long: while nobody looked, their connection may have gone without a word. */
export function giveUpOld(): void {
  for (const { controller, since } of reads) if (performance.now() - since > impatience) controller.abort();
}

/** Asks for what a room is read for the first time with, if somebody is remembered who opens one that is not kept. */
export function askAhead(): void {
  const [, room] = /^\/rooms\/([0-9a-f]{24})$/.exec(location.pathname) ?? [];
  const user = rememberedId();
  if (room === undefined || user === undefined || readNote(noteOf(user)).includes(room)) return;
  // As the typed client writes them.
  const asked = [`/api/events?room=${room}`, `/api/messages?room=${room}&limit=${newestPageSize}&is_in_room=true`];
  const answers = asked.map((address) => fetchInTime(new Request(address, { redirect: 'error' })));
  // The caller that takes an answer gets its error.
  for (const answer of answers) answer.catch(() => {});
  shared.askedAhead = { user, answers: new Map(asked.map((address, at) => [address, answers[at] as Promise<Response>])) };
}

/**
 * The answer to a request that was made ahead, once, and only while the page is young and the same user is remembered. What was refused then is
 * asked for again: somebody may have signed in since.
 */
export function takeAhead(request: Request): Promise<Response> | undefined {
  const { askedAhead } = shared;
  if (!askedAhead) return undefined;
  if (performance.now() > longestWait || askedAhead.user !== rememberedId()) {
    shared.askedAhead = undefined;
    return undefined;
  }
  const { pathname, search } = new URL(request.url);
  const answer = askedAhead.answers.get(`${pathname}${search}`);
  askedAhead.answers.delete(`${pathname}${search}`);
  return answer?.then((response) => (response.ok ? response : fetchInTime(request)));
}
