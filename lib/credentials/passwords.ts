import { config, isOnLambda } from '../settings/config.ts';
import { costOf, hash, normalisePassword, verify } from './bcrypt.ts';
import { computeInThread } from './password-pool.ts';

// A function on Lambda has its one request at a time, and no core for a thread.

/** Hashes a password with bcrypt at the configured cost. */
export async function hashPassword(typed: string): Promise<string> {
  const plain = normalisePassword(typed);
  return isOnLambda
    ? hash(plain, config.bcryptCost)
    : ((await computeInThread({ isNew: true, plain, cost: config.bcryptCost })) as string);
}

/**
 * Whether a password is the one that was hashed; takes as long for no hash (an account that does not exist) as for
 * one that differs.
 */
export async function verifyPassword(typed: string, hashed: string | undefined): Promise<boolean> {
  // Older hashes are of what the keyboard sent that the password was set with.
  for (const plain of new Set([normalisePassword(typed), typed, typed.normalize('NFD')]))
    if (await matches(plain, hashed)) return true;
  return false;
}

const matches = async (plain: string, hashed: string | undefined): Promise<boolean> =>
  isOnLambda
    ? verify(plain, hashed, config.bcryptCost)
    : ((await computeInThread({ isNew: false, plain, hashed, cost: config.bcryptCost })) as boolean);

/** Whether a hash was computed at a lower cost than the configured one. */
export const isCheap = (hashed: string): boolean => costOf(hashed) < config.bcryptCost;
