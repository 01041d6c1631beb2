import type { Binary, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** The picture of a user or a room, small enough for the database. */
type AvatarDocument = {
  /** The id of the user or the room. */
  _id: ObjectId;
  /**
   * The beginning of the SHA-256 of the bytes. The user or the room stores it too, and shows it.
   */
  version: string;
  type: string;
  bytes: Binary;
};

/** The pictures of all users and rooms. */
export const avatars = collection<AvatarDocument>('avatars');
