import type { Filter, ObjectId } from 'mongodb';
import { about, dateTime, id, oneOf, optional, requireAtMostOne, sequence, type Values } from '../api/parameters.ts';
import type { MessageDocument } from '../collections/messages.ts';
import { singleFlight } from '../database/batching.ts';
import { tooManyRequests } from '../errors.ts';
import type { Caller } from '../identity/caller.ts';
import { findReadableRoom, noSuchRoom, readChecked, refusalsOf } from '../rooms/permissions.ts';
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

  const context = at && (await findReadableRoom(room, caller));
  const query = context ? { ...wanted, around: await findSeqAt(context, at) } : wanted;
  const key = JSON.stringify([room, query, query.mentions && caller.user._id, limit]);
  const read = () => sharedPages(key, () => readPage(room, matching(room, query, caller), query, limit));
  if (Object.values(query).every((value) => value === undefined)) return newestPage(key, room, caller, read);

  const [, { shown }] = await readChecked(async () => context ?? (await findReadableRoom(room, caller)), read);
  return shown;
}

// Those who read a room at the same time read the same.
const sharedPages = singleFlight<PageAsRead>();

async function readPage(room: ObjectId, filter: Filter<MessageDocument>, query: PlacedQuery, limit: number): Promise<PageAsRead> {
  const { found, next } = await findPage(filter, query, limit);
  const replies = await countReplies(room, found);
  return { found, shown: { messages: found.map((message) => showAuthored(message, replies)), next } };
}

const matching = (room: ObjectId, { thread, user, pinned, mentions }: PlacedQuery, caller: Caller): Filter<MessageDocument> => ({
  room,
  ...(thread && { thread }),
  ...(user && { user }),
  ...(pinned && { is_pinned: true as const }),
  ...(mentions && { mentions: caller.user._id }),
});

type Found = { found: AuthoredMessage[]; next: Record<string, string> | undefined };

async function findPage(filter: Filter<MessageDocument>, { before, after, around }: PlacedQuery, limit: number): Promise<Found> {
  if (around !== undefined) {
    const newerCount = Math.floor(limit / 2);
    const [older, newer] = await Promise.all([
      findMatching(filter, { $lte: around }, -1, limit - newerCount, mostBytes / 2),
      findMatching(filter, { $gt: around }, 1, newerCount, mostBytes / 2),
    ]);
    return pageOf([...older.found.reverse(), ...newer.found], newer.hasMore && 'after');
  }
  if (after !== undefined) {
    const { found, hasMore } = await findMatching(filter, { $gt: after }, 1, limit);
    return pageOf(found, hasMore && 'after');
  }
  const { found, hasMore } = await findMatching(filter, before === undefined ? {} : { $lt: before }, -1, limit);
  return pageOf(found.reverse(), hasMore && 'before');
}

/** Between which places. */
type Bounds = { $lt?: number; $lte?: number; $gt?: number };

/** The messages next to one end of those that match a filter: up to `limit`, or as many as fit in a page. */
const findMatching = (filter: Filter<MessageDocument>, bounds: Bounds, direction: 1 | -1, limit: number, most?: number) =>
  readWithinSize<AuthoredMessage>(
    limit,
    (count, last) => {
      const seq = { ...bounds, ...(last && { [direction === 1 ? '$gt' : '$lt']: last.seq }) };
      return findAuthored<AuthoredMessage>({ ...filter, ...(Object.keys(seq).length > 0 && { seq }) }, [
        { $sort: { seq: direction } },
        { $limit: count },
      ]);
    },
    most,
  );

function pageOf(found: AuthoredMessage[], side: 'before' | 'after' | false): Found {
  const edge = side === 'before' ? found[0] : found.at(-1);
  return { found, next: side && edge ? { [side]: String(edge.seq) } : undefined };
}
