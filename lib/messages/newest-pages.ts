import type { ObjectId } from 'mongodb';
import { jsonOf, SerialisedJson } from '../api/serialised-json.ts';
import { describeError, log } from '../base/log.ts';
import { LruCache } from '../base/lru-cache.ts';
import { events } from '../collections/rooms/events.ts';
import { messages } from '../collections/rooms/messages.ts';
import type { Caller } from '../identity/caller.ts';
import { findPersons, type Person } from '../identity/persons.ts';
import type { RoomContext } from '../rooms/contexts.ts';
import { findRoomToRead, readChecked } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import type { AuthoredMessage, Message } from './messages.ts';

/*
 * Clients read the newest page of a room more often than anything else, and mostly it is unchanged.
 * So each process keeps the pages that it has read in an LRU cache. Every change of a message
 * reserves a place first, so a page is valid while the room's `seq` is the same. The process only
 * queries the room, with the caller's permission, and the authors' names.
 *
 * A writer reserves a place and is done a moment later. A page is kept if it lacks nothing up to
 * the room's `seq`.
 *
 *   seq          7           8
 *   done            5  7  6              8
 *   page read    ^ lacks 6 and 7   ^ lacks 8   ^ complete
 */

/**
 * A page of a room's history. If there are more messages in the direction of reading, it has the
 * query parameters of the next page.
 */
export type HistoryPage = { messages: Message[] | SerialisedJson<Message[]>; next: Record<string, string> | undefined };

/**
 * A page of a room's history with its stored messages, perhaps without replies that appear only in
 * their threads. The newest page is in ascending order of `seq`.
 */
export type PageAsRead = { found: AuthoredMessage[]; shown: HistoryPage; isWithoutFolded: boolean };

/** A complete page, with its authors and their names and pictures. */
type CachedPage = {
  shown: HistoryPage & { messages: SerialisedJson<Message[]> };
  authors: ObjectId[];
  names: string;
  until: number;
};

/** The room's `seq` when a page was last requested, and the page if it was complete. */
type PageState = { seq: number; kept?: CachedPage };

/** An LRU cache of pages, bounded by the number of pages and by characters of JSON. */
const pages = new LruCache<PageState>(1_000, 4 * 1024 * 1024, ({ kept }) => kept?.shown.messages.json.length ?? 0);

/**
 * The newest page of a room, cached under `key`. Throws 403 or 404 if the caller may not read it.
 * `read` reads the page if it is not cached.
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
  // Names and pictures change without a new place.
  const [context, names] = kept ? await readChecked(check, () => namesOf(kept.authors)) : [undefined, undefined];
  if (known && kept && context?.seq === known.seq && names === kept.names) {
    pages.set(key, known);
    return kept.shown;
  }
  const [now, page] = await readChecked(async () => context ?? (await check()), read);
  // If the room's `seq` was lower when the page was read, the page does not belong to the present
  // `seq`.
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

/**
 * Caches a page if it is complete. Nobody waits for this. If it fails, the next reader tries again.
 */
async function keep(key: string, context: RoomContext, page: PageAsRead, until: number): Promise<void> {
  if (beingChecked.has(key)) return;
  beingChecked.add(key);
  try {
    // The text of a message that streams changes without a place.
    if (page.found.some(({ streaming }) => streaming)) return;
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

/** The most recent changes that may be checked to cache a page. */
const mostChanges = 200;

/**
 * True if the page shows every change up to the room's `seq` that belongs on it. It checks places
 * from the last one down, until they are older than any request can be. A suspended function may
 * write even later; its write is not acknowledged, and pages expire before.
 */
async function isComplete(
  { found, shown: { next }, isWithoutFolded }: PageAsRead,
  { _id: room, seq, changed_at, now }: RoomContext,
): Promise<boolean> {
  const isSettled = (at: Date) => now.getTime() - at.getTime() > config.feedPatience;
  if (isSettled(changed_at)) return true;
  // A change of a message has a later place than the message. If the page is not full, it has the
  // room's first message.
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
