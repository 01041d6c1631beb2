import type { Document, Filter, ObjectId, UpdateFilter } from 'mongodb';
import { aCount, described } from '../api/schema.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { savedByTheNext } from '../database/within-process.ts';

/** The field by which things show their place. */
export const aSeq = described("The place in the room's order of messages and changes. Messages may skip numbers.", aCount);

/** A place in a room's order, and the database's time when it was taken. */
export type Place = {
  room: ObjectId;
  seq: number;
  /** How many messages the room had counted then, this place's included if the room counts it. */
  ordinal: number;
  at: Date;
};

/** A change of a room: one update, whose filter holds the rule. */
export type RoomChange = {
  where: Filter<Omit<RoomDocument, '_id'>>;
  update?: UpdateFilter<Omit<RoomDocument, '_id'>> | Document[];
  arrayFilters?: Document[];
  /** The fields of the changed room that are wanted in addition to those of `ChangedRoom`. */
  projection?: Document;
};

/** The fields that every change returns of the room as it is afterwards. */
export type ChangedRoom = Pick<RoomDocument, '_id' | 'seq' | 'changed_at' | 'message_count' | 'name'>;

/**
 * Changes a room and takes its next place for that, or so many places in a row for messages, of which the room counts
 * `counted`: the one update by which a room's `seq` grows. Null when no room matches the filter.
 */
export async function takePlace<Wanted extends object = object>(
  { where, update = {}, arrayFilters, projection }: RoomChange,
  messages = 0,
  counted = messages,
): Promise<(ChangedRoom & Wanted) | null> {
  return rooms.findOneAndUpdate<ChangedRoom & Wanted>(where, takingPlace(update, messages, counted), {
    returnDocument: 'after',
    ...(messages > 0 && savedByTheNext()),
    projection: { seq: 1, changed_at: 1, message_count: 1, name: 1, ...projection },
    ...(arrayFilters && { arrayFilters }),
  });
}

/** The place that a change has taken; of several, the last. */
export const placeOf = ({ _id: room, seq, message_count: ordinal, changed_at: at }: ChangedRoom): Place => ({
  room,
  seq,
  ordinal,
  at,
});

function takingPlace(update: NonNullable<RoomChange['update']>, messages: number, counted: number) {
  if (Array.isArray(update)) return [...update, { $set: { seq: { $add: ['$seq', 1] }, changed_at: '$$NOW' } }];
  if (messages === 0) return { ...update, $inc: { seq: 1 }, $currentDate: { changed_at: true } as const };
  return {
    ...update,
    $inc: { seq: messages, message_count: counted },
    $currentDate: { changed_at: true, last_message_at: true } as const,
  };
}
