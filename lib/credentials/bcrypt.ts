import bcrypt from 'bcryptjs';

/*
 * The computations with passwords. Each call blocks its thread for the time of a hash: 250 ms at a
 * cost of 12. So a server calls these functions in separate threads (`password-pool.ts`).
 */

/** A password in NFC: keyboards differ in how they encode an accent. */
export const normalisePassword = (plain: string): string => plain.normalize('NFC');

/** Hashes a password with a bcrypt cost. */
export const hash = (plain: string, cost: number): string => bcrypt.hashSync(plain, cost);

/**
 * Returns true if a password matches a hash. A wrong password always takes the same time: without a
 * hash (no such account), with a current hash, or with one of a lower cost.
 */
export function verify(plain: string, hashed: string | undefined, cost: number): boolean {
  const matches = bcrypt.compareSync(plain, hashed ?? hashOfNothing(cost));
  // bcrypt uses only 72 bytes: a longer password must not match its own beginning.
  if (matches && hashed !== undefined && !bcrypt.truncates(plain)) return true;
  // Each step of the cost doubles the time: 2^c and then 2^c + ... + 2^(n-1) add up to 2^n.
  for (let lower = hashed === undefined ? cost : costOf(hashed); lower < cost; lower++)
    bcrypt.compareSync(plain, hashOfNothing(lower));
  return false;
}

/** The cost of a hash. */
export const costOf = (hashed: string): number => bcrypt.getRounds(hashed);

// A salt and a hash of zeroes at a given cost. No known password matches it.
const hashOfNothing = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
