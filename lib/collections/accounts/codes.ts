import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * A one-time code, by which someone shows within an hour to read the e-mail of an address, or within a day to run the
 * service; its 32 characters are stored nowhere.
 */
export type CodeDocument = {
  _id: ObjectId;
  /** SHA-256 of the code, in hexadecimal. */
  hash: string;
  /**
   * The address to the letter: two addresses that compare as equal may have different readers. Empty for a code
   * without an address.
   */
  email: string;
  /** For a new password: whose it will be, in which generation of its sessions; null where the code is good for nothing. */
  account?: { user: ObjectId; generation: number } | null;
  /** For an imported account that nobody has used: good for days. */
  is_for_import?: true;
  /** Whether its link was sent to the address. */
  is_mailed?: true;
  /** For the first administrator. */
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
