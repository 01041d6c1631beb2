import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * The used part of an account's rate: the one number of the generic cell rate algorithm (GCRA), and
 * the outcome of its last step.
 */
export type RateDocument = {
  /** An account's id in hexadecimal. `webhooks of` and an id: the webhooks that a user created. */
  _id: string;
  /** When its whole burst is available again. */
  free_at: Date;
  /** The time of the last step, by the database's clock, and its outcome. */
  checked_at: Date;
  is_granted: boolean;
  expires_at: Date;
};

export const rateLimitIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The rates of all accounts with recent changes. */
export const rateLimits = collection<RateDocument>('rate_limits');
