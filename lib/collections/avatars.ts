import type { Binary, ObjectId } from 'mongodb';
import { collection } from '../database/bounded.ts';

/** The picture of a user: small enough to be beside what else is known of them. */
export type AvatarDocument = {
  /** The account. */
  _id: ObjectId;
  /** The beginning of the SHA-256 of the bytes; the account has it as well, and shows it with the name. */
  version: string;
  type: string;
  bytes: Binary;
};

/** The pictures of all users. */
export const avatars = collection<AvatarDocument>('avatars');
