import { describe, expect, it } from 'vitest';
import type { Bench } from '../../../tools/bench/figure.ts';
import { growth } from '../../../tools/bench/growth.ts';
import { load, withYardstick } from '../../../tools/bench/load.ts';
import { isEmbedded } from '../../support/worker.ts';

// As it is started: without a database, it brings its own.
if (isEmbedded) delete process.env.MONGODB_URI;

const tiny: Bench = { messages: 60, rooms: 120, repeats: 3, seconds: 1, rounds: 1, progress: () => {} };

describe('npm run bench', () => {
  it('npm run bench -- growth runs on a tiny dataset', async () => {
    const figures = await growth(tiny);
    expect(figures).toHaveLength(12);
    for (const { name, value, reference = 0 } of figures) {
      expect([name, Number.isFinite(value), reference > 0]).toEqual([name, true, true]);
    }
  });

  it.each([1, 16])(
    'the bench calls two servers by turns over %i connections, and counts answers with another status',
    async (connections) => {
      await withYardstick(async (bare) => {
        const calls = bare.workload.calls.map((call) => ({ ...call, status: 201 }));
        const created = { ...bare, workload: { name: 'what should be created', calls } };
        const { target, yardstick } = await load(connections, created, bare, tiny);
        expect([target.rate, target.p50, yardstick.rate, yardstick.p50].filter((value) => !(value > 0))).toEqual([]);
        expect(target.p99).toBeGreaterThanOrEqual(target.p50);
        expect([target.faults > 0, yardstick.faults]).toEqual([true, 0]);
      });
    },
  );
});
