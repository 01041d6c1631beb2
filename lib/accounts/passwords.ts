import bcrypt from 'bcryptjs';
import { config } from '../config.ts';

/** Hashes a password with bcrypt at the configured cost. */
export const hashPassword = (plain: string): Promise<string> => bcrypt.hash(plain, config.bcryptCost);

/**
 * Whether a password is the one that was hashed. A wrong password takes the same time whatever it is compared with: nothing at all (an
 * account that does not exist), a hash of the configured cost, or one that was computed when the cost was lower.
 */
export async function verifyPassword(plain: string, hash: string | undefined): Promise<boolean> {
  const matches = await bcrypt.compare(plain, hash ?? hashOfNothing(config.bcryptCost));
  // bcrypt sees 72 bytes: a longer password must not pass for the one that ends there.
  if (matches && hash !== undefined && !bcrypt.truncates(plain)) return true;
  // Each step of the cost doubles the time: 2^c and then 2^c + ... + 2^(n-1) make 2^n.
  for (let cost = costOf(hash); cost < config.bcryptCost; cost++) await bcrypt.compare(plain, hashOfNothing(cost));
  return false;
}

/** Whether a hash was computed at a lower cost than the configured one. */
export const isCheap = (hash: string): boolean => costOf(hash) < config.bcryptCost;

const costOf = (hash: string | undefined) => (hash === undefined ? config.bcryptCost : bcrypt.getRounds(hash));

// A salt and a hash of zeroes, at a given cost: no password is known to have it.
const hashOfNothing = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
