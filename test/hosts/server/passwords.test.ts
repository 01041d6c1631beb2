import { afterAll, expect, it } from 'vitest';
import type { FindRoute } from '../../../hosts/server/http/lazy-routes.ts';
import { startServer } from '../../../hosts/server/server.ts';
import { withPasswordThread } from '../../../lib/credentials/password-pool.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import { useConfig } from '../../support/config.ts';

// With so few slots, logins that kept theirs while they wait would block everybody.
useConfig({ RATE_LIMITS: 'on', MONGODB_POOL_SIZE: '2' });

/** The logins that have a thread, until the test ends them. */
const checking: (() => void)[] = [];
const find: FindRoute = (_method, path) => {
  const work = async () => {
    if (path === '/login') await withPasswordThread(() => new Promise<void>((resolve) => checking.push(resolve)));
    return { statusCode: 200, headers: {}, body: 'done' };
  };
  const handler = work as unknown as Handler;
  return { route: { name: path.slice(1), method: 'ANY', path, file: '', exported: '' }, variables: undefined, handler };
};
const server = await startServer({ host: '127.0.0.1', port: 0, trustProxy: 1, maxConnections: 1_000 }, find);
afterAll(() => server.close());
const ask = async (path: string, source: string) =>
  (await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { 'x-forwarded-for': source } })).status;

it('logins that wait for each other block neither other callers nor other requests of their address', async () => {
  expect(await ask('/', '203.0.113.1')).toBe(200);
  let ended = 0;
  const logins = Array.from({ length: 8 }, async () => {
    const status = await ask('/login', '198.51.100.7');
    ended++;
    return status;
  });
  await expect.poll(() => checking.length).toBeGreaterThan(0);
  expect(await Promise.all([ask('/', '203.0.113.2'), ask('/', '198.51.100.7')])).toEqual([200, 200]);
  expect(ended).toBe(0);
  while (ended < logins.length) {
    for (const end of checking.splice(0)) end();
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  expect(await Promise.all(logins)).toEqual(Array(8).fill(200));
});
