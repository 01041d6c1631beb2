import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * A passkey of an account (WebAuthn): the public key of a pair. The private key never leaves the
 * owner's device.
 */
export type PasskeyDocument = {
  _id: ObjectId;
  user: ObjectId;
  /** The credential id from the authenticator, in base64url. */
  credential: string;
  /** The public key from the authenticator (COSE), in base64url. */
  public_key: string;
  /** The signature counter of the authenticator; 0 if it does not count. */
  counter: number;
  /** How browsers reach the authenticator. */
  transports: string[];
  name: string;
  /** The passkey is invalid if its account's `passkey_generation` is higher. */
  generation: number;
  /** Set if the key has a copy elsewhere, such as in the owner's account at a platform. */
  is_backed_up: boolean;
  created_at: Date;
  last_used_at: Date | null;
};

export const passkeyIndexes: IndexDescription[] = [
  { key: { credential: 1 }, name: 'credential', unique: true },
  { key: { user: 1 }, name: 'user' },
];

/** The passkeys of all accounts. */
export const passkeys = collection<Omit<PasskeyDocument, '_id'>>('passkeys');
