import type { ObjectId } from 'mongodb';
import { database } from '../database/client.ts';
import { notFound, serviceUnavailable } from '../errors.ts';
import { deleteReads } from './read-markers.ts';
import { rooms } from './rooms.ts';

/** How long one request goes on deleting, in milliseconds: well under its deadline. */
export const deletionTime = 6_000;

/**
 * Deletes a room with its messages, events and read markers; 404 when there is none.
 * It is marked first, from then on it is as not there, and goes last: whoever is cut off, or runs out of time (503), deletes it again to go on.
 */
export async function deleteRoom(room: ObjectId, time = Number.POSITIVE_INFINITY): Promise<void> {
  const end = performance.now() + time;
  const nobodys = { members: [], banned: [], is_open: false, is_visible: false };
  const { matchedCount } = await rooms.updateOne({ _id: room }, { $set: nobodys, $currentDate: { deleting_at: true } });
  if (matchedCount === 0) throw notFound('room');

  while (await deleteSome(room)) {
    if (performance.now() > end) throw serviceUnavailable('The room is being deleted: repeat the request to go on.');
  }
  await rooms.deleteOne({ _id: room });
  // A message or an event whose `seq` was taken just before the mark may have been written since.
  await deleteSome(room);
}

type Belonging = { room: ObjectId; seq: number };

const belongings = ['messages', 'events'].map((name) => database.collection<Belonging>(name));

// How many of a kind one command deletes: few enough for the time that a database call may take.
const batch = 5_000;

/** Deletes a batch of each kind; whether there was anything. */
async function deleteSome(room: ObjectId): Promise<boolean> {
  const deleted = await Promise.all([...belongings.map((collection) => deleteBatch(collection, room)), deleteReads(room)]);
  return deleted.some((count) => count > 0);
}

async function deleteBatch(collection: (typeof belongings)[number], room: ObjectId): Promise<number> {
  const last = await collection.findOne({ room }, { projection: { seq: 1 }, sort: { seq: 1 }, skip: batch - 1 });
  const { deletedCount } = await collection.deleteMany(last ? { room, seq: { $lte: last.seq } } : { room });
  return deletedCount;
}
