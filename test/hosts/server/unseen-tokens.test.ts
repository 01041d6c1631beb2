import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import type { FindRoute } from '../../../hosts/server/http/lazy-routes.ts';
import { startServer } from '../../../hosts/server/server.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import { config } from '../../../lib/settings/config.ts';
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

it('a flood of invalid tokens from many addresses does not keep an account waiting', async () => {
  const { token } = await anAccount();
  expect(await ask('/', '203.0.113.1', token)).toBe(200);
  const flood = (count: number) =>
    Array.from({ length: count }, (_, at) => ask('/work', `198.51.100.${at}`, String(at).padStart(32, 'x')));
  const all = flood(config.mongodbPoolSize);
  await expect.poll(() => working.length).toBe(config.mongodbPoolSize);
  const others = flood(60);
  await delay(300);
  const answer = ask('/', '203.0.113.1', token);
  await delay(100);
  // Both slots would go to the others, who came first and keep them.
  for (const end of working.splice(0, 2)) end();
  expect(await answer).toBe(200);
  let isOver = false;
  const over = Promise.all([...all, ...others]).finally(() => {
    isOver = true;
  });
  while (!isOver) {
    for (const end of working.splice(0)) end();
    await delay(5);
  }
  expect(new Set(await over)).toEqual(new Set([200]));
});

it('the addresses of an IPv6 network count as one', async () => {
  expect(await ask('/', '203.0.113.1')).toBe(200);
  const others = Array.from({ length: 5 }, (_, at) => ask('/work', `2001:db8:1:2:${at + 1}::1`));
  await expect.poll(() => working.length).toBe(4);
  // The fifth request of the network waits for one of the four, and those of another one do not.
  const another = ask('/work', '2001:db8:1:3::1');
  await expect.poll(() => working.length).toBe(5);
  for (const end of working.splice(0)) end();
  await expect.poll(() => working.length).toBe(1);
  for (const end of working.splice(0)) end();
  expect(await Promise.all([...others, another])).toEqual(Array(6).fill(200));
});
