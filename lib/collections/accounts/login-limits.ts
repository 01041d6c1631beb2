import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * The failed logins of an account from an address, of an account, or from an address. Every attempt
 * takes a slot before its password is checked, and returns it if the password was right. So
 * concurrent attempts never exceed the limit of failures, in any number of processes.
 */
export type LimitDocument = {
  /** The hash of the counted name or address: users sometimes type their password as the name. */
  _id: string;
  attempts: { id: ObjectId; at: Date; is_pending: boolean }[];
  checked_at: Date;
  /**
   * Until when a login from this address counts as the owner's; only for an account and an address.
   */
  known_until?: Date;
  expires_at: Date;
};

export const loginLimitIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The counters of failed logins. */
export const loginLimits = collection<LimitDocument>('login_limits');
