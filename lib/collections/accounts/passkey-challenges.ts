import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * A challenge for an authenticator to sign, once and within five minutes: to add a passkey, or to
 * sign in.
 */
type PasskeyChallengeDocument = {
  /** The SHA-256 of the challenge, in hexadecimal. */
  _id: string;
  /**
   * The account that gets a passkey, and its passkey generation. Absent for a sign-in, which names
   * no account.
   */
  account?: { user: ObjectId; generation: number };
  expires_at: Date;
};

export const passkeyChallengeIndexes: IndexDescription[] = [
  { key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 },
];

/** The challenges that are not answered yet. */
export const passkeyChallenges = collection<PasskeyChallengeDocument>('passkey_challenges');
