import type { ObjectId } from 'mongodb';
import { jsonOf, SerialisedJson } from '../api/serialised-json.ts';
import { describeError, log } from '../base/log.ts';
import { LruCache } from '../base/lru-cache.ts';
import { events } from '../collections/rooms/events.ts';
import { messages } from '../collections/rooms/messages.ts';
import type { Caller } from '../identity/caller.ts';
import { findPersons, type Person } from '../identity/persons.ts';
import { findRoomToRead, type RoomContext, readChecked } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import type { AuthoredMessage, Message } from './messages.ts';

/*
 * The newest pages of rooms are read more often than all else, and mostly nothing has happened since the last time.
 * So a process keeps the pages that it has read in an LRU cache. Every change of a message takes a place first, so
 * that a page is valid while the room's `seq` is the same. The process asks the database only for the room, as the
 * caller finds it, and the authors' names.
 *
 *   seq          7           8                                 Who changes something takes a place, and is done a moment later.
 *   done            5  7  6              8
 *   page read    ^ lacks 6 and 7   ^ lacks 8   ^ may be kept    Kept is only a page that lacks nothing up to the room's `seq`.
 */

/**
 * A page of a room's history, and the query parameters of the next one, if there is more in the direction in which it
 * was read.
 */
export type HistoryPage = { messages: Message[] | SerialisedJson<Message[]>; next: Record<string, string> | undefined };

/**
 * A page of a room's history with the messages as they were found, perhaps without replies that stand in their threads
 * alone. The newest page has them in ascending order of `seq`.
 */
export type PageAsRead = { found: AuthoredMessage[]; shown: HistoryPage; isWithoutFolded: boolean };

/** A complete page, with its authors, what they were called and which pictures they had. */
type CachedPage = {
  shown: HistoryPage & { messages: SerialisedJson<Message[]> };
  authors: ObjectId[];
  names: string;
  until: number;
};

/** How far a room was when a page of it was last asked for, and that page, if it was complete. */
type PageState = { seq: number; kept?: CachedPage };

/** An LRU cache, by what they are pages of: at most so many pages, and so many characters of JSON. */
const pages = new LruCache<PageState>(1_000, 4 * 1024 * 1024, ({ kept }) => kept?.shown.messages.json.length ?? 0);

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
  const begun = performance.now();
  const check = () => findRoomToRead(room, caller);
  // Names and pictures change without a place.
  const [context, names] = kept ? await readChecked(check, () => namesOf(kept.authors)) : [undefined, undefined];
  if (known && kept && context?.seq === known.seq && names === kept.names) {
    pages.set(key, known);
    return kept.shown;
  }
  const [now, page] = await readChecked(async () => context ?? (await check()), read);
  // A page that was read before the room had come so far is not the page of that `seq`.
  if (now.seq === (context ?? known)?.seq) void keep(key, now, page, begun + config.feedPatience);
  else pages.set(key, { seq: now.seq });
  return page.shown;
}

const namesOf = async (authors: ObjectId[]): Promise<string> => {
  const persons = await findPersons(authors);
  return joinNames(authors.map((author) => persons.get(author.toHexString())));
};

const joinNames = (persons: (Partial<Person> | undefined)[]) =>
  persons.map((person) => `${person?.username ?? ''} ${person?.avatar ?? ''} ${person?.name ?? ''}`).join('\n');

const beingChecked = new Set<string>();

/** Keeps a page if it is complete. Nobody waits for it, and if it fails, the next reader tries again. */
async function keep(key: string, context: RoomContext, page: PageAsRead, until: number): Promise<void> {
  if (beingChecked.has(key)) return;
  beingChecked.add(key);
  try {
    if (!(await isComplete(page, context))) return;
    const written = new SerialisedJson<Message[]>(jsonOf(page.shown.messages));
    const found = [...new Map(page.found.map(({ user, authors: [person] }) => [user.toHexString(), { user, person }])).values()];
    const authors = found.map(({ user }) => user);
    const names = joinNames(found.map(({ person }) => person));
    pages.set(key, { seq: context.seq, kept: { shown: { ...page.shown, messages: written }, authors, names, until } });
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
  { found, shown: { next }, isWithoutFolded }: PageAsRead,
  { _id: room, seq, changed_at, now }: RoomContext,
): Promise<boolean> {
  const isSettled = (at: Date) => now.getTime() - at.getTime() > config.feedPatience;
  if (isSettled(changed_at)) return true;
  // A change of a message comes after it. Below a full page nothing can come to it.
  const first = (next && found[0]?.seq) ?? 1;
  const lately = { sort: { seq: -1 as const }, limit: mostChanges };
  const [happened, folded] = await Promise.all([
    events.find({ room, seq: { $gte: first } }, lately).toArray(),
    isWithoutFolded ? messages.find({ room, seq: { $gte: first }, is_folded: true }, lately).toArray() : [],
  ]);
  const changes = new Map(happened.map((event) => [event.seq, event]));
  const there = new Map([...found, ...folded].map((message) => [message.seq, message]));
  const byId = new Map(found.map((message) => [message._id.toHexString(), message]));
  for (let place = seq; place >= first; place--) {
    const [message, event] = [there.get(place), changes.get(place)];
    const at = message?.created_at ?? event?.at;
    if (!at) return false;
    const changed = event && event.type !== 'void' ? byId.get(String(event.data.message)) : undefined;
    if (changed && (changed.changed?.seq ?? 0) < place) return false;
    if (isSettled(at)) return true;
  }
  return true;
}
