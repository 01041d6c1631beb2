import type { ObjectId } from 'mongodb';
import { messages } from '../collections/rooms/messages.ts';
import type { RoomContext } from '../rooms/contexts.ts';

/**
 * The `seq` of the first message of a room at or after a time; undefined if all are older. It
 * bisects, because the times of messages grow with `seq`: the update that reserves a place also
 * sets its time. Twenty look-ups by `room, seq` find one message among a million.
 */
export async function findSeqAt({ _id: room, seq }: RoomContext, time: Date): Promise<number | undefined> {
  let found: number | undefined;
  for (let low = 1, high = seq; low <= high; ) {
    const middle = Math.floor((low + high) / 2);
    const next = await firstFrom(room, middle);
    if (next && next.created_at < time) low = next.seq + 1;
    else {
      found = next?.seq ?? found;
      high = middle - 1;
    }
  }
  return found;
}

const firstFrom = (room: ObjectId, seq: number) =>
  messages.findOne({ room, seq: { $gte: seq } }, { projection: { seq: 1, created_at: 1 }, sort: { seq: 1 } });
