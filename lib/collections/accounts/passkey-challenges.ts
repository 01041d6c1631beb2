import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** What an authenticator is to sign, once and within five minutes: for a new passkey of an account, or to sign in. */
type PasskeyChallengeDocument = {
  /** The SHA-256 of the challenge, in hexadecimal. */
  _id: string;
  /** The account that gets a passkey, in which generation of its passkeys; absent for a sign-in, which names no account. */
  account?: { user: ObjectId; generation: number };
  expires_at: Date;
};

export const passkeyChallengeIndexes: IndexDescription[] = [
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The challenges that are not answered yet. */
export const passkeyChallenges = collection<PasskeyChallengeDocument>('passkey_challenges');
