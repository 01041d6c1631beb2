import type { IndexDescription } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * How much of its rate an account has used: the one number of the generic cell rate algorithm (GCRA), and what the
 * last step found.
 */
export type RateDocument = {
  /** The account's id, in hexadecimal. */
  _id: string;
  /** When all of its burst is free again. */
  free_at: Date;
  /** When that was written, by the database's clock, and whether what was asked for was granted. */
  checked_at: Date;
  is_granted: boolean;
  expires_at: Date;
};

export const rateLimitIndexes: IndexDescription[] = [{ key: { expires_at: 1 }, name: 'expires_at', expireAfterSeconds: 0 }];

/** The rates of all accounts that have changed something lately. */
export const rateLimits = collection<RateDocument>('rate_limits');
