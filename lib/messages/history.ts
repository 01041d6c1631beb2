import type { Filter, ObjectId } from 'mongodb';
import { about, dateTime, id, oneOf, optional, requireAtMostOne, sequence, type Values } from '../api/parameters.ts';
import { tooManyRequests } from '../base/errors.ts';
import type { MessageDocument } from '../collections/rooms/messages.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { singleFlight } from '../database/batching.ts';
import type { Caller } from '../identity/caller.ts';
import { findRoomToRead, noSuchRoom, readChecked, refusalsOf } from '../rooms/permissions.ts';
import { type AuthoredMessage, findAuthored, showAuthored } from './messages.ts';
import { type HistoryPage, newestPage, type PageAsRead } from './newest-pages.ts';
import { mostBytes, readWithinSize } from './page-size.ts';
import { countReplies } from './replies.ts';
import { findSeqAt } from './time.ts';

/** The filters, each of which has an index of its own: two of them together would be a search without one. */
const filters = ['thread', 'user', 'pinned', 'mentions'] as const;

/**
 * Which messages of a room are wanted, and from where: at most one of `before`, `after`, `around` and `at`, and the
 * newest without any.
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

/** The query of a page of history, with a place instead of a time. */
type PlacedQuery = Omit<HistoryQuery, 'at'>;

export const historyRefusals = [...refusalsOf('read'), noSuchRoom, tooManyRequests];

/**
 * Reads a page of a room's history: the newest messages that match, or those next to `before`, `after` or `around`,
 * or to the first one `at` a time or after it. They come in ascending order of `seq`.
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

// Those who read a room at the same time read the same.
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

/** How many messages a page has at most, and where the room ends, if the page skips messages that no index knows. */
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

/** Between which places. */
type Bounds = { $lt?: number; $lte?: number; $gt?: number; $gte?: number };

/** How many places are looked at for a page that skips messages that no index knows. */
const mostPlaces = 5_000;

/**
 * The messages next to one end of those that match a filter: up to `limit`, or as many as fit in a page, and the place
 * beyond which there may be more.
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

/** The places of some bounds that are looked at first, and the last of them if there are more. */
function nearest(bounds: Bounds, direction: 1 | -1, end: number): { within: Bounds; last: number | undefined } {
  if (direction === 1) {
    const last = (bounds.$gt ?? 0) + mostPlaces;
    return last < end ? { within: { ...bounds, $lte: last }, last } : { within: bounds, last: undefined };
  }
  const last = Math.min(bounds.$lt ?? end, bounds.$lte ?? end) - mostPlaces;
  return last > 1 ? { within: { ...bounds, $gte: last }, last } : { within: bounds, last: undefined };
}
