import { config, isOnLambda } from '../config.ts';
import { costOf, hash, verify } from './bcrypt.ts';
import { computeInThread } from './password-pool.ts';

// A function on Lambda has its one request at a time, and no core for a thread.

/** Hashes a password with bcrypt at the configured cost. */
export const hashPassword = async (plain: string): Promise<string> =>
  isOnLambda
    ? hash(plain, config.bcryptCost)
    : ((await computeInThread({ isNew: true, plain, cost: config.bcryptCost })) as string);

/** Whether a password is the one that was hashed; takes as long for no hash (an account that does not exist) as for one that differs. */
export const verifyPassword = async (plain: string, hashed: string | undefined): Promise<boolean> =>
  isOnLambda
    ? verify(plain, hashed, config.bcryptCost)
    : ((await computeInThread({ isNew: false, plain, hashed, cost: config.bcryptCost })) as boolean);

/** Whether a hash was computed at a lower cost than the configured one. */
export const isCheap = (hashed: string): boolean => costOf(hashed) < config.bcryptCost;
