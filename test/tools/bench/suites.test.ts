import { describe, expect, inject, it } from 'vitest';
import type { Bench, Suite } from '../../../tools/bench/figure.ts';
import { growth } from '../../../tools/bench/growth.ts';
import { plotOf } from '../../../tools/bench/plot.ts';
import { roundTrips } from '../../../tools/bench/round-trips.ts';
import { warm } from '../../../tools/bench/warm.ts';

// As it is started: without a database, it brings its own.
if (inject('isEmbedded')) delete process.env.MONGODB_URI;

const tiny: Bench = { messages: 60, rooms: 120, repeats: 3, starts: 1, seconds: 1, rounds: 1, progress: () => {} };

describe('npm run bench', () => {
  it.each<[string, Suite, number]>([
    ['warm', warm, 27],
    ['growth', growth, 12],
  ])('%s runs on a tiny dataset', async (_name, suite, count) => {
    const figures = await suite(tiny);
    expect(figures).toHaveLength(count);
    for (const { name, value, reference = 1 } of figures) {
      expect([name, Number.isFinite(value), reference > 0]).toEqual([name, true, true]);
    }
  });

  it('plots how times grow', () => {
    const series = [
      { size: 10, value: 4 },
      { size: 1000, value: 6 },
    ];
    const plot = plotOf([{ name: 'a page: 1000 rooms / 10', unit: 'ms', value: 6, reference: 4, series }]);
    expect(plot).toMatch(/<svg .*>1 000<.*>rooms<.*>a page<.*<\/svg>/s);
  });

  it('finds that requests make no more round trips than they need', async () => {
    const found = Object.fromEntries((await roundTrips(tiny)).map(({ name, value }) => [name, value]));
    expect(found).toMatchObject({
      "a 401 for what can't be a token: round trips": 0,
      'a message: for the token with its user': 1,
      'a message: sequential after that': 2,
      'a list of rooms: sequential after that': 1,
      'a page of 50 messages: sequential after that': 1,
    });
  });
});
