import { isDuplicateKey } from '../database/client.ts';
import { insertEvent } from '../rooms/event-log.ts';
import { rooms } from '../rooms/rooms.ts';
import type { Place } from '../rooms/sequence.ts';
import { messages, tombstones } from './messages.ts';

/** A place that was taken and at which nothing is (yet). */
export type Hole = Omit<Place, 'ordinal'> & {
  /** How many messages the room has counted up to here, where that is known. */
  ordinal: number | undefined;
  /** Whether the room has counted a message for this place. */
  isMessage: boolean;
};

/**
 * Gives up holes for good, so that a feed can go on: whatever comes for their places later finds them taken and takes others.
 * All of them are closed to messages before any is settled. While one is open, what the room has counted there may still come;
 * when something has come after all, nothing is settled, and what the holes are is to be found out again.
 */
export async function giveUpHoles(holes: Hole[]): Promise<void> {
  const areClosed = await Promise.all(holes.map(close));
  if (!areClosed.every(Boolean)) return;
  for (const hole of holes) await settle(hole);
}

/**
 * Settles a hole at which neither a message nor a change will ever be: no feed needs to wait for it. A message that the room
 * has counted there is counted as lost, because taking it from the count would move the numbers of those behind it.
 * The `void` event, which lets readers pass, comes last: whoever dies before has left a hole that the next reader settles,
 * and the number of a message is lost only once, however often and at whichever place it is found missing.
 */
export async function settle({ room, seq, ordinal, at, isMessage }: Hole): Promise<void> {
  if (isMessage && ordinal !== undefined) {
    const lose = { $push: { lost: { $each: [ordinal], $slice: -100 } }, $inc: { lost_count: 1 } };
    await rooms.updateOne({ _id: room, lost: { $ne: ordinal } }, lose);
  }
  await tombstones.updateOne({ room, seq }, { $set: { is_void: true, ...known(ordinal) } }, { upsert: true });
  await insertEvent({ room, seq, ...known(ordinal), type: 'void', at, actor: null, data: {} });
}

/** Closes a place to messages; false when a message, or the trace of a change, is there. */
async function close({ room, seq }: Hole): Promise<boolean> {
  try {
    await tombstones.insertOne({ room, seq, is_void: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    if ((await tombstones.countDocuments({ room, seq, is_void: true }, { limit: 1 })) === 0) return false;
  }
  // A function may have changed a message and then died: the change is there, and its event is due.
  const late = await messages.findOne({ room, 'changed.seq': seq }, { projection: { changed: 1 } });
  if (late?.changed) await insertEvent({ room, ...late.changed, data: { message: late._id } });
  return !late;
}

const known = (ordinal: number | undefined) => (ordinal === undefined ? {} : { ordinal });
