import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * The failed logins of one account from one address, of one account, or of one address. Every attempt takes a slot
 * before its password is checked, and returns it if the password was right. So the attempts that run never exceed the
 * number that may fail, however many processes are asked concurrently.
 */
export type LimitDocument = {
  /** The hash of the thing that is counted: people now and then type their password for a name. */
  _id: string;
  attempts: { id: ObjectId; at: Date; is_pending: boolean }[];
  checked_at: Date;
  /** Of an account and an address: until when a login from there counts as the owner's. */
  known_until?: Date;
  expires_at: Date;
};

export const loginLimitIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The counters of failed logins. */
export const loginLimits = collection<LimitDocument>('login_limits');
