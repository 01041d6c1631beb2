import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, expectTypeOf, inject, it } from 'vitest';
import { anAccount, anAdmin } from '../../../test/support/accounts.ts';
import { runCommand } from '../../../test/support/run-command.ts';
import {
  ChatError,
  type Conflict,
  createChatClient,
  type ErrorBody,
  type Message,
  type NotFound,
  type Room,
  unwrap,
} from '../src/index.ts';

const baseUrl = inject('baseUrl');
const admin = await anAdmin();
const client = createChatClient({ baseUrl, token: admin.token });

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

describe('the client', () => {
  it('types every response', async () => {
    const { data, response } = await client.POST('/api/rooms', { body: { name: 'General' } });
    expectTypeOf(data).toEqualTypeOf<Room | undefined>();
    expect({ status: response.status, data }).toMatchObject({ status: 201, data: { name: 'General', is_open: true } });
  });

  it('types every error of a call, distinguished by its title', async () => {
    const room = await aRoom();
    await unwrap(client.PATCH('/api/rooms/{room}/details', { params: { path: { room } }, body: { archived: true } }));
    const { error } = await client.POST('/api/messages', { body: { room, text: 'Too late' } });
    if (error?.title !== 'Conflict') throw new Error(`got ${error?.title}`);
    expectTypeOf(error).toEqualTypeOf<Conflict>();
    expect(error.description).toBe('The room is archived.');
  });

  it('does not compile calls that the contract does not have', () => {
    // @ts-expect-error a room has a name
    void (() => client.POST('/api/rooms', { body: {} }));
    // @ts-expect-error there is no such path
    void (() => client.GET('/api/room'));
    // @ts-expect-error a limit is a number
    void (() => client.GET('/api/rooms', { params: { query: { limit: 'all' } } }));
    expectTypeOf<NotFound>().toExtend<ErrorBody>();
  });

  it('throws an error response with its status from unwrap()', async () => {
    const call = unwrap(client.GET('/api/messages/{message}', { params: { path: { message: '0'.repeat(24) } } }));
    await expect(call).rejects.toThrow(new ChatError(404, { title: 'Not found', description: 'No such message.' }));
  });

  it('reads the token for each request, so that it can change', async () => {
    let token: string | undefined;
    const changing = createChatClient({ baseUrl, token: () => token });
    expect((await changing.GET('/api/rooms')).response.status).toBe(401);
    token = admin.token;
    expect((await changing.GET('/api/rooms', { params: { query: { limit: 1 } } })).response.status).toBe(200);
  });

  it.each([302, 307, 308])('does not follow a redirect (%i), which would take the token to another server', async (status) => {
    const asked: unknown[] = [];
    const other = await listen((request, response) => {
      asked.push(request.headers['x-auth-token']);
      response.end();
    });
    const redirecting = await listen((_request, response) => response.writeHead(status, { Location: other }).end());
    const redirected = createChatClient({ baseUrl: redirecting, token: 'secret', retry: { attempts: 1 } });
    await expect(redirected.GET('/api/rooms')).rejects.toThrow('fetch failed');
    expect(asked).toEqual([]);
  });
});

describe('a request that is lost or temporarily refused', () => {
  it('is sent again under the same key: a message whose response was lost is stored once', async () => {
    const room = await aRoom();
    const [sent, flaky] = dropping(2);
    const { data, response } = await flaky.POST('/api/messages', { body: { room, text: 'Once' } });
    expect(data?.text).toBe('Once');
    expect(response.headers.get('Idempotency-Replayed')).toBe('true');
    expect(new Set(sent.map(({ headers }) => headers.get('Idempotency-Key'))).size).toBe(1);
    expect(sent).toHaveLength(3);
    const messages = await unwrap(client.GET('/api/messages', { params: { query: { room } } }));
    expect(messages.map(({ text }) => text)).toEqual(['Once']);
  });

  it('is not sent again when it might be carried out twice', async () => {
    const [sent, flaky] = dropping(1);
    await expect(flaky.POST('/api/tokens', { body: { name: 'bot' } })).rejects.toThrow('lost');
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['429', 429, 'POST'],
    ['503', 503, 'GET'],
  ] as const)('waits as long as a %s asks it to', async (_what, status, method) => {
    const times: number[] = [];
    const busy = createChatClient({
      baseUrl,
      token: admin.token,
      fetch: (request) => {
        times.push(performance.now());
        const refusal = new Response('{}', { status, headers: { 'Retry-After': '1' } });
        return times.length === 1 ? Promise.resolve(refusal) : fetch(request);
      },
    });
    const { response } =
      method === 'GET'
        ? await busy.GET('/api/users/{user}', { params: { path: { user: 'me' } } })
        : await busy.POST('/api/tokens', { body: { name: `after ${status}`, scopes: ['account'] } });
    expect(response.ok).toBe(true);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('fails after the last attempt, with its response', async () => {
    let attempts = 0;
    const down = createChatClient({
      baseUrl,
      retry: { attempts: 3, firstWait: 1 },
      fetch: async () => {
        attempts++;
        return Response.json({ title: 'Service unavailable', description: '' }, { status: 503 });
      },
    });
    const { error } = await down.GET('/api/health');
    expect({ title: error?.title, attempts }).toEqual({ title: 'Service unavailable', attempts: 3 });
  });
});

describe('following a room', () => {
  it('yields every event once and in order, over a network that loses every other response', async () => {
    const room = await aRoom();
    const [, flaky] = dropping(Number.POSITIVE_INFINITY);
    const texts = Array.from({ length: 20 }, (_, n) => String(n));
    const following = take(flaky.events(room, { after: 0, interval: 5 }), texts.length);
    for (const text of texts) await send(room, text, client);
    expect((await following).map(textOf)).toEqual(texts);
  });

  it('starts with the next event, and ends when it is aborted', async () => {
    const room = await aRoom();
    await send(room, 'before', client);
    const stop = new AbortController();
    const feed = client.events(room, { interval: 5, signal: stop.signal });
    const first = feed.next().finally(() => stop.abort());
    while (!stop.signal.aborted) await send(room, 'after', client);
    expect(textOf((await first).value)).toBe('after');
    for await (const event of feed) expect(textOf(event)).toBe('after');
  });

  it('resumes after the last event by its cursor', async () => {
    const room = await aRoom();
    for (const text of ['one', 'two', 'three']) await send(room, text, client);
    const stop = new AbortController();
    const [first] = await take(client.events(room, { after: 0 }), 1);
    const rest = await take(client.events(room, { after: first?.seq ?? 0, signal: stop.signal }), 2);
    expect([first, ...rest].map(textOf)).toEqual(['one', 'two', 'three']);
  });

  it('ends with a permanent error', async () => {
    const { token } = await anAccount();
    const outsider = createChatClient({ baseUrl, token });
    await expect(outsider.events('0'.repeat(24)).next()).rejects.toThrow(ChatError);
  });
});

describe('the package', () => {
  it('builds, and its build runs on its own in Node.js', async () => {
    expect(await runCommand(['tsc', '--project', 'packages/client/tsconfig.json'])).toEqual({ code: 0, stdout: '', stderr: '' });
    const script = `import { createChatClient } from './packages/client/dist/index.js';
      const { data } = await createChatClient({ baseUrl: '${baseUrl}' }).GET('/api/health');
      console.log(data.status);`;
    expect(await runCommand(['node', '--input-type=module', '--eval', script])).toEqual({ code: 0, stdout: 'ok\n', stderr: '' });
  });
});

async function aRoom(): Promise<string> {
  return (await unwrap(client.POST('/api/rooms', { body: { name: 'General' } })))._id.$oid;
}

const send = (room: string, text: string, sender: typeof client): Promise<Message> =>
  unwrap(sender.POST('/api/messages', { body: { room, text } }));

const textOf = (event: unknown) => (event as { data: Message }).data.text;

/** A client that loses its first `most` responses, or every other one if `most` is infinite; and the requests that it sent. */
function dropping(most: number): [Request[], typeof client] {
  const sent: Request[] = [];
  const flaky = createChatClient({
    baseUrl,
    token: admin.token,
    retry: { attempts: 4, firstWait: 1 },
    fetch: async (request) => {
      sent.push(request);
      const response = await fetch(request.clone());
      const isLost = most === Number.POSITIVE_INFINITY ? sent.length % 2 === 1 : sent.length <= most;
      if (isLost) throw new TypeError('The answer was lost.');
      return response;
    },
  });
  return [sent, flaky];
}

async function take<T>(feed: AsyncGenerator<T, void>, count: number): Promise<T[]> {
  const taken: T[] = [];
  for await (const one of feed) {
    taken.push(one);
    if (taken.length === count) break;
  }
  return taken;
}

/** Starts a server on a free port until the tests have ended; returns its address. */
async function listen(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
