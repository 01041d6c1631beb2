/** Numbers that come again with the same seed. */
export type Random = {
  /** From 0 to below 1. */
  fraction(): number;
  /** A whole number from 0 to below `limit`. */
  below(limit: number): number;
  pick<T>(items: readonly T[]): T;
};

/** A small generator (mulberry32) for tests whose course must be told by one number. */
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

/** The seed of a run: `SEED`, or another one each time. */
export const testSeed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32));
