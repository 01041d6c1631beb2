import bcrypt from 'bcryptjs';

/*
 * The computations with passwords. Each call holds up its thread for as long as a hash takes, a quarter of a second
 * at a cost of 12: a server calls these functions in threads of their own (`password-pool.ts`).
 */

/** A password as it is hashed: keyboards differ in how they encode an accent. */
export const normalisePassword = (plain: string): string => plain.normalize('NFC');

/** Hashes a password at a cost. */
export const hash = (plain: string, cost: number): string => bcrypt.hashSync(plain, cost);

/**
 * Whether a password is the one that was hashed. A wrong password takes the same time whatever it is compared with:
 * nothing at all (an account that does not exist), a hash of the given cost, or one that was computed when the cost
 * was lower.
 */
export function verify(plain: string, hashed: string | undefined, cost: number): boolean {
  const matches = bcrypt.compareSync(plain, hashed ?? hashOfNothing(cost));
  // bcrypt sees 72 bytes: a longer password must not pass for the one that ends there.
  if (matches && hashed !== undefined && !bcrypt.truncates(plain)) return true;
  // Each step of the cost doubles the time: 2^c and then 2^c + ... + 2^(n-1) make 2^n.
  for (let lower = hashed === undefined ? cost : costOf(hashed); lower < cost; lower++)
    bcrypt.compareSync(plain, hashOfNothing(lower));
  return false;
}

/** The cost of a hash. */
export const costOf = (hashed: string): number => bcrypt.getRounds(hashed);

// A salt and a hash of zeroes, at a given cost: no password is known to have it.
const hashOfNothing = (cost: number) => `$2b$${String(cost).padStart(2, '0')}$${'.'.repeat(53)}`;
