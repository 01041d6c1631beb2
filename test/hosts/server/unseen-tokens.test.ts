import { afterAll, expect, it } from 'vitest';
import type { FindRoute } from '../../../hosts/server/http/routes.ts';
import { startServer } from '../../../hosts/server/server.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import { anAccount } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';

useConfig({ RATE_LIMITS: 'on' });

const working: (() => void)[] = [];
const find: FindRoute = (_method, path) => {
  const work = async () => {
    if (path === '/work') await new Promise<void>((resolve) => working.push(resolve));
    return { statusCode: 200, headers: {}, body: 'done' };
  };
  const handler = work as unknown as Handler;
  return { route: { name: path.slice(1), method: 'ANY', path, file: '', exported: '' }, variables: undefined, handler };
};
const server = await startServer({ host: '127.0.0.1', port: 0, trustProxy: 1, maxConnections: 1_000 }, find);
afterAll(() => server.close());

const ask = async (path: string, source: string, token?: string) => {
  const headers = { 'x-forwarded-for': source, ...(token !== undefined && { 'x-auth-token': token }) };
  return (await fetch(`http://127.0.0.1:${server.port}${path}`, { headers })).status;
};

it('a user whose token the server has not seen before does not wait for others behind the same address', async () => {
  const [{ token }, address] = [await anAccount(), '198.51.100.7'];
  expect(await ask('/', '203.0.113.1')).toBe(200);
  // As many as one caller may have at a time.
  const others = Array.from({ length: 4 }, () => ask('/work', address));
  await expect.poll(() => working.length).toBe(4);
  expect(await ask('/', address, token)).toBe(200);
  for (const end of working.splice(0)) end();
  expect(await Promise.all(others)).toEqual(Array(4).fill(200));
});

it('an invalid token counts for its address', async () => {
  const address = '198.51.100.8';
  expect(await ask('/', '203.0.113.1')).toBe(200);
  const others = Array.from({ length: 4 }, () => ask('/work', address));
  await expect.poll(() => working.length).toBe(4);
  const [one, another] = ['a', 'b'].map((letter) => ask('/', address, letter.repeat(32)));
  expect(await ask('/', '203.0.113.2')).toBe(200);
  for (const end of working.splice(0)) end();
  expect(await Promise.all([...others, one, another])).toEqual(Array(6).fill(200));
});
