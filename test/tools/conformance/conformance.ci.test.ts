import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, describe, expect, it } from 'vitest';
import { overHttp } from '../../../tools/harness/transports.ts';
import { anAdmin } from '../../support/accounts.ts';
import { runCommand } from '../../support/run-command.ts';
import { offlineUrl, serveUrl } from '../../support/services.ts';
import { inProcess as call } from '../../support/transports.ts';

const command = ['node', 'tools/conformance/main.ts'];
const conformance = (words: string[], token = '') => runCommand([...command, ...words], { input: token });

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

/** The address of a server. */
async function listen(answer: (request: IncomingMessage, response: ServerResponse) => void): Promise<string> {
  const server = createServer(answer).listen(0, 'localhost');
  servers.push(server);
  await once(server, 'listening');
  return `http://localhost:${(server.address() as AddressInfo).port}`;
}

/** The address of a server that answers everything with `{}`. */
const aServer = (onRequest: (request: IncomingMessage) => void = () => {}): Promise<string> =>
  listen((incoming, response) => {
    onRequest(incoming);
    response.end('{}');
  });

/**
 * The address of a proxy that adds its own headers to every response, as API Gateway and reverse
 * proxies do. It reports each response before it forwards it.
 */
const aProxy = (target: string, onAnswer: (answer: string) => void = () => {}): Promise<string> =>
  listen((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming;
    const forwarded = request(new URL(url, target), { method, headers, agent: false }, (answer) => {
      onAnswer(`${method} ${url} ${answer.statusCode}`);
      outgoing.writeHead(answer.statusCode ?? 502, {
        ...answer.headers,
        'apigw-requestid': 'JKJaXmPLvHcESHA=',
        server: 'nginx',
        via: '1.1 proxy',
      });
      answer.pipe(outgoing);
    });
    incoming.pipe(forwarded);
  });

/** The resources that runs of a service's conformance check left behind. */
async function leftBehind(token: string) {
  const rooms = (await call('GET', '/api/rooms', { token })).body as { name: string }[];
  const { body: users } = await call('GET', '/api/users?q=conformance-', { token });
  return { users, rooms: rooms.filter(({ name }) => name.startsWith('conformance-')) };
}

describe('npm run conformance', () => {
  it.each([
    ['under serverless-offline', offlineUrl, ''],
    [
      'under npm run serve, behind a proxy that adds headers',
      async () => aProxy(await serveUrl()),
      "Not the service's, and no fault: the headers apigw-requestid, server, via.",
    ],
  ])('npm run conformance finds that this service conforms %s, and leaves nothing behind', async (_where, address, note) => {
    const { token, id } = await anAdmin();
    const { code, stdout, stderr } = await conformance([await address()], `${token}\n`);
    expect(stdout.split('\n').filter((line) => line.startsWith('FAIL'))).toEqual([]);
    expect({ code, stderr, end: stdout.trim().split('\n').at(-1) }).toEqual({
      code: 0,
      stderr: '',
      end: expect.stringMatching(/^(\d+) of \1 rows conform\.$/),
    });
    expect(stdout).toContain('ok    * GET by a user to /api/rooms is answered with 403\n');
    expect(stdout).toContain(note);
    expect(await leftBehind(token)).toEqual({ users: [], rooms: [] });
    expect((await call('GET', '/api/members?user=me', { token })).body).toEqual([]);
    expect((await call('GET', '/api/rooms', { token })).body).not.toContainEqual(
      expect.objectContaining({ members: [{ $oid: id }] }),
    );
  });

  const signals = process.env.KILLS ? (['SIGINT', 'SIGTERM'] as const) : (['SIGTERM'] as const);
  it.each(signals)('npm run conformance leaves nothing behind after %s in the middle', async (signal) => {
    const { token } = await anAdmin();
    // By then it has created rooms, an account and a conversation, whose response has not arrived.
    const interrupt = (answer: string) => answer === 'POST /api/conversations 201' && child.kill(signal);
    const [node = '', ...words] = [...command, await aProxy(await serveUrl(), interrupt)];
    const child = spawn(node, words, { env: { ...process.env, CHAT_TOKEN: token }, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    const ended = Promise.all([once(child, 'close'), text(child.stderr)]);
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    const [[code], stderr] = await ended;
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'Interrupted.\n' });
    expect(said.trim().split('\n')).toContain('ok    nothing is left behind');
    expect(await leftBehind(token)).toEqual({ users: [], rooms: [] });
  });

  it.each([
    ['other JSON', () => aServer()],
    ['what is not JSON', () => listen((_, response) => response.setHeader('Content-Type', 'application/json').end('{'))],
  ])('npm run conformance reports, row by row, that %s does not conform, and exits with 1', async (_what, address) => {
    const { code, stdout, stderr } = await conformance([await address()], 'x');
    expect({ code, stderr }).toEqual({ code: 1, stderr: '' });
    expect(stdout).toMatch(/^FAIL {2}\* GET \/api\/rooms lists every room, each with exactly its five fields: .+/m);
    expect(stdout).toMatch(/^\d+ of \d+ rows conform, \d+ do not\.$/m);
  });

  it('npm run conformance says in one sentence that nothing answers at the address, and exits with 1', async () => {
    expect(await conformance(['http://127.0.0.1:1'], 'x')).toEqual({
      code: 1,
      stdout: '',
      stderr: "The service at http://127.0.0.1:1 can't be reached (ECONNREFUSED): check the address and that it runs.\n",
    });
  });

  it('npm run conformance gives up on a server that accepts requests and never answers', async () => {
    const call = overHttp(await listen(() => {}), 50);
    await expect(call('GET', '/api/health')).rejects.toMatchObject({ code: 'ETIMEDOUT' });
  });

  const token = 'a'.repeat(32);
  it.each([
    ['standard input', token, {}],
    ['the environment', '', { CHAT_TOKEN: token }],
  ])('npm run conformance takes the token from %s, where no other user can read it', async (_from, input, environment) => {
    const words = [...command, await aServer(({ headers }) => headers['x-auth-token'] === token && readCommandLine())];
    const [node = '', ...rest] = words;
    const child = spawn(node, rest, { env: { ...process.env, ...environment }, stdio: ['pipe', 'ignore', 'ignore'] });
    const seen = new Set<string>();
    const readCommandLine = () => seen.add(readFileSync(`/proc/${child.pid}/cmdline`, 'utf8'));
    child.stdin.end(input);
    await once(child, 'exit');
    expect([...seen]).toEqual([`${words.join('\0')}\0`]);
  });

  it.each([
    ['without a token', ['http://localhost:3000'], ''],
    ['without an address', [], 'x'],
    ['with a token as an argument', ['http://localhost:3000', '--token', 'x'], 'x'],
  ])('npm run conformance prints its usage %s, and exits with 2', async (_what, words, token) => {
    const { code, stdout, stderr } = await conformance(words, token);
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/^Usage: npm run conformance/),
    });
  });
});
