/** Random numbers that a seed reproduces. */
export type Random = {
  /** A number in [0, 1). */
  fraction(): number;
  /** An integer in [0, `limit`). */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
};

/** A small generator (mulberry32) for tests that a seed must reproduce. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const fraction = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let bits = Math.imul(state ^ (state >>> 15), state | 1);
    bits ^= bits + Math.imul(bits ^ (bits >>> 7), bits | 61);
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(fraction() * limit);
  return { fraction, below, pick: (items) => items[below(items.length)] as (typeof items)[number] };
}

/**
 * The seed of all random tests. It is fixed, so that a change fails only for its own faults. The
 * nightly tests set a new `SEED` for each run.
 */
export const testSeed = Number(process.env.SEED ?? 1);
