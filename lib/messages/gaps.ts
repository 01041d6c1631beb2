import { messages, tombstones } from '../collections/rooms/messages.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { insertEvent } from '../rooms/event-log.ts';
import type { Place } from '../rooms/sequence.ts';

/** A reserved place without a message or event, at least so far. */
export type Gap = Omit<Place, 'ordinal'> & {
  /** The number of messages that the room had counted up to this place, if known. */
  ordinal: number | undefined;
  /** True if the room has counted a message at this place. */
  isCounted: boolean;
};

/**
 * Closes gaps for good, so that a feed can pass them. A late write for a closed place fails and
 * reserves another place. All gaps are closed to messages before any is filled. While one is open,
 * its message may still arrive. If a message or change has arrived after all, nothing is filled,
 * and the caller must look for the gaps again.
 */
export async function closeGaps(gaps: Gap[]): Promise<void> {
  const areClosed = await Promise.all(gaps.map(closeToMessages));
  if (!areClosed.every(Boolean)) return;
  for (const gap of gaps) await fillGap(gap);
}

/**
 * Fills a gap that will never get a message or a change, so that feeds need not wait for it. If the
 * room has counted a message there, the message is counted as lost. Subtracting it from the count
 * would change the ordinals of later messages.
 *
 * The `void` event, which lets readers pass, is stored last. If the process dies before, the next
 * reader fills the gap again. A message's ordinal is counted as lost only once, at whichever places
 * and however often it is missed.
 */
export async function fillGap({ room, seq, ordinal, at, isCounted }: Gap): Promise<void> {
  if (isCounted && ordinal !== undefined) {
    const lose = { $push: { lost: { $each: [ordinal], $slice: -100 } }, $inc: { lost_count: 1 } };
    await rooms.updateOne({ _id: room, lost: { $ne: ordinal } }, lose);
  }
  await tombstones.updateOne({ room, seq }, { $set: { is_void: true, ...known(ordinal) } }, { upsert: true });
  await insertEvent({ room, seq, ...known(ordinal), type: 'void', at, actor: null, data: {} });
}

/** Closes a place to messages. Returns false if a message, or a note of a change, exists there. */
async function closeToMessages({ room, seq }: Gap): Promise<boolean> {
  try {
    await tombstones.insertOne({ room, seq, is_void: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    if ((await tombstones.countDocuments({ room, seq, is_void: true }, { limit: 1 })) === 0) return false;
  }
  // A process may have changed a message and died. Then the change is stored, and its event must be
  // recorded.
  const late = await messages.findOne({ room, 'changed.seq': seq }, { projection: { changed: 1 } });
  if (late?.changed) await insertEvent({ room, ...late.changed, data: { message: late._id } });
  return !late;
}

const known = (ordinal: number | undefined) => (ordinal === undefined ? {} : { ordinal });
