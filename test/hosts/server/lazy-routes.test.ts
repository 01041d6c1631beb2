import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it, onTestFinished } from 'vitest';
import { loadRoutes } from '../../../hosts/server/http/lazy-routes.ts';
import type { Route } from '../../../hosts/server/http/routes.ts';
import { startServer } from '../../../hosts/server/server.ts';
import { overHttp } from '../../../tools/harness/transports.ts';

const directory = await mkdtemp(join(tmpdir(), 'chat-routes-'));
afterAll(() => rm(directory, { recursive: true }));

/** The names of the functions that are loaded, in order. */
const loaded: string[] = [];
Object.assign(globalThis, { loaded });

/** Writes a function that takes a moment to load, and responds with the length of its body. */
async function aFunction(name: string, path = `/${name}`): Promise<Route> {
  const file = join(directory, `${name}.mjs`);
  await writeFile(
    file,
    `await new Promise((resolve) => setTimeout(resolve, 20));
     loaded.push('${name}');
     const answer = async ({ body = '' }) => ({ statusCode: 200, headers: {}, body: '${name} ' + body.length });
     export const handler = Object.assign(answer, { operations: {} });`,
  );
  return { name, method: 'ANY', path, file, exported: 'handler' };
}

it('a function is loaded once, at its first requests, and receives their whole bodies', async () => {
  const routes = [await aFunction('used'), await aFunction('unused'), await aFunction('fallback', '*')];
  const post = await serve(loadRoutes({ routes }));
  const bodies = [1, 10, 60_000].map((length) => 'x'.repeat(length));
  const answers = await Promise.all(bodies.map((body) => post('/used', body)));
  expect(answers).toEqual(bodies.map(({ length }) => [200, `used ${length}`]));
  expect(await post('/none', 'x')).toEqual([200, 'fallback 1']);
  expect(loaded).toEqual(['used', 'fallback']);
});

it('a function that cannot be loaded is an internal error, and the others work', async () => {
  const broken = { name: 'broken', method: 'ANY', path: '/broken', file: join(directory, 'none.mjs'), exported: 'handler' };
  const post = await serve(loadRoutes({ routes: [broken, await aFunction('whole'), await aFunction('rest', '*')] }));
  expect(await post('/broken', 'x')).toEqual([500, expect.objectContaining({ code: 'internal_error' })]);
  expect(await post('/whole', 'x')).toEqual([200, 'whole 1']);
});

it('the first request makes all other functions load, and a health check does not', async () => {
  const routes = [await aFunction('health'), await aFunction('first'), await aFunction('second'), await aFunction('third', '*')];
  const find = loadRoutes({ routes, loadsOthers: true });
  await find('GET', '/health');
  await find('GET', '/health');
  expect(loaded).not.toContain('first');
  await find('GET', '/second');
  await expect.poll(() => loaded.slice(-4).sort()).toEqual(['first', 'health', 'second', 'third']);
});

/** Starts a server, and returns the function that sends a body to it. */
async function serve(find: ReturnType<typeof loadRoutes>) {
  const server = await startServer({ host: '127.0.0.1', port: 0, trustProxy: 0, maxConnections: 100 }, find);
  onTestFinished(() => server.close());
  const call = overHttp(`http://127.0.0.1:${server.port}`);
  return async (path: string, body: string): Promise<[number, unknown]> => {
    const answer = await call('POST', path, { body });
    return [answer.status, answer.body];
  };
}
