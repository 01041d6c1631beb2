import type { Rated } from './write-rate.ts';

/*
 * Whose the last tokens were. A hint, from which nothing is answered: it lets what depends on the account begin while the token is looked up.
 */
const known = new Map<string, Rated>();
const mostKnown = 10_000;

/** Whose a token was when it was last used here, by its hash. */
export const recall = (hash: string): Rated | undefined => known.get(hash);

export function remember(hash: string, { _id, writes_per_second }: Rated): void {
  known.delete(hash);
  known.set(hash, { _id, ...(writes_per_second !== undefined && { writes_per_second }) });
  for (const oldest of known.keys()) {
    if (known.size <= mostKnown) break;
    known.delete(oldest);
  }
}

export const forget = (hash: string): boolean => known.delete(hash);
