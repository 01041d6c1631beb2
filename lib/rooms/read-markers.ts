import type { IndexDescription, ObjectId } from 'mongodb';
import { database, isDuplicateKey } from '../database/client.ts';

/** How far a member has read in a room: up to which `seq`, and how many messages that was. Away from the room, which is written with every message. */
export type ReadDocument = { _id: { room: ObjectId; user: ObjectId }; seq: number; ordinal: number };

export const readIndexes: IndexDescription[] = [{ key: { '_id.room': 1 }, name: '_id.room' }];

/** The marker of who has read nothing. */
export const nothingRead = { seq: 0, ordinal: 0 };

const reads = database.collection<ReadDocument>('reads');
const messages = database.collection<{ room: ObjectId; seq: number; ordinal: number }>('messages');

/** How far a user has read in a room. */
export async function findRead(room: ObjectId, user: ObjectId): Promise<Pick<ReadDocument, 'seq' | 'ordinal'>> {
  return (await reads.findOne({ _id: { room, user } })) ?? nothingRead;
}

/** How far a user has read in each of these rooms, by their ids in hexadecimal; those without a marker are left out. */
export async function findReads(rooms: ObjectId[], user: ObjectId): Promise<Map<string, ReadDocument>> {
  const found = await reads
    .find({ _id: { $in: rooms.map((room) => ({ room, user })) } }, { batchSize: rooms.length + 1 })
    .toArray();
  return new Map(found.map((read) => [read._id.room.toHexString(), read]));
}

/** Moves a user's marker forwards to a `seq`, up to which there are `ordinal` messages; never backwards. Returns where it is now. */
export async function markRead(room: ObjectId, user: ObjectId, seq: number, ordinal: number): Promise<ReadDocument> {
  const move = () =>
    reads.findOneAndUpdate({ _id: { room, user } }, { $max: { seq, ordinal } }, { upsert: true, returnDocument: 'after' });
  // Of two first markers at once one finds that the other is there.
  const marker = await move().catch((error) => (isDuplicateKey(error) ? move() : Promise.reject(error)));
  return marker ?? { _id: { room, user }, seq, ordinal };
}

/** How many messages a room has up to a `seq`, which may be that of an event. */
export async function countUpTo(room: ObjectId, seq: number): Promise<number> {
  const options = { projection: { ordinal: 1 }, sort: { seq: -1 as const } };
  return (await messages.findOne({ room, seq: { $lte: seq }, ordinal: { $gt: 0 } }, options))?.ordinal ?? 0;
}

/** Deletes all markers in a room; returns how many there were. */
export async function deleteReads(room: ObjectId): Promise<number> {
  return (await reads.deleteMany({ '_id.room': room })).deletedCount;
}
