import type { ObjectId, WithId } from 'mongodb';
import { type EventDocument, events } from '../collections/rooms/events.ts';
import { messages } from '../collections/rooms/messages.ts';
import { type AuthoredMessage, findAuthored } from '../messages/messages.ts';
import { readWithinSize } from '../messages/page-size.ts';

/** A row of a room's feed: a message, or an event of any type. */
export type Row = {
  seq: number;
  at: Date;
  /** The number of messages in the room up to here, including this one. */
  ordinal: number | undefined;
  /** True for a message that counts in the room. */
  isCounted: boolean;
};

/** A row with its message or event. */
export type FullRow = Row & { message?: AuthoredMessage; event?: WithId<EventDocument> };

/**
 * The rows of a room from `seq` on, up to the end of the shorter read of the two collections. So
 * the reads themselves cause no gap. `isAll` if no rows follow.
 */
export async function rowsFrom(room: ObjectId, seq: number, limit: number): Promise<{ rows: FullRow[]; isAll: boolean }> {
  const where = { room, seq: { $gte: seq } };
  const [{ found, hasMore }, happened] = await Promise.all([
    readWithinSize<AuthoredMessage>(limit, (count, last) => {
      const after = { room, seq: last ? { $gt: last.seq } : where.seq };
      return findAuthored(after, [{ $sort: { seq: 1 } }, { $limit: count }]);
    }),
    events.find(where, { sort: { seq: 1 }, limit }).toArray(),
  ]);
  const rows = [
    ...found.map((message): FullRow => {
      const { seq, created_at: at, ordinal } = message;
      return { seq, at, ordinal, isCounted: !message.is_folded, message };
    }),
    ...happened.map((event): FullRow => {
      const { seq, at, ordinal } = event;
      return { seq, at, ordinal, isCounted: false, event };
    }),
  ];
  const ends = [...(hasMore ? [found.at(-1)?.seq ?? seq] : []), ...endsOfFull([happened], limit)];
  const end = Math.min(...ends);
  return { rows: rows.sort(bySeq).filter((row) => row.seq <= end), isAll: ends.length === 0 };
}

/**
 * The last rows of a room, without their content. They go back to the start of the shorter of the
 * two collections that were read. `isAll` if no rows precede them.
 */
export async function lastRows(room: ObjectId, limit: number): Promise<{ rows: Row[]; isAll: boolean }> {
  const options = { sort: { seq: -1 }, limit, projection: { seq: 1, ordinal: 1, is_folded: 1, created_at: 1, at: 1 } } as const;
  const [found, happened] = await Promise.all([
    messages.find({ room }, options).toArray(),
    events.find({ room }, options).toArray(),
  ]);
  const rows = [
    ...found.map(({ seq, created_at: at, ordinal, is_folded }): Row => ({ seq, at, ordinal, isCounted: !is_folded })),
    ...happened.map(({ seq, at, ordinal }): Row => ({ seq, at, ordinal, isCounted: false })),
  ];
  const ends = endsOfFull([found, happened], limit);
  return { rows: rows.sort(bySeq).filter(({ seq }) => seq >= Math.max(0, ...ends)), isAll: ends.length === 0 };
}

/** The last row of a room up to a `seq`. */
export async function lastRowUpTo(room: ObjectId, seq: number): Promise<Pick<Row, 'seq' | 'at'> | undefined> {
  const where = { room, seq: { $lte: seq } };
  const options = { sort: { seq: -1 }, projection: { seq: 1, created_at: 1, at: 1 } } as const;
  const [message, event] = await Promise.all([messages.findOne(where, options), events.findOne(where, options)]);
  if (message && message.seq > (event?.seq ?? 0)) return { seq: message.seq, at: message.created_at };
  return event ?? undefined;
}

/** The last `seq` of each list that reached the limit, and so may continue. */
const endsOfFull = (lists: { seq: number }[][], limit: number) =>
  lists.filter(({ length }) => length === limit).map((list) => list.at(-1)?.seq ?? 0);

const bySeq = (one: Row, other: Row) => one.seq - other.seq;
