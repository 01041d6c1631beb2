import type { Binary, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** The picture of a user or a room: small enough to be beside what else is known of it. */
type AvatarDocument = {
  /** The account, or the room. */
  _id: ObjectId;
  /** The beginning of the SHA-256 of the bytes; its owner has it as well, and is shown with it. */
  version: string;
  type: string;
  bytes: Binary;
};

/** The pictures of all users and rooms. */
export const avatars = collection<AvatarDocument>('avatars');
