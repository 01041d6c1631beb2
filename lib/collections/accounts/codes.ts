import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * A one-time code. Its owner proves within an hour that they read e-mail to an address, or within a
 * day that they run the service. Only a hash of its 32 characters is stored.
 */
export type CodeDocument = {
  _id: ObjectId;
  /** SHA-256 of the code, in hexadecimal. */
  hash: string;
  /**
   * The exact address: two addresses with the same `emailKey` may have different readers. Empty for
   * a code without an address.
   */
  email: string;
  /**
   * The account whose password it sets, and its session generation; null if the code is useless.
   */
  account?: { user: ObjectId; generation: number } | null;
  /** For an imported account that nobody has used; valid for days. */
  is_for_import?: true;
  /** Set if its link was sent to the address. */
  is_mailed?: true;
  /** Creates the first administrator. */
  is_for_setup?: true;
  expires_at: Date;
};

export const codeIndexes: IndexDescription[] = [
  { key: { hash: 1 }, name: 'hash', unique: true },
  { key: { 'account.user': 1 }, name: 'user', sparse: true },
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The codes that are not used yet. */
export const codes = collection<Omit<CodeDocument, '_id'>>('codes');
