import type { Filter, ObjectId } from 'mongodb';
import { about, dateTime, id, oneOf, optional, requireAtMostOne, sequence, type Values } from '../api/parameters.ts';
import { tooManyRequests } from '../base/errors.ts';
import type { MessageDocument } from '../collections/rooms/messages.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { singleFlight } from '../database/batching.ts';
import type { Caller } from '../identity/caller.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { findRoomToRead, readChecked, refusalsOf } from '../rooms/permissions.ts';
import { type AuthoredMessage, findAuthored, showAuthored } from './messages.ts';
import { type HistoryPage, newestPage, type PageAsRead } from './newest-pages.ts';
import { mostBytes, readWithinSize } from './page-size.ts';
import { countReplies } from './replies.ts';
import { findSeqAt } from './time.ts';

/** Filters, each with its own index. Two of them together would need a search without an index. */
const filters = ['thread', 'user', 'pinned', 'mentions'] as const;

/**
 * The query parameters of a page of history. At most one of `before`, `after`, `around` and `at` is
 * allowed; without them, the page is the newest.
 */
export const historyParameters = {
  before: about('Return messages before this `seq`.', optional(sequence)),
  after: about('Return messages after this `seq`.', optional(sequence)),
  around: about('Return the messages around this `seq`.', optional(sequence)),
  at: about('Return the messages around the first one at or after this time.', optional(dateTime)),
  thread: about('Return only replies to this message.', optional(id)),
  user: about('Return only messages from this user.', optional(id)),
  is_in_room: about(
    'Return only messages in the room, without replies that are only in their threads. A page may be shorter than its limit.',
    optional(oneOf('true')),
  ),
  pinned: about('Return only pinned messages.', optional(oneOf('true'))),
  mentions: about('Return only messages that mention the caller.', optional(oneOf('me'))),
};

/** The query of a page of history. */
export type HistoryQuery = Values<typeof historyParameters>;

/** The query of a page of history after a time was replaced by a place. */
type PlacedQuery = Omit<HistoryQuery, 'at'>;

export const historyRefusals = [...refusalsOf('read'), noSuchRoom, tooManyRequests];

/**
 * Reads a page of a room's history in ascending order of `seq`. The page has the newest matching
 * messages, or those next to `before`, `after` or `around`, or next to the first one at or after
 * `at`.
 */
export async function readHistory(
  room: ObjectId,
  { at, ...wanted }: HistoryQuery,
  limit: number,
  caller: Caller,
): Promise<HistoryPage> {
  requireAtMostOne(['before', 'after', 'around', 'at'], { at, ...wanted });
  requireAtMostOne(filters, wanted);

  const context = at && (await findRoomToRead(room, caller));
  const query = context ? { ...wanted, around: await findSeqAt(context, at) } : wanted;
  const key = JSON.stringify([room, query, query.mentions && caller.user._id, limit]);
  const read = () => sharedPages(key, () => readPage(room, matching(room, query, caller), query, limit));
  const { is_in_room, ...others } = query;
  if (Object.values(others).every((value) => value === undefined)) return newestPage(key, room, caller, read);

  const [, { shown }] = await readChecked(async () => context ?? (await findRoomToRead(room, caller)), read);
  return shown;
}

// Concurrent readers of a room share one read.
const sharedPages = singleFlight<PageAsRead>();

async function readPage(room: ObjectId, filter: Filter<MessageDocument>, query: PlacedQuery, limit: number): Promise<PageAsRead> {
  const isWithoutFolded = query.is_in_room !== undefined;
  const end = isWithoutFolded ? ((await rooms.findOne({ _id: room }, { projection: { seq: 1 } }))?.seq ?? 0) : undefined;
  const { found, next } = await findPage(filter, query, { limit, end });
  const replies = await countReplies(room, found);
  return { found, shown: { messages: found.map((message) => showAuthored(message, replies)), next }, isWithoutFolded };
}

const matching = (
  room: ObjectId,
  { thread, user, pinned, mentions, is_in_room }: PlacedQuery,
  caller: Caller,
): Filter<MessageDocument> => ({
  room,
  ...(is_in_room && { is_folded: { $exists: false } }),
  ...(thread && { thread }),
  ...(user && { user }),
  ...(pinned && { is_pinned: true as const }),
  ...(mentions && { mentions: caller.user._id }),
});

type FoundMessages = { found: AuthoredMessage[]; next: Record<string, string> | undefined };

/**
 * The most messages of a page. If the page skips messages without an index, also the end of the
 * room.
 */
type Extent = { limit: number; end: number | undefined };

async function findPage(
  filter: Filter<MessageDocument>,
  { before, after, around }: PlacedQuery,
  { limit, end }: Extent,
): Promise<FoundMessages> {
  if (around !== undefined) {
    const newerCount = Math.floor(limit / 2);
    const [older, newer] = await Promise.all([
      findMatching(filter, { $lte: around }, -1, { limit: limit - newerCount, end }, mostBytes / 2),
      findMatching(filter, { $gt: around }, 1, { limit: newerCount, end }, mostBytes / 2),
    ]);
    return { found: [...older.found.reverse(), ...newer.found], next: nextOf('after', newer.next) };
  }
  if (after !== undefined) {
    const { found, next } = await findMatching(filter, { $gt: after }, 1, { limit, end });
    return { found, next: nextOf('after', next) };
  }
  const { found, next } = await findMatching(filter, before === undefined ? {} : { $lt: before }, -1, { limit, end });
  return { found: found.reverse(), next: nextOf('before', next) };
}

const nextOf = (side: 'before' | 'after', place: number | undefined) =>
  place === undefined ? undefined : { [side]: String(place) };

/** A range of places. */
type Bounds = { $lt?: number; $lte?: number; $gt?: number; $gte?: number };

/** The most places that are read for a page that skips messages without an index. */
const mostPlaces = 5_000;

/**
 * Reads matching messages from one end of a range: up to `limit`, or as many as fit in a page. Also
 * returns the place after which there may be more.
 */
async function findMatching(
  filter: Filter<MessageDocument>,
  bounds: Bounds,
  direction: 1 | -1,
  { limit, end }: Extent,
  most?: number,
): Promise<{ found: AuthoredMessage[]; next: number | undefined }> {
  const { within, last } = end === undefined ? { within: bounds, last: undefined } : nearest(bounds, direction, end);
  const { found, hasMore } = await readWithinSize<AuthoredMessage>(
    limit,
    (count, previous) => {
      const seq = { ...within, ...(previous && { [direction === 1 ? '$gt' : '$lt']: previous.seq }) };
      return findAuthored<AuthoredMessage>({ ...filter, ...(Object.keys(seq).length > 0 && { seq }) }, [
        { $sort: { seq: direction } },
        { $limit: count },
      ]);
    },
    most,
  );
  return { found, next: hasMore ? found.at(-1)?.seq : last };
}

/** The part of a range that is read first, and its last place if there is more. */
function nearest(bounds: Bounds, direction: 1 | -1, end: number): { within: Bounds; last: number | undefined } {
  if (direction === 1) {
    const last = (bounds.$gt ?? 0) + mostPlaces;
    return last < end ? { within: { ...bounds, $lte: last }, last } : { within: bounds, last: undefined };
  }
  const last = Math.min(bounds.$lt ?? end, bounds.$lte ?? end) - mostPlaces;
  return last > 1 ? { within: { ...bounds, $gte: last }, last } : { within: bounds, last: undefined };
}
