import type { Document, Filter, ObjectId, UpdateFilter } from 'mongodb';
import { aCount, described } from '../api/schema.ts';
import { type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { savedByTheNext } from '../database/within-process.ts';

/** The field with the place of a message or an event. */
export const aSeq = described("The place in the room's order of messages and changes. Messages may skip numbers.", aCount);

/** A place in a room's order, and the database's time when it was reserved. */
export type Place = {
  room: ObjectId;
  seq: number;
  /**
   * The number of messages that the room has counted, including this place's if the room counts it.
   */
  ordinal: number;
  at: Date;
};

/** A change of a room: one update with its rule in the filter. */
export type RoomChange = {
  where: Filter<Omit<RoomDocument, '_id'>>;
  update?: UpdateFilter<Omit<RoomDocument, '_id'>> | Document[];
  arrayFilters?: Document[];
  /** Fields of the changed room that are needed besides those of `ChangedRoom`. */
  projection?: Document;
};

/** The fields of the changed room that each change returns. */
export type ChangedRoom = Pick<RoomDocument, '_id' | 'seq' | 'changed_at' | 'message_count' | 'name'>;

/**
 * Changes a room and reserves its next place. For messages it reserves several places in a row; the
 * room counts `counted` of them. Only this update increases a room's `seq`. Returns null if the
 * filter does not match.
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

/** The place that a change has reserved; the last one of several. */
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
