import type { Filter, ObjectId } from 'mongodb';
import { id, oneOf, optional, type Parameter, sequence } from '../api/parameters.ts';
import { shareText } from '../api/shared-json.ts';
import { shared } from '../database/batching.ts';
import { invalidParameter } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import { readableRoom } from '../rooms/access.ts';
import {
  type AuthoredMessage,
  countReplies,
  isMessage,
  type Message,
  type MessageDocument,
  messages,
  repliedTo,
  showAuthored,
  withAuthor,
} from './messages.ts';

/** Words to search for. */
const words: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && /^[^\p{Cc}\p{Cs}]{1,200}$/u.test(sent) && /\S/.test(sent) ? sent : undefined),
  rule: 'be 1 to 200 characters, not all of them blank',
  schema: { type: 'string', minLength: 1, maxLength: 200 },
};

/** Which messages of a room are wanted, and at most one of where: the newest if not said. */
export const historyParameters = {
  before: optional(sequence),
  after: optional(sequence),
  around: optional(sequence),
  thread: optional(id),
  user: optional(id),
  pinned: optional(oneOf('true')),
  mentions: optional(oneOf('me')),
  q: optional(words),
};

/** What of them was asked for. */
export type HistoryQuery = {
  [Name in keyof typeof historyParameters]?: ReturnType<(typeof historyParameters)[Name]['read']> | undefined;
};

/** A page of a room's history, and the query parameters that continue it, if it goes on in the direction in which it was read. */
export type HistoryPage = { messages: Message[]; next: Record<string, string> | undefined };

/**
 * Reads a page of a room's history. Where it lies is a matter of `seq` alone, also in a search: a page has the newest of what
 * matches, or what comes next to `before`, `after` or `around`. Its messages ascend by `seq`; those of a search stand best first.
 */
export async function readHistory(room: ObjectId, caller: Caller, query: HistoryQuery, limit: number): Promise<HistoryPage> {
  const places = ([['before'], ['after'], ['around']] as const).filter(([name]) => query[name] !== undefined);
  if (places.length > 1) throw invalidParameter(places[1]?.[0] ?? '', `not stand beside '${places[0]?.[0]}'`);

  const key = JSON.stringify([room, query, query.mentions && caller.user._id, limit]);
  const [, page] = await Promise.all([
    readableRoom(room, caller),
    sharedPages(key, () => readPage(room, matching(room, caller, query), query, limit)),
  ]);
  return page;
}

// Whoever reads a room reads the same.
const sharedPages = shared<HistoryPage>();

async function readPage(
  room: ObjectId,
  filter: Filter<MessageDocument>,
  query: HistoryQuery,
  limit: number,
): Promise<HistoryPage> {
  const { found, next } = await findPage(filter, query, limit);
  const replies = await countReplies(room, found.flatMap(repliedTo));
  const sorted = query.q === undefined ? found : found.toSorted(byScore);
  return { messages: shareText(sorted.map((message) => showAuthored(message, replies))), next };
}

const matching = (
  room: ObjectId,
  caller: Caller,
  { thread, user, pinned, mentions, q }: HistoryQuery,
): Filter<MessageDocument> => ({
  room,
  ...isMessage,
  ...(thread && { thread }),
  ...(user && { user }),
  ...(pinned && { is_pinned: true as const }),
  ...(mentions && { mentions: caller.user._id }),
  ...(q !== undefined && { $text: { $search: q } }),
});

type Found = { found: (AuthoredMessage & { score?: number })[]; next: Record<string, string> | undefined };

async function findPage(filter: Filter<MessageDocument>, { before, after, around }: HistoryQuery, limit: number): Promise<Found> {
  if (around !== undefined) {
    const behind = Math.floor(limit / 2);
    const [older, newer] = await Promise.all([
      find({ ...filter, seq: { $lte: around } }, -1, limit - behind),
      find({ ...filter, seq: { $gt: around } }, 1, behind + 1),
    ]);
    return pageOf([...older.reverse(), ...newer.slice(0, behind)], newer.length > behind && 'after');
  }
  if (after !== undefined) {
    const found = await find({ ...filter, seq: { $gt: after } }, 1, limit + 1);
    return pageOf(found.slice(0, limit), found.length > limit && 'after');
  }
  const found = await find(before === undefined ? filter : { ...filter, seq: { $lt: before } }, -1, limit + 1);
  return pageOf(found.slice(0, limit).reverse(), found.length > limit && 'before');
}

const find = (filter: Filter<MessageDocument>, direction: 1 | -1, limit: number) =>
  messages
    .aggregate<AuthoredMessage & { score?: number }>([
      { $match: filter },
      { $sort: { seq: direction } },
      { $limit: limit },
      ...(filter.$text ? [{ $set: { score: { $meta: 'textScore' } } }] : []),
      ...withAuthor,
    ])
    .toArray();

function pageOf(found: AuthoredMessage[], side: 'before' | 'after' | false): Found {
  const edge = side === 'before' ? found[0] : found.at(-1);
  return { found, next: side && edge ? { [side]: String(edge.seq) } : undefined };
}

// The newer of two that are equally good.
const byScore = (one: AuthoredMessage & { score?: number }, other: AuthoredMessage & { score?: number }) =>
  (other.score ?? 0) - (one.score ?? 0) || other.seq - one.seq;
