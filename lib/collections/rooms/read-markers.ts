import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * The messages of a room to notify about: all, or only mentions of the user and replies to them.
 */
export const roomNews = ['all', 'mentions'] as const;
export type RoomNews = (typeof roomNews)[number];

/**
 * How far a user has read a room, and their settings for it. It is not part of the room's document,
 * which every message changes.
 */
export type ReadMarkerDocument = {
  _id: { room: ObjectId; user: ObjectId };
  /**
   * The last message that the user has read, and the number of messages up to it. Absent if they
   * have read nothing.
   */
  seq?: number;
  ordinal?: number;
  /**
   * The last `seq` that may mention the user. Mentions need counting only if it is greater than
   * `seq`.
   */
  mentioned?: number;
  /** Set while the user has muted the room. */
  is_muted?: true;
  /** The messages to notify about, on every device; absent if each device decides. */
  notify_of?: RoomNews;
  /** Set while the room is a favourite, at the top of the user's list. */
  is_favourite?: true;
  /** The position among the favourites, if the user has moved it. */
  favourite_order?: number;
};

export const readMarkerIndexes: IndexDescription[] = [
  { key: { '_id.room': 1 }, name: '_id.room' },
  { key: { '_id.user': 1 }, name: '_id.user' },
];

/** The read markers of all members. */
export const readMarkers = collection<ReadMarkerDocument>('reads');
