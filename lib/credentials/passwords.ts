import { config, isOnLambda } from '../settings/config.ts';
import { costOf, hash, normalisePassword, verify } from './bcrypt.ts';
import { withPasswordThread } from './password-pool.ts';

// A Lambda function handles one request at a time, and lacks a core for a thread.

/** Hashes a password with bcrypt at the configured cost. */
export async function hashPassword(typed: string): Promise<string> {
  const plain = normalisePassword(typed);
  return isOnLambda
    ? hash(plain, config.bcryptCost)
    : ((await withPasswordThread((compute) => compute({ isNew: true, plain, cost: config.bcryptCost }))) as string);
}

/**
 * Returns true if a password matches a hash. Without a hash (the account does not exist) it takes
 * as long as with a wrong password.
 */
export async function verifyPassword(typed: string, hashed: string | undefined): Promise<boolean> {
  const cost = config.bcryptCost;
  const check = async (matches: (plain: string) => unknown): Promise<boolean> => {
    // Earlier versions hashed the password in the encoding of the keyboard.
    for (const plain of new Set([normalisePassword(typed), typed, typed.normalize('NFD')])) if (await matches(plain)) return true;
    return false;
  };
  if (isOnLambda) return check((plain) => verify(plain, hashed, cost));
  // In one turn: if the thread were lost in between, a wrong guess would not be counted.
  return withPasswordThread((compute) => check((plain) => compute({ isNew: false, plain, hashed, cost })));
}

/** Returns true if a hash has a lower cost than configured. */
export const isCheap = (hashed: string): boolean => costOf(hashed) < config.bcryptCost;
