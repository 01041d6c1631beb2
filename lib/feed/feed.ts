import type { ObjectId } from 'mongodb';
import { historyReplaced } from '../api/cursors.ts';
import { gone, type Refusal } from '../base/errors.ts';
import { aloneSince } from '../base/sole-server.ts';
import { singleFlight } from '../database/batching.ts';
import type { Caller } from '../identity/caller.ts';
import { closeGaps, type Gap } from '../messages/gaps.ts';
import { findRoomState, type RoomState } from '../rooms/contexts.ts';
import { findRoomToRead, readChecked } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import { type FullRow, lastRows, lastRowUpTo, type Row, rowsFrom } from './rows.ts';

/** A page of a room's feed: consecutive rows, and the cursor to continue from. */
type FeedPage = { rows: FullRow[]; next: number };

export const cursorTooOld: Refusal = () => gone('cursor_too_old', 'The cursor is older than the kept history.');

/**
 * Reads a room's feed after a cursor. Without a cursor, it returns only the current end.
 *
 * The page stops before the first gap. The row for the gap may still be on its way, and a reader
 * past the gap would never see it. If the rows after the gap are older than any function can run,
 * the gap is closed, so that nothing can fill it later.
 */
export async function readFeed(room: ObjectId, after: number | undefined, limit: number, reader: Reader): Promise<FeedPage> {
  const read = () => (after === undefined ? readEnd(room, reader) : readPage(room, after, limit, reader));
  let { page, gaps } = await read();
  // Each round closes the gaps that the one before found. New gaps can be at most as old as the
  // feed's patience.
  for (let round = 0; gaps.length > 0 && round < mostRounds; round++) {
    await sharedClosing(JSON.stringify(gaps), () => closeGaps(gaps));
    ({ page, gaps } = await read());
  }
  return page;
}

const mostRounds = 3;

// All clients that follow a room reach an old gap at about the same time. Their writes for the same
// place would wait for each other, in some databases for seconds.
const sharedClosing = singleFlight<void>();

/** A caller, whose permission to read is checked, or the service on behalf of all members. */
export type Reader = Caller | 'service';

const findRoom = (room: ObjectId, reader: Reader): Promise<RoomState> =>
  reader === 'service' ? findRoomState(room) : findRoomToRead(room, reader);

/** The rows of a page, and the gaps to close before it is read again. */
type FeedReading = { page: FeedPage; gaps: Gap[] };

async function readPage(room: ObjectId, after: number, limit: number, reader: Reader): Promise<FeedReading> {
  // The row at the cursor is read too, for its ordinal.
  const [context, { rows: found, isAll }] = await readChecked(
    () => findRoom(room, reader),
    () => sharedRows(`${room.toHexString()} ${after} ${limit}`, () => rowsFrom(room, after, limit + 1)),
  );
  checkCursor(after, context, found);
  const start = found[0]?.seq === after ? found[0] : { seq: after, ordinal: after === 0 ? 0 : undefined };
  const { rows, gaps } = walk(start, found, context, { limit, isAll });
  return { page: { rows, next: rows.at(-1)?.seq ?? after }, gaps };
}

// Clients that have followed a room until now poll it with the same cursor.
const sharedRows = singleFlight<Awaited<ReturnType<typeof rowsFrom>>>();

/** Reads the end of the feed, from a row so old that nothing before it can still be on its way. */
async function readEnd(room: ObjectId, reader: Reader): Promise<FeedReading> {
  let [context, last] = await readChecked(
    () => findRoom(room, reader),
    () => lastRows(room, 100),
  );
  const isEnough = () => last.isAll || isOld(last.rows[0]?.at ?? context.now, context);
  if (!isEnough()) last = await lastRows(room, mostAtEnd);
  if (!isEnough()) return { page: { rows: [], next: await findOldPlace(context) }, gaps: [] };
  const start = (!last.isAll && last.rows[0]) || { seq: 0, ordinal: 0 };
  const { rows, gaps } = walk(start, last.rows, context, { limit: Number.POSITIVE_INFINITY, isAll: true });
  return { page: { rows: [], next: rows.at(-1)?.seq ?? start.seq }, gaps };
}

/** How many rows at the end of a feed are checked for gaps. */
const mostAtEnd = 1_000;

/**
 * The start of a feed that is too busy to check for gaps: an old row, found in growing steps.
 * Nothing before it can still be on its way.
 */
async function findOldPlace(room: RoomState): Promise<number> {
  for (let back = 4 * mostAtEnd; back < room.seq; back *= 4) {
    const row = await lastRowUpTo(room._id, room.seq - back);
    if (row && isOld(row.at, room)) return row.seq;
  }
  return 0;
}

type Start = Pick<Row, 'seq' | 'ordinal'>;

/** The maximum number of rows; `isAll` if no rows follow the ones that were found. */
type Extent = { limit: number; isAll: boolean };

/** The rows after the start up to the first gap, and the old gaps among all rows. */
function walk<R extends Row>(start: Start, found: R[], room: RoomState, { limit, isAll }: Extent): { rows: R[]; gaps: Gap[] } {
  const rows: R[] = [];
  const gaps: Gap[] = [];
  let previous = start;
  for (const row of found.filter(({ seq }) => seq > start.seq)) {
    if (row.seq > previous.seq + 1) {
      if (!isGivenUp(row.at, room)) return { rows, gaps };
      gaps.push(...gapsBetween(room._id, previous, row, row.isCounted));
    }
    if (gaps.length === 0) rows.push(row);
    if (rows.length === limit) return { rows, gaps };
    previous = row;
  }
  return { rows, gaps: gaps.length > 0 || !isAll ? gaps : lostAtEnd(room, previous) };
}

// A time in the future, from a clock that was ahead, also counts as old: nothing before it can
// still be on its way.
const isOld = (at: Date, { now }: RoomState, patience = config.feedPatience) =>
  Math.abs(now.getTime() - at.getTime()) >= patience;

/**
 * The age at which a gap is closed, in milliseconds. If that is too early, nothing gets lost: the
 * late message takes a later `seq`.
 */
let shorterPatience = Number.POSITIVE_INFINITY;
const gapPatience = () => Math.min(shorterPatience, config.feedPatience);

/**
 * Makes this process close gaps after so many milliseconds, or after `FEED_PATIENCE` if that is
 * shorter.
 */
export function closeGapsAfter(milliseconds: number): void {
  shorterPatience = milliseconds;
}

/** Returns true if a `seq` that was taken at this time will never be filled. */
function isGivenUp(at: Date, room: RoomState): boolean {
  const since = aloneSince();
  return (since !== undefined && at < since) || isOld(at, room, gapPatience());
}

// The ordinals of two rows show how many messages between them are lost. It is unknown which `seq`
// values were theirs, but that does not matter. Unread messages are counted by ordinals, and a user
// who has read one of these rows has read all of them.
function gapsBetween(room: ObjectId, previous: Start, row: Omit<Row, 'isCounted'>, isCounted: boolean): Gap[] {
  const before = row.ordinal === undefined || !isCounted ? row.ordinal : row.ordinal - 1;
  const lost = before === undefined || previous.ordinal === undefined ? 0 : before - previous.ordinal;
  return Array.from({ length: row.seq - previous.seq - 1 }, (_, index) => ({
    room,
    seq: previous.seq + 1 + index,
    ordinal: previous.ordinal === undefined ? undefined : previous.ordinal + Math.min(index + 1, lost),
    at: row.at,
    isCounted: index < lost,
  }));
}

// A message that was lost at the very end. Without this gap, it would count as unread until
// somebody writes.
function lostAtEnd(room: RoomState, last: Start): Gap[] {
  const { _id, seq, message_count: ordinal, changed_at: at } = room;
  const isLost = last.ordinal !== undefined && ordinal > last.ordinal && isGivenUp(at, room);
  return isLost ? gapsBetween(_id, last, { seq: seq + 1, ordinal, at }, false) : [];
}

/**
 * Refuses a cursor that this room never gave, or one so old that events after it may be deleted.
 */
function checkCursor(after: number, room: RoomState, rows: Row[]): void {
  // The service never returned such a cursor, unless the database was restored and the epoch was
  // not renewed.
  if (after > room.seq) throw historyReplaced();
  const oldest = room.now.getTime() - config.eventDays * 86_400_000;
  const isKept = (at: Date | undefined) => at !== undefined && at.getTime() >= oldest;

  const next = rows.find(({ seq }) => seq > after);
  if (next && !isKept(next.at)) throw cursorTooOld();
  const isMissing = (next?.seq ?? room.seq + 1) > after + 1;
  const knownFrom = after === 0 ? room.created_at : rows.find(({ seq }) => seq === after)?.at;
  if (!isMissing || isKept(knownFrom)) return;
  // The missing row was an event that is deleted by now. Or it is still on its way, and then the
  // row after it is recent.
  if (isOld(next?.at ?? room.changed_at, room)) throw cursorTooOld();
}
