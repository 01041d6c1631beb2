import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** What a room can be chosen to tell of: all messages, or those that mention one and what answers them. */
export const roomNews = ['all', 'mentions'] as const;
export type RoomNews = (typeof roomNews)[number];

/**
 * The reading of one user in one room, and the news that the user wants of it. Away from the room, which every
 * message writes.
 */
export type ReadMarkerDocument = {
  _id: { room: ObjectId; user: ObjectId };
  /** Up to which place the user has read, and how many messages that was; absent while that is nothing. */
  seq?: number;
  ordinal?: number;
  /** The last place at which a message may mention the user: only where it is after `seq` mentions need counting. */
  mentioned?: number;
  /** Only there, and true, while the user wants to hear nothing of the room. */
  is_muted?: true;
  /** Of which messages of the room the user wants to be told, on every device; absent where each device decides. */
  notify_of?: RoomNews;
  /** Only there, and true, while the user wants the room at the top of the list. */
  is_favourite?: true;
  /** Where a favourite stands among the others, if the user has put it somewhere. */
  favourite_order?: number;
};

export const readMarkerIndexes: IndexDescription[] = [
  { key: { '_id.room': 1 }, name: '_id.room' },
  { key: { '_id.user': 1 }, name: '_id.user' },
];

/** The read markers of all members. */
export const readMarkers = collection<ReadMarkerDocument>('reads');
