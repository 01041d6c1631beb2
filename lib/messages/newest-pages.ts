import { ObjectId } from 'mongodb';
import { jsonOf, Written } from '../api/written.ts';
import { events } from '../collections/events.ts';
import { rooms } from '../collections/rooms.ts';
import { users } from '../collections/users.ts';
import { config } from '../config.ts';
import { loader } from '../database/batching.ts';
import { stateOf } from '../database/within-process.ts';
import type { Caller } from '../identity/caller.ts';
import { findUsernames } from '../identity/users.ts';
import { describeError, log } from '../log.ts';
import { Recent } from '../recent.ts';
import { findReadableRoom, type RoomContext, readChecked } from '../rooms/permissions.ts';
import type { AuthoredMessage, Message } from './messages.ts';

/*
 * The newest pages of rooms are read more often than all else, and mostly nothing has happened since the last time.
 * So a process keeps the pages that it has read in an LRU cache. Every change of a message takes a place first, so
 * that a page is valid while the room's `seq` is the same. The process asks the database only for the room's `seq`,
 * the authors' names and, if it does not know, whether the caller may read the room.
 *
 *   seq          7           8                                 Who changes something takes a place, and is done a moment later.
 *   done            5  7  6              8
 *   page read    ^ lacks 6 and 7   ^ lacks 8   ^ may be kept    Kept is only a page that lacks nothing up to the room's `seq`.
 */

/**
 * A page of a room's history, and the query parameters of the next one, if there is more in the direction in which it
 * was read.
 */
export type HistoryPage = { messages: Message[] | Written<Message[]>; next: Record<string, string> | undefined };

/**
 * A page of a room's history with the messages as they were found. The newest page has them in ascending order of
 * `seq`.
 */
export type PageAsRead = { found: AuthoredMessage[]; shown: HistoryPage };

type Kept = {
  shown: HistoryPage & { messages: Written<Message[]> };
  /** By the ids of the authors; a deleted account has none. */
  names: ReadonlyMap<string, string | undefined>;
  /**
   * Members who have read it. A join or a leave takes a place as well, so that they are members while the room's
   * `seq` is the same.
   */
  readers: Set<string>;
  until: number;
  /** The state of the rooms and the accounts when it was last found to be as it is. */
  state: number;
};

/** How far a room was when a page of it was last asked for, and that page, if it was complete. */
type Known = { seq: number; kept?: Kept };

/** An LRU cache, by what they are pages of: at most so many pages, and so many characters of JSON. */
const pages = new Recent<Known>(1_000, 4 * 1024 * 1024, ({ kept }) => kept?.shown.messages.json.length ?? 0);

/** So many readers of a page are remembered. */
const mostReaders = 200;

/**
 * The newest page of a room, the one that `key` stands for, for a caller who may read it: 403 or 404 for others.
 * `read` reads it, where that is necessary.
 */
export async function newestPage(
  key: string,
  room: ObjectId,
  caller: Caller,
  read: () => Promise<PageAsRead>,
): Promise<HistoryPage> {
  const known = pages.get(key);
  const kept = known?.kept && performance.now() < known.kept.until ? known.kept : undefined;
  const state = stateOf(rooms.unscoped, users.unscoped);
  if (kept?.state === state && kept.readers.has(caller.user._id.toHexString())) return kept.shown;
  const [found, isCalledSo] = kept
    ? await readChecked(
        () => howFar(kept, room, caller),
        () => areCalled(kept.names),
      )
    : [{ seq: known?.seq, context: undefined }, false];
  if (kept && isCalledSo && found.seq === known?.seq) {
    if (found.context?.member && kept.readers.size < mostReaders) kept.readers.add(caller.user._id.toHexString());
    kept.state = state;
    pages.set(key, known as Known);
    return kept.shown;
  }
  const begun = performance.now();
  const [context, page] = await readChecked(async () => found.context ?? (await findReadableRoom(room, caller)), read);
  // A page that was read before the room had come so far is not the page of that `seq`.
  if (found.seq === context.seq) void keep(key, context, page, begun + config.feedPatience);
  else pages.set(key, { seq: context.seq });
  return page.shown;
}

/** How far a room is, and how the caller finds it, unless that is known to be a reader: 403 or 404 for others. */
async function howFar({ readers }: Kept, room: ObjectId, caller: Caller) {
  if (readers.has(caller.user._id.toHexString())) return { seq: await seqOf(room.toHexString()), context: undefined };
  const context = await findReadableRoom(room, caller);
  return { seq: context.seq, context };
}

const seqOf = loader<number>(async (ids) => {
  const found = await rooms.find({ _id: { $in: ids.map((id) => new ObjectId(id)) } }, { projection: { seq: 1 } }).toArray();
  return new Map(found.map(({ _id, seq }) => [_id.toHexString(), seq]));
});

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
    const readers = new Set(context.member && [context.member.user.toHexString()]);
    pages.set(key, { seq: context.seq, kept: { shown: { ...page.shown, messages }, names, readers, until, state: Number.NaN } });
  } catch (error) {
    log('debug', 'a page was not kept', { error: describeError(error) });
  } finally {
    beingChecked.delete(key);
  }
}

/** How many changes a page may have had lately that is kept all the same. */
const mostChanges = 200;

/**
 * Whether all that has a place up to the room's `seq` and shows on the page is on it. Places are looked at from the
 * last one down, until they are older than any request for them may be: a write of a frozen function may arrive
 * later; it is not acknowledged, and pages expire before.
 */
async function isComplete(
  { found, shown: { next } }: PageAsRead,
  { _id: room, seq, changed_at, now }: RoomContext,
): Promise<boolean> {
  const isSettled = (at: Date) => now.getTime() - at.getTime() > config.feedPatience;
  if (isSettled(changed_at)) return true;
  // A change of a message comes after it. Below a full page nothing can come to it.
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
