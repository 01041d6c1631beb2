/*
 * Requests made ahead of the page. `first.ts` is loaded before the page and makes them; the page
 * takes the responses instead of asking itself. They are separate bundles, so they share
 * `globalThis` and `localStorage`.
 */

import { recallJson } from '../device/storage.ts';

type EarlyAnswers = { user: string; answers: Map<string, Promise<Response>> };

const shared = globalThis as { askedAhead?: EarlyAnswers | undefined };

/** The name of the stored last user. */
export const rememberedKey = 'chat-user';

const rememberedId = (): string | undefined => recallJson<{ _id?: { $oid: string } }>(rememberedKey, {})._id?.$oid;

/**
 * The name of the note that lists the rooms whose messages this browser keeps. Reading it is faster
 * than opening the database.
 */
export const noteOf = (user: string): string => `chat-kept-${user}`;

/**
 * The noted rooms. If the note is wrong, a stored room is requested, or another one is not
 * requested ahead.
 */
export const readNote = (note: string): string[] => recallJson<string[]>(note, []);

/** How many messages the newest page of a room has, which somebody waits for. */
export const newestPageSize = 50;

// A dead connection does not report anything. This is longer than the slowest response of the
// service, in milliseconds.
const longestWaitMs = 20_000;

/** Fetches, but does not wait for ever. */
export function fetchInTime(request: Request): Promise<Response> {
  // The timer holds on to what it ends. A signal that is made of others may be collected, and with
  // it the only end of a request on a dead line.
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), longestWaitMs);
  // After a timeout, a change may or may not have been made. Its own retry finds out.
  const waiting = { controller, since: performance.now() };
  if (request.method === 'GET') reads.add(waiting);
  return fetch(request, { signal: controller.signal }).finally(() => {
    clearTimeout(timer);
    reads.delete(waiting);
  });
}

const reads = new Set<{ controller: AbortController; since: number }>();

/**
 * A read without a response after this many milliseconds is repeated when the user returns to the
 * page.
 */
const impatienceMs = 5_000;

/** Aborts reads that have waited for long: their connection may have died while nobody looked. */
export function giveUpOld(): void {
  for (const { controller, since } of reads) if (performance.now() - since > impatienceMs) controller.abort();
}

/**
 * Requests the first page of the addressed room, if a remembered user opens one that is not stored.
 */
export function askAhead(): void {
  const [, room] = /^\/rooms\/([0-9a-f]{24})$/.exec(location.pathname) ?? [];
  const user = rememberedId();
  if (room === undefined || user === undefined || readNote(noteOf(user)).includes(room)) return;
  // As the typed client writes them.
  const asked = [`/api/events?room=${room}`, `/api/messages?room=${room}&limit=${newestPageSize}&is_in_room=true`];
  const answers = asked.map((address) => fetchInTime(new Request(address, { redirect: 'error' })));
  // The caller that uses an answer handles its error.
  for (const answer of answers) answer.catch(() => {});
  shared.askedAhead = { user, answers: new Map(asked.map((address, at) => [address, answers[at] as Promise<Response>])) };
}

/**
 * The response to a request that was made ahead. It is used once, and only while the page is young
 * and the user is the same. A refused request is repeated, because the user may have signed in
 * since.
 */
export function takeAhead(request: Request): Promise<Response> | undefined {
  const { askedAhead } = shared;
  if (!askedAhead) return undefined;
  if (performance.now() > longestWaitMs || askedAhead.user !== rememberedId()) {
    shared.askedAhead = undefined;
    return undefined;
  }
  const { pathname, search } = new URL(request.url);
  const answer = askedAhead.answers.get(`${pathname}${search}`);
  askedAhead.answers.delete(`${pathname}${search}`);
  return answer?.then((response) => (response.ok ? response : fetchInTime(request)));
}
