import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A passkey of an account (WebAuthn): the public half of a key pair whose other half never leaves its owner's device. */
export type PasskeyDocument = {
  _id: ObjectId;
  user: ObjectId;
  /** The id that the authenticator has given to the credential, in base64url. */
  credential: string;
  /** The public key as the authenticator has sent it (COSE), in base64url. */
  public_key: string;
  /** How often the authenticator says that it has signed; 0 for one that does not count. */
  counter: number;
  /** The ways in which browsers reach the authenticator. */
  transports: string[];
  name: string;
  /** The passkey has ended if its account's `passkey_generation` is higher. */
  generation: number;
  /** Whether the key is in more than one place, such as the account at a platform. */
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
