import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import type { Bench } from '../../../tools/bench/figure.ts';
import { growth } from '../../../tools/bench/growth.ts';
import { withLoad } from '../../../tools/bench/load.ts';
import { isEmbedded } from '../../support/worker.ts';

// Without a database, the bench starts its own.
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
      const server = createServer((_request, response) => response.end('Hello')).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const call = { name: 'a page', method: 'GET', path: '/', token: '', status: 201 } as const;
      try {
        const workload = { name: 'what should be created', calls: [call] };
        const target = { url, pid: process.pid, workload };
        const measured = await withLoad((measure) => measure(connections, target, tiny));
        const loads = [measured.target, measured.yardstick];
        for (const { rate, p50, p99 } of loads) expect([rate > 0, p50 > 0, p99 >= p50]).toEqual([true, true, true]);
        expect(loads.map(({ faults }) => faults > 0)).toEqual([true, false]);
      } finally {
        server.closeAllConnections();
        server.close();
      }
    },
  );
});
