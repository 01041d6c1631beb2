import type { ObjectId } from 'mongodb';
import { historyReplaced } from '../api/cursors.ts';
import { gone, type Refusal } from '../base/errors.ts';
import { aloneSince } from '../base/sole-server.ts';
import { singleFlight } from '../database/batching.ts';
import type { Caller } from '../identity/caller.ts';
import { closeGaps, type Gap } from '../messages/gaps.ts';
import { findRoomState, findRoomToRead, type RoomState, readChecked } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import { type FullRow, lastRows, lastRowUpTo, type Row, rowsFrom } from './rows.ts';

/** A part of a room's feed: its rows without a gap, and where it ends. */
type FeedPage = { rows: FullRow[]; next: number };

export const cursorTooOld: Refusal = () => gone('cursor_too_old', 'The cursor is older than the kept history.');

/**
 * Reads a room's feed after a cursor; without one: nothing, and where the feed is now. It stops before the first gap,
 * because what belongs there may be on its way, and a reader who has passed the gap would never see it. When what
 * follows the gap is older than any function may run, the gap is closed, which leaves no way for it to be filled.
 */
export async function readFeed(room: ObjectId, after: number | undefined, limit: number, reader: Reader): Promise<FeedPage> {
  const read = () => (after === undefined ? readEnd(room, reader) : readPage(room, after, limit, reader));
  let { page, gaps } = await read();
  // Each round closes what the one before it found; new gaps can only be as old as a feed waits.
  for (let round = 0; gaps.length > 0 && round < mostRounds; round++) {
    await closeGaps(gaps);
    ({ page, gaps } = await read());
  }
  return page;
}

const mostRounds = 3;

/** The reader: a caller, who must be allowed to read, or the service on behalf of the members. */
export type Reader = Caller | 'service';

const findRoom = (room: ObjectId, reader: Reader): Promise<RoomState> =>
  reader === 'service' ? findRoomState(room) : findRoomToRead(room, reader);

/** The rows that were read, and the gaps in them that are to be closed before they are read again. */
type FeedReading = { page: FeedPage; gaps: Gap[] };

async function readPage(room: ObjectId, after: number, limit: number, reader: Reader): Promise<FeedReading> {
  // The place at the cursor itself is read too, for its number of messages.
  const [context, { rows: found, isAll }] = await readChecked(
    () => findRoom(room, reader),
    () => sharedRows(`${room.toHexString()} ${after} ${limit}`, () => rowsFrom(room, after, limit + 1)),
  );
  checkCursor(after, context, found);
  const start = found[0]?.seq === after ? found[0] : { seq: after, ordinal: after === 0 ? 0 : undefined };
  const { rows, gaps } = walk(start, found, context, { limit, isAll });
  return { page: { rows, next: rows.at(-1)?.seq ?? after }, gaps };
}

// Those who have followed a room until now poll it from the same place.
const sharedRows = singleFlight<Awaited<ReturnType<typeof rowsFrom>>>();

/** Reads from a place so far before the end that nothing before it can still be on its way. */
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

/** How many rows at the end of a feed are looked at for gaps. */
const mostAtEnd = 1_000;

/** Where a feed that is too busy to be looked through begins: at a place before which nothing is on its way, found in leaps. */
async function findOldPlace(room: RoomState): Promise<number> {
  for (let back = 4 * mostAtEnd; back < room.seq; back *= 4) {
    const row = await lastRowUpTo(room._id, room.seq - back);
    if (row && isOld(row.at, room)) return row.seq;
  }
  return 0;
}

type Start = Pick<Row, 'seq' | 'ordinal'>;

/** How many rows are wanted, and whether those that were found are all that there are. */
type Extent = { limit: number; isAll: boolean };

/** The rows after the start up to the first gap, and the gaps among all of them that are old. */
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

// A time from a clock that was ahead is old as well: nothing from before it can still be on its way.
const isOld = (at: Date, { now }: RoomState, patience = config.feedPatience) =>
  Math.abs(now.getTime() - at.getTime()) >= patience;

/** After how many milliseconds a gap is closed. If that is too soon, nothing gets lost: the late message takes a later place. */
let shorterPatience = Number.POSITIVE_INFINITY;
const gapPatience = () => Math.min(shorterPatience, config.feedPatience);

/** From now on this process closes a gap after so many milliseconds, or earlier if `FEED_PATIENCE` says so. */
export function closeGapsAfter(milliseconds: number): void {
  shorterPatience = milliseconds;
}

/** Whether a place that was taken at this time stays empty for good. */
function isGivenUp(at: Date, room: RoomState): boolean {
  const since = aloneSince();
  return (since !== undefined && at < since) || isOld(at, room, gapPatience());
}

// If nothing else comes, the messages that the room has counted between two rows, and that are not there, are lost.
// It is unknown which of the places are theirs, and it does not matter: they are known by their ordinals, and a
// reader of one of the places has read all of them.
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

// Nothing follows a message that was lost at the very end, but it would count as unread for as long as nobody says more.
function lostAtEnd(room: RoomState, last: Start): Gap[] {
  const { _id, seq, message_count: ordinal, changed_at: at } = room;
  const isLost = last.ordinal !== undefined && ordinal > last.ordinal && isGivenUp(at, room);
  return isLost ? gapsBetween(_id, last, { seq: seq + 1, ordinal, at }, false) : [];
}

/** Refuses a cursor that this room never gave, or one so old that an event after it may be deleted. */
function checkCursor(after: number, room: RoomState, rows: Row[]): void {
  // Nobody was ever told of such a place, unless the database was restored and nobody has said so.
  if (after > room.seq) throw historyReplaced();
  const oldest = room.now.getTime() - config.eventDays * 86_400_000;
  const isKept = (at: Date | undefined) => at !== undefined && at.getTime() >= oldest;

  const next = rows.find(({ seq }) => seq > after);
  if (next && !isKept(next.at)) throw cursorTooOld();
  const isMissing = (next?.seq ?? room.seq + 1) > after + 1;
  const knownFrom = after === 0 ? room.created_at : rows.find(({ seq }) => seq === after)?.at;
  if (!isMissing || isKept(knownFrom)) return;
  // The missing row was an event that is deleted, or it is on its way: then the row after it is young.
  if (isOld(next?.at ?? room.changed_at, room)) throw cursorTooOld();
}
