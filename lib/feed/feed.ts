import type { ObjectId } from 'mongodb';
import { config } from '../config.ts';
import { shared } from '../database/batching.ts';
import { gone, invalidParameter } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import { giveUpHoles, type Hole } from '../messages/gaps.ts';
import { type RoomState, readableRoom } from '../rooms/access.ts';
import { type FullRow, lastRows, type Row, rowsFrom } from './rows.ts';

/** A part of a room's feed: its rows without a gap, and where it ends. */
export type FeedPage = { rows: FullRow[]; next: number };

/**
 * Reads a room's feed behind `after`; absent: nothing, and where the feed is now.
 * It stops before the first hole, because what belongs there may be on its way and would never be seen by who has passed it.
 * When what follows the hole is older than any function may run, the hole is given up, which leaves no way for it to be filled.
 */
export async function readFeed(room: ObjectId, caller: Caller, after: number | undefined, limit: number): Promise<FeedPage> {
  for (let round = 0; ; round++) {
    const { page, holes } = after === undefined ? await readEnd(room, caller) : await readPage(room, caller, after, limit);
    if (holes.length === 0 || round === mostRounds) return page;
    await giveUpHoles(holes);
  }
}

type State = RoomState & { now: Date };

/** What was read, and the holes in it that are to be given up before it is read again. */
type Read = { page: FeedPage; holes: Hole[] };

// Each round gives up what the one before it found; new ones can only be as old as a feed waits.
const mostRounds = 3;

async function readPage(room: ObjectId, caller: Caller, after: number, limit: number): Promise<Read> {
  // The place at the cursor itself is read too, for its number of messages.
  const [state, found] = await Promise.all([
    readableRoom(room, caller),
    sharedRows(`${room.toHexString()} ${after} ${limit}`, () => rowsFrom(room, after, limit + 1)),
  ]);
  checkCursor(after, state, found);
  const start = found[0]?.seq === after ? found[0] : { seq: after, ordinal: after === 0 ? 0 : undefined };
  const { rows, holes } = walk(start, found, state, limit);
  return { page: { rows, next: rows.at(-1)?.seq ?? after }, holes };
}

// Whoever has followed a room until now polls it from the same place.
const sharedRows = shared<FullRow[]>();

/** Reads from so far before the end that what is behind the start can't be on its way any more. */
async function readEnd(room: ObjectId, caller: Caller): Promise<Read> {
  let [state, last] = await Promise.all([readableRoom(room, caller), lastRows(room, 100)]);
  for (let limit = 400; !last.isAll && !isOld(last.rows[0]?.at ?? state.now, state); limit *= 4)
    last = await lastRows(room, limit);
  const start = (!last.isAll && last.rows[0]) || { seq: 0, ordinal: 0 };
  const { rows, holes } = walk(start, last.rows, state, Number.POSITIVE_INFINITY);
  return { page: { rows: [], next: rows.at(-1)?.seq ?? start.seq }, holes };
}

type Start = Pick<Row, 'seq' | 'ordinal'>;

/** The rows behind the start up to the first hole, and the holes among all of them that are old. */
function walk<R extends Row>(start: Start, found: R[], state: State, limit: number): { rows: R[]; holes: Hole[] } {
  const rows: R[] = [];
  const holes: Hole[] = [];
  let previous = start;
  for (const row of found.filter(({ seq }) => seq > start.seq)) {
    if (row.seq > previous.seq + 1) {
      if (!isOld(row.at, state)) return { rows, holes };
      holes.push(...holesBetween(state._id, previous, row, row.isMessage));
    }
    if (holes.length === 0) rows.push(row);
    if (rows.length === limit) return { rows, holes };
    previous = row;
  }
  return { rows, holes: holes.length > 0 ? holes : lostAtEnd(state, previous) };
}

const isOld = (at: Date, { now }: State) => now.getTime() - at.getTime() >= config.feedPatience;

// What the room has counted between two rows and is not there are lost messages, if nothing comes any more. Which of the places
// are theirs can't be told and does not matter: they are known by their numbers, and who has read one place has read all of them.
function holesBetween(room: ObjectId, previous: Start, row: Omit<Row, 'isMessage'>, isMessage: boolean): Hole[] {
  const before = row.ordinal === undefined || !isMessage ? row.ordinal : row.ordinal - 1;
  const lost = before === undefined || previous.ordinal === undefined ? 0 : before - previous.ordinal;
  return Array.from({ length: row.seq - previous.seq - 1 }, (_, index) => ({
    room,
    seq: previous.seq + 1 + index,
    ordinal: previous.ordinal === undefined ? undefined : previous.ordinal + Math.min(index + 1, lost),
    at: row.at,
    isMessage: index < lost,
  }));
}

// Nothing follows a message that was lost at the very end, but it would count as unread for as long as nobody says more.
function lostAtEnd(state: State, last: Start): Hole[] {
  const { _id, seq, message_count: ordinal, changed_at: at } = state;
  const isLost = last.ordinal !== undefined && ordinal > last.ordinal && at !== null && isOld(at, state);
  return isLost ? holesBetween(_id, last, { seq: seq + 1, ordinal, at }, false) : [];
}

/** Refuses a cursor that is none of this room's, or is so old that an event behind it may be gone. */
function checkCursor(after: number, state: State, rows: Row[]): void {
  if (after > state.seq) throw invalidParameter('after', `be from 0 to ${state.seq}, the room's last seq`);
  const oldest = state.now.getTime() - config.eventDays * 86_400_000;
  const isKept = (at: Date | undefined) => at !== undefined && at.getTime() >= oldest;

  const next = rows.find(({ seq }) => seq > after);
  if (next && !isKept(next.at)) throw tooOld();
  const isMissing = (next?.seq ?? state.seq + 1) > after + 1;
  const knownFrom = after === 0 ? state.created_at : rows.find(({ seq }) => seq === after)?.at;
  if (!isMissing || isKept(knownFrom)) return;
  // What is missing here was an event that is gone, or is on its way: then what follows it is young.
  const follower = next?.at ?? state.changed_at;
  if (!follower || isOld(follower, state)) throw tooOld();
}

const tooOld = () => gone('The cursor is older than the kept history.');
