import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A message that a user has saved. */
export type SavedDocument = {
  _id: { user: ObjectId; message: ObjectId };
  /** The room of the message; saved messages are deleted with it. */
  room: ObjectId;
  saved_at: Date;
  /** When to remind the user. It stays until they look at the message. */
  remind_at?: Date;
  /** When to notify the user's devices of the reminder; absent afterwards. */
  tell_at?: Date;
};

export const savedIndexes: IndexDescription[] = [
  { key: { '_id.user': 1, saved_at: 1, '_id.message': 1 }, name: '_id.user, saved_at' },
  { key: { '_id.user': 1, remind_at: 1, '_id.message': 1 }, name: '_id.user, remind_at' },
  { key: { tell_at: 1 }, name: 'tell_at', sparse: true },
  { key: { '_id.message': 1 }, name: '_id.message' },
  { key: { room: 1 }, name: 'room' },
];

/** The saved messages of all users. */
export const saved = collection<SavedDocument>('saved');
