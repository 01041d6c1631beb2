import type { Document, Filter, ObjectId, UpdateFilter } from 'mongodb';
import { conflict } from '../errors.ts';
import { type EventType, recordEvent } from './event-log.ts';
import { isThere, type RoomDocument, rooms } from './rooms.ts';

/** A change of a room: one update, whose filter holds the rule. */
export type RoomChange = {
  where: Filter<Omit<RoomDocument, '_id'>>;
  update: UpdateFilter<Omit<RoomDocument, '_id'>> | Document[];
  arrayFilters?: Document[];
  /** Which fields of the changed room are wanted beside those of `ChangedRoom`. */
  projection?: Document;
};

/** What every change gives back. */
export type ChangedRoom = Pick<RoomDocument, '_id' | 'seq' | 'changed_at' | 'message_count' | 'name'>;

/**
 * Changes a room and takes a `seq` for it. When the rule does not hold, `refuse` finds out by a read why and throws what is due.
 * If it finds nothing, the room became such that the rule holds after the update had missed it: then it is tried again.
 */
export async function changeRoom<Wanted extends object = object>(
  change: RoomChange,
  refuse: () => Promise<unknown>,
): Promise<ChangedRoom & Wanted> {
  for (let attempt = 0; attempt < mostAttempts; attempt++) {
    const room = await tryToChangeRoom<Wanted>(change);
    if (room) return room;
    await refuse();
  }
  throw conflict('The room keeps changing: please try again.');
}

/** Changes a room and takes a `seq` for it; null when the rule does not hold. */
export async function tryToChangeRoom<Wanted extends object = object>({
  where,
  update,
  arrayFilters,
  projection,
}: RoomChange): Promise<(ChangedRoom & Wanted) | null> {
  const options = {
    returnDocument: 'after' as const,
    projection: { seq: 1, changed_at: 1, message_count: 1, name: 1, ...projection },
    ...(arrayFilters && { arrayFilters }),
  };
  const room = await rooms.findOneAndUpdate({ $and: [isThere, where] }, takingSeq(update), options);
  return room as unknown as (ChangedRoom & Wanted) | null;
}

/** Records what the change was, at the `seq` and the time that it took. */
export const recordChange = (
  { _id: room, seq, message_count: ordinal, changed_at: at }: ChangedRoom,
  actor: ObjectId | null,
  type: EventType,
  data: Record<string, unknown> = {},
): Promise<void> => recordEvent({ room, seq, ordinal, type, at, actor, data });

// Each attempt needs someone else's change to come just between the update and the read.
const mostAttempts = 10;

const takingSeq = (update: RoomChange['update']) =>
  Array.isArray(update)
    ? [...update, { $set: { seq: { $add: ['$seq', 1] }, changed_at: '$$NOW' } }]
    : { ...update, $inc: { seq: 1 }, $currentDate: { changed_at: true } as const };
