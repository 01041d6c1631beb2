import { afterAll, expect, it } from 'vitest';
import type { FindRoute } from '../../../hosts/server/http/lazy-routes.ts';
import { startServer } from '../../../hosts/server/server.ts';
import { waitOutside } from '../../../lib/base/outside.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import { config } from '../../../lib/settings/config.ts';

/**
 * A server with a path that waits for a receiver, until the test ends it, and a path that answers.
 */
const hanging: (() => void)[] = [];
const working: (() => void)[] = [];
const answer = { statusCode: 200, headers: {}, body: 'done' };
const hang = async () => {
  await waitOutside('receiver', () => new Promise<void>((resolve) => hanging.push(resolve)));
  return answer;
};
const work = async () => {
  await new Promise<void>((resolve) => working.push(resolve));
  return answer;
};
const find: FindRoute = (_method, path) => {
  const run = path === '/hang' ? wrapRefusals(hang) : path === '/work' ? work : async () => answer;
  const handler = run as unknown as Handler;
  return { route: { name: path.slice(1), method: 'ANY', path, file: '', exported: '' }, variables: undefined, handler };
};
const wrapRefusals = (work: () => Promise<unknown>) => () =>
  work().catch((error) => ({ statusCode: error.status, headers: {}, body: error.body.code }));

const server = await startServer({ host: '127.0.0.1', port: 0, trustProxy: 1, maxConnections: 1_000 }, find);
const ask = async (path: string, source: string) => {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, { headers: { 'x-forwarded-for': source } });
  return [response.status, await response.text()];
};
afterAll(async () => {
  for (const end of [...hanging, ...working]) end();
  await server.close();
});

it('a request that waits for another server takes no slot of others, and goes on in its turn', async () => {
  const count = config.mongodbPoolSize + 5;
  const waiting = Array.from({ length: count }, (_, at) => ask('/hang', `198.51.100.${at}`));
  await expect.poll(() => hanging.length).toBe(count);
  expect(await ask('/other', '203.0.113.1')).toEqual([200, 'done']);
  for (const end of hanging.splice(0)) end();
  expect(await Promise.all(waiting)).toEqual(Array(count).fill([200, 'done']));
});

it('a caller has one request at a time that waits for a receiver; others are refused, and its other requests answered', async () => {
  const first = ask('/hang', '198.51.100.1');
  await expect.poll(() => hanging.length).toBe(1);
  expect(await ask('/hang', '198.51.100.1')).toEqual([503, 'busy']);
  expect(await ask('/other', '198.51.100.1')).toEqual([200, 'done']);
  const other = ask('/hang', '198.51.100.2');
  await expect.poll(() => hanging.length).toBe(2);
  for (const end of hanging.splice(0)) end();
  expect(await Promise.all([first, other])).toEqual([
    [200, 'done'],
    [200, 'done'],
  ]);
});

it('32 requests wait for receivers in all, and those that wait for another party go on', async () => {
  const waiting = Array.from({ length: 32 }, (_, at) => ask('/hang', `198.51.100.${at}`));
  await expect.poll(() => hanging.length).toBe(32);
  expect(await ask('/hang', '198.51.100.99')).toEqual([503, 'busy']);
  expect(await ask('/other', '198.51.100.99')).toEqual([200, 'done']);
  for (const end of hanging.splice(0)) end();
  await Promise.all(waiting);
});

it('the answer of another server is not lost while all slots are taken', async () => {
  const first = ask('/hang', '198.51.100.1');
  await expect.poll(() => hanging.length).toBe(1);
  const count = config.mongodbPoolSize;
  const others = Array.from({ length: count }, (_, at) => ask('/work', `203.0.113.${at}`));
  await expect.poll(() => working.length).toBe(count);
  for (const end of hanging.splice(0)) end();
  // No slot becomes free before it has waited long enough for one.
  expect(await first).toEqual([200, 'done']);
  for (const end of working.splice(0)) end();
  expect(await Promise.all(others)).toEqual(Array(count).fill([200, 'done']));
});
