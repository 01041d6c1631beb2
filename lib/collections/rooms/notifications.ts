import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** For how many days notifications are kept and listed. */
export const notificationDays = 90;

/**
 * A notification that is not a message: a reaction to the user's message, or an addition of the
 * user to a room. There is one per message (of the last reaction) and one per room. Mentions and
 * replies are not stored here: they are found by the indexes of messages and threads.
 */
export type NotificationDocument = {
  /** `of` is the id of the message or the room. */
  _id: { user: ObjectId; of: ObjectId };
  kind: 'reaction' | 'added';
  room: ObjectId;
  /** The `seq` of the message, or of the addition. */
  seq: number;
  /** The user who reacted, or who added the user. */
  actor: ObjectId;
  at: Date;
};

export const notificationIndexes: IndexDescription[] = [
  { key: { '_id.user': 1, at: -1, room: -1, seq: -1 }, name: '_id.user, at' },
  { key: { room: 1 }, name: 'room' },
  { key: { at: 1 }, name: 'at', expireAfterSeconds: notificationDays * 86_400 },
];

/** The notifications of all users that are not messages. */
export const notifications = collection<NotificationDocument>('notifications');

/** The end of what a user has read in the list of notifications. `_id` is that of the user. */
type NotificationMarkerDocument = { _id: ObjectId; read_until: Date };

/** How far all users have read their lists of notifications. */
export const notificationMarkers = collection<NotificationMarkerDocument>('notification_markers');
