import { ObjectId } from 'mongodb';
import { jsonOf, Written } from '../api/written.ts';
import { events } from '../collections/events.ts';
import { config } from '../config.ts';
import { loader } from '../database/batching.ts';
import { findUsernames } from '../identity/users.ts';
import { describeError, log } from '../log.ts';
import type { RoomContext } from '../rooms/permissions.ts';
import type { AuthoredMessage, Message } from './messages.ts';

/*
 * The newest pages of rooms are read more often than all else, and mostly nothing has happened since the last time. Whatever changes a message
 * takes a place first, so that a page is what it was while the room's `seq` is: a process keeps the pages that it has read, and asks the
 * database only whether the caller may read the room, how far the room is, and what the authors are called.
 *
 *   seq          7           8                                 Who changes something takes a place, and is done a moment later.
 *   done            5  7  6              8
 *   page read    ^ lacks 6 and 7   ^ lacks 8   ^ may be kept    Kept is only a page that lacks nothing up to the room's `seq`.
 */

/** A page of a room's history, and the query parameters of the next one, if there is more in the direction in which it was read. */
export type HistoryPage = { messages: Message[] | Written<Message[]>; next: Record<string, string> | undefined };

/** The same with the messages as they were found, which the newest page has in ascending order of `seq`. */
export type PageAsRead = { found: AuthoredMessage[]; shown: HistoryPage };

/** The names of the authors are by their ids; a deleted account has none. */
type Kept = { shown: HistoryPage; names: ReadonlyMap<string, string | undefined>; until: number; weight: number };

/** How far a room was when a page of it was last asked for, and that page, if it was complete. */
type Known = { seq: number; kept?: Kept };

/** The pages by what they are pages of, those asked for last at the end. */
const pages = new Map<string, Known>();
const mostPages = 1_000;

/** How many characters of JSON are kept in all. */
const mostWeight = 4 * 1024 * 1024;
let weight = 0;

/**
 * The newest page of a room, the one that `key` stands for, for a caller who may read it, as `findRoom` finds out or refuses. `read` reads it,
 * where that is necessary.
 */
export async function newestPage(
  key: string,
  findRoom: () => Promise<RoomContext>,
  read: () => Promise<PageAsRead>,
): Promise<HistoryPage> {
  const known = pages.get(key);
  const kept = known?.kept && performance.now() < known.kept.until ? known.kept : undefined;
  const [before, isCalledSo] = kept ? await Promise.all([findRoom(), areCalled(kept.names)]) : [];
  if (kept && isCalledSo && before?.seq === known?.seq) {
    put(key, known as Known);
    return kept.shown;
  }
  const begun = performance.now();
  const [context, page] = await Promise.all([before ?? findRoom(), read()]);
  // What was read before the room had come so far is not the page of that `seq`.
  if (before || known?.seq === context.seq) void keep(key, context, page, begun + config.feedPatience);
  else put(key, { seq: context.seq });
  return page.shown;
}

const nameOf = loader<string>((ids) => findUsernames(ids.map((id) => new ObjectId(id))));

/** Whether the authors of a page are called what it says: those who have deleted their account are not. */
async function areCalled(names: Kept['names']): Promise<boolean> {
  const now = await Promise.all([...names.keys()].map(nameOf));
  return [...names.values()].every((name, at) => name === now[at]);
}

const beingChecked = new Set<string>();

/** Keeps a page if it is complete. Nobody waits for it, and if it fails, the next reader tries again. */
async function keep(key: string, context: RoomContext, page: PageAsRead, until: number): Promise<void> {
  if (beingChecked.has(key)) return;
  beingChecked.add(key);
  try {
    if (!(await isComplete(page, context))) return;
    const messages = new Written<Message[]>(jsonOf(page.shown.messages));
    const names = new Map(page.found.map(({ user, authors }) => [user.toHexString(), authors[0]]));
    put(key, { seq: context.seq, kept: { shown: { ...page.shown, messages }, names, until, weight: messages.json.length } });
  } catch (error) {
    log('debug', 'a page was not kept', { error: describeError(error) });
  } finally {
    beingChecked.delete(key);
  }
}

/** How many changes a page may have had lately that is kept all the same. */
const mostChanges = 200;

/**
 * Whether all that has a place up to the room's `seq` and shows on the page is on it. Places are looked at from the last one down, until they are
 * older than any request for them may be: what comes later still, of a function that was frozen, nobody was told of, and no page is kept for longer.
 */
async function isComplete(
  { found, shown: { next } }: PageAsRead,
  { _id: room, seq, changed_at, now }: RoomContext,
): Promise<boolean> {
  const isSettled = (at: Date) => now.getTime() - at.getTime() > config.feedPatience;
  if (isSettled(changed_at)) return true;
  // What changes a message comes after it. Below a full page nothing can come to it.
  const first = (next && found[0]?.seq) ?? 1;
  const happened = await events.find({ room, seq: { $gte: first } }, { sort: { seq: -1 }, limit: mostChanges }).toArray();
  const changes = new Map(happened.map((event) => [event.seq, event]));
  const messages = new Map(found.map((message) => [message.seq, message]));
  const byId = new Map(found.map((message) => [message._id.toHexString(), message]));
  for (let place = seq; place >= first; place--) {
    const [message, event] = [messages.get(place), changes.get(place)];
    const at = message?.created_at ?? event?.at;
    if (!at) return false;
    const changed = event && event.type !== 'void' ? byId.get(String(event.data.message)) : undefined;
    if (changed && (changed.changed?.seq ?? 0) < place) return false;
    if (isSettled(at)) return true;
  }
  return true;
}

function put(key: string, known: Known): void {
  drop(key);
  pages.set(key, known);
  weight += known.kept?.weight ?? 0;
  for (const oldest of pages.keys()) if (pages.size > mostPages || weight > mostWeight) drop(oldest);
}

function drop(key: string): void {
  weight -= pages.get(key)?.kept?.weight ?? 0;
  pages.delete(key);
}
