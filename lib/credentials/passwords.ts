import { config, isOnLambda } from '../settings/config.ts';
import { costOf, hash, normalisePassword, verify } from './bcrypt.ts';
import { computeInThread } from './password-pool.ts';

// A Lambda function handles one request at a time, and lacks a core for a thread.

/** Hashes a password with bcrypt at the configured cost. */
export async function hashPassword(typed: string): Promise<string> {
  const plain = normalisePassword(typed);
  return isOnLambda
    ? hash(plain, config.bcryptCost)
    : ((await computeInThread({ isNew: true, plain, cost: config.bcryptCost })) as string);
}

/**
 * Returns true if a password matches a hash. Without a hash (the account does not exist) it takes
 * as long as with a wrong password.
 */
export async function verifyPassword(typed: string, hashed: string | undefined): Promise<boolean> {
  // Earlier versions hashed the password in the encoding of the keyboard.
  for (const plain of new Set([normalisePassword(typed), typed, typed.normalize('NFD')]))
    if (await matches(plain, hashed)) return true;
  return false;
}

const matches = async (plain: string, hashed: string | undefined): Promise<boolean> =>
  isOnLambda
    ? verify(plain, hashed, config.bcryptCost)
    : ((await computeInThread({ isNew: false, plain, hashed, cost: config.bcryptCost })) as boolean);

/** Returns true if a hash has a lower cost than configured. */
export const isCheap = (hashed: string): boolean => costOf(hashed) < config.bcryptCost;
