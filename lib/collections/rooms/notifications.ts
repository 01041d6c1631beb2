import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** For how many days the list of notifications goes back. */
export const notificationDays = 90;

/**
 * A notification that no message is: someone has reacted to a message of the user, or has added the user to a room.
 * There is one for each message, of the last reaction, and for each room. Mentions and replies are found by the
 * indexes of messages and threads: a send writes nothing here.
 */
export type NotificationDocument = {
  /** `of` is the message, or the room. */
  _id: { user: ObjectId; of: ObjectId };
  kind: 'reaction' | 'added';
  room: ObjectId;
  /** The place of the message, or of the addition. */
  seq: number;
  /** Who has reacted, or added the user. */
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

/** Up to when a user has read the list of notifications, by the user's `_id`. */
type NotificationMarkerDocument = { _id: ObjectId; read_until: Date };

/** The places in the lists of notifications up to which all users have read. */
export const notificationMarkers = collection<NotificationMarkerDocument>('notification_markers');
