import { Recent } from '../recent.ts';
import type { Rated } from './write-rate.ts';

/*
 * Whose the last tokens were. A hint, from which nothing is answered: it lets what depends on the account begin while the token is looked up.
 */
const known = new Recent<Rated>(10_000);

/** Whose a token was when it was last used here, by its hash. */
export const recall = (hash: string): Rated | undefined => known.get(hash);

export function remember(hash: string, { _id, writes_per_second }: Rated): void {
  known.set(hash, { _id, ...(writes_per_second !== undefined && { writes_per_second }) });
}

export const forget = (hash: string): void => known.delete(hash);
