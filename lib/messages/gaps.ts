import { messages, tombstones } from '../collections/rooms/messages.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { insertEvent } from '../rooms/event-log.ts';
import type { Place } from '../rooms/sequence.ts';

/** A place that was taken and at which nothing is (yet). */
export type Gap = Omit<Place, 'ordinal'> & {
  /** How many messages the room has counted up to here, where that is known. */
  ordinal: number | undefined;
  /** Whether the room has counted a message for this place. */
  isCounted: boolean;
};

/**
 * Closes gaps for good, so that a feed can pass them: whatever comes for their places later finds them taken and
 * takes others. All of them are closed to messages before any is filled. While one is open, what the room has counted
 * there may still come; when something has come after all, nothing is filled, and the caller must look for the gaps
 * again.
 */
export async function closeGaps(gaps: Gap[]): Promise<void> {
  const areClosed = await Promise.all(gaps.map(closeToMessages));
  if (!areClosed.every(Boolean)) return;
  for (const gap of gaps) await fillGap(gap);
}

/**
 * Fills a gap at which neither a message nor a change will ever be: no feed needs to wait for it. A message that the
 * room has counted there is counted as lost, because taking it from the count would change the ordinals of those
 * after it. The `void` event, which lets readers pass, comes last: a process that dies before leaves a gap that the
 * next reader fills, and the ordinal of a message is counted as lost only once, however often and at whichever place
 * it is found missing.
 */
export async function fillGap({ room, seq, ordinal, at, isCounted }: Gap): Promise<void> {
  if (isCounted && ordinal !== undefined) {
    const lose = { $push: { lost: { $each: [ordinal], $slice: -100 } }, $inc: { lost_count: 1 } };
    await rooms.updateOne({ _id: room, lost: { $ne: ordinal } }, lose);
  }
  await tombstones.updateOne({ room, seq }, { $set: { is_void: true, ...known(ordinal) } }, { upsert: true });
  await insertEvent({ room, seq, ...known(ordinal), type: 'void', at, actor: null, data: {} });
}

/** Closes a place to messages; false when a message, or the note of a change, is there. */
async function closeToMessages({ room, seq }: Gap): Promise<boolean> {
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
