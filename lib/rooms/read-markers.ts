import type { ObjectId } from 'mongodb';
import { messages } from '../collections/messages.ts';
import { type ReadMarkerDocument, readMarkers } from '../collections/read-markers.ts';
import { retryContended } from '../database/writes.ts';

/** How far someone has read in a room. */
export type ReadMarker = Pick<ReadMarkerDocument, 'seq' | 'ordinal'>;

/** The marker of someone who has read nothing. */
export const nothingRead: ReadMarker = { seq: 0, ordinal: 0 };

/** How far a user has read in a room. */
export async function findReadMarker(room: ObjectId, user: ObjectId): Promise<ReadMarker> {
  return (await readMarkers.findOne({ _id: { room, user } })) ?? nothingRead;
}

/** How far a user has read in each of these rooms, by their ids in hexadecimal; rooms without a marker are left out. */
export async function findReadMarkers(rooms: ObjectId[], user: ObjectId): Promise<Map<string, ReadMarker>> {
  const found = await readMarkers
    .find({ _id: { $in: rooms.map((room) => ({ room, user })) } }, { batchSize: rooms.length + 1 })
    .toArray();
  return new Map(found.map((marker) => [marker._id.room.toHexString(), marker]));
}

/** Moves a user's marker forwards to a `seq`, up to which there are `ordinal` messages; never backwards. Returns where it is then. */
export async function moveReadMarker(room: ObjectId, user: ObjectId, seq: number, ordinal: number): Promise<ReadMarker> {
  // Of two first markers at the same time one finds that the other exists.
  const marker = await retryContended(() =>
    readMarkers.findOneAndUpdate({ _id: { room, user } }, { $max: { seq, ordinal } }, { upsert: true, returnDocument: 'after' }),
  );
  return marker ?? { seq, ordinal };
}

/** How many messages a room has up to a `seq`, which may be that of an event. */
export async function countUpTo(room: ObjectId, seq: number): Promise<number> {
  const options = { projection: { ordinal: 1 }, sort: { seq: -1 as const } };
  // Tombstones may have an ordinal, too.
  return (await messages.unscoped.findOne({ room, seq: { $lte: seq }, ordinal: { $gt: 0 } }, options))?.ordinal ?? 0;
}
