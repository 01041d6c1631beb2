import type { ObjectId } from 'mongodb';
import { rooms } from '../collections/rooms/rooms.ts';
import { findRoomState } from '../rooms/contexts.ts';
import { config } from '../settings/config.ts';
import { lastRowUpTo } from './rows.ts';

/** The last `seq` of a room before a time, by binary search. */
export async function findPlaceBefore(room: ObjectId, time: number): Promise<number> {
  const found = await rooms.findOne<{ seq: number }>({ _id: room }, { projection: { seq: 1 } });
  return placeBefore(room, found?.seq ?? 0, time);
}

async function placeBefore(room: ObjectId, last: number, time: number): Promise<number> {
  let [before, from] = [0, last + 1];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    const row = await lastRowUpTo(room, middle);
    if (row && row.at.getTime() >= time) from = row.seq;
    else before = middle;
  }
  return before;
}

/** The first `seq` after an expired cursor from which the room's feed can be read. */
export async function findKeptPlace(room: ObjectId, after: number): Promise<number> {
  const { seq, now } = await findRoomState(room);
  const oldest = await placeBefore(room, seq, now.getTime() - config.eventDays * 86_400_000);
  // Times are not strictly ordered: of two rows at the limit, the later one may be too old.
  return Math.min(seq, Math.max(oldest, after + 1));
}
