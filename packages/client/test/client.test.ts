import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, describe, expect, expectTypeOf, it, vi } from 'vitest';
import { anAccount, anAdmin } from '../../../test/support/accounts.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { serveUrl } from '../../../test/support/services.ts';
import {
  ChatError,
  type Conflict,
  createChatClient,
  type ErrorBody,
  type Event,
  type FollowState,
  type Message,
  type NotFound,
  type Room,
  unwrap,
} from '../src/index.ts';

const baseUrl = await serveUrl();
const admin = await anAdmin();
const client = createChatClient({ baseUrl, token: admin.token });
const polling = createChatClient({ baseUrl, token: admin.token, WebSocket: null });

const servers: Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
});

describe('the client', () => {
  it('the client types every response', async () => {
    const { data, response } = await client.POST('/api/rooms', { body: { name: 'General' } });
    expectTypeOf(data).toEqualTypeOf<Room | undefined>();
    expect({ status: response.status, data }).toMatchObject({ status: 201, data: { name: 'General', is_open: true } });
  });

  it('the client types every error of a call, distinguished by its title', async () => {
    const room = await aRoom();
    await unwrap(client.PATCH('/api/rooms/{room}/details', { params: { path: { room } }, body: { archived: true } }));
    const { error } = await client.POST('/api/messages', { body: { room, text: 'Too late' } });
    if (error?.title !== 'Conflict') throw new Error(`got ${error?.title}`);
    expectTypeOf(error).toEqualTypeOf<Conflict>();
    expect(error).toMatchObject({ description: 'The room is archived.', code: 'room_archived' });
  });

  it('the client types the data of an event by its type', () => {
    const textIn = (event: Event): string | undefined => {
      if (event.type === 'message.created') expectTypeOf(event.data).toEqualTypeOf<Message>();
      if (event.type === 'room.changed') expectTypeOf(event.data).toEqualTypeOf<Room | null>();
      // @ts-expect-error a member has no text
      if (event.type === 'member.joined') void event.data.text;
      return event.type === 'message.created' || event.type === 'message.edited' ? event.data?.text : undefined;
    };
    expectTypeOf(textIn).returns.toEqualTypeOf<string | undefined>();
  });

  it('the client does not compile calls that the contract does not have', () => {
    // @ts-expect-error a room has a name
    void (() => client.POST('/api/rooms', { body: {} }));
    // @ts-expect-error there is no such path
    void (() => client.GET('/api/room'));
    // @ts-expect-error a limit is a number
    void (() => client.GET('/api/rooms', { params: { query: { limit: 'all' } } }));
    expectTypeOf<NotFound>().toExtend<ErrorBody>();
  });

  it('the client throws an error response with its status from unwrap()', async () => {
    const call = unwrap(client.GET('/api/messages/{message}', { params: { path: { message: '0'.repeat(24) } } }));
    await expect(call).rejects.toThrow(
      new ChatError(404, { title: 'Not found', description: 'No such message.', code: 'message_not_found' }),
    );
  });

  it('the client says which address did not answer, and why, as a ChatError', async () => {
    const dead = createChatClient({ baseUrl: 'http://127.0.0.1:9', retry: { attempts: 2, firstWait: 1 } });
    const error = await unwrap(dead.GET('/api/rooms')).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(ChatError);
    expect(error).toMatchObject({ status: 0, isTemporary: true, body: undefined, code: undefined, cause: expect.any(TypeError) });
    expect(error.message).toMatch(/^No answer from http:\/\/127\.0\.0\.1:9: /);
  });

  it('the client throws the reason with which the caller aborts a call', async () => {
    const call = client.GET('/api/rooms', { signal: AbortSignal.abort(new Error('no longer wanted')) });
    await expect(call).rejects.toThrow('no longer wanted');
  });

  it('the client reads a list page by page', async () => {
    const owner = await anAccount();
    const chat = createChatClient({ baseUrl, token: owner.token });
    const room = await aRoomOf([owner]);
    const texts = Array.from({ length: 5 }, (_, at) => `message ${at}`);
    for (const text of texts) await unwrap(chat.POST('/api/messages', { body: { room, text } }));
    const read: string[][] = [];
    for await (const page of chat.pages('/api/messages', { params: { query: { room, limit: 2 } } })) {
      expectTypeOf(page).toEqualTypeOf<Message[]>();
      read.unshift(page.map(({ text }) => text));
    }
    expect(read).toEqual([texts.slice(0, 1), texts.slice(1, 3), texts.slice(3)]);
    // @ts-expect-error an account is no list
    void (() => chat.pages('/api/users/{user}'));
    const others = chat.pages('/api/messages', { params: { query: { room: '0'.repeat(24) } } });
    await expect(others.next()).rejects.toMatchObject({ status: 404, code: 'room_not_found' });
  });

  it("the client turns a proxy's error page into a ChatError", async () => {
    const proxied = createChatClient({
      baseUrl,
      retry: { attempts: 1 },
      fetch: async () => new Response('<h1>Bad Gateway</h1>', { status: 502, headers: { 'content-type': 'text/html' } }),
    });
    const refused = { name: 'ChatError', status: 502, body: undefined, message: 'The service answered 502.' };
    await expect(unwrap(proxied.GET('/api/health'))).rejects.toMatchObject(refused);
  });

  it('the client makes idempotency keys also on a page over plain http', async () => {
    const room = await aRoom();
    const keys: (string | null)[] = [];
    const onPlainHttp = createChatClient({
      baseUrl,
      token: admin.token,
      fetch: (request) => {
        keys.push(request.headers.get('Idempotency-Key'));
        return fetch(request);
      },
    });
    const { crypto } = globalThis;
    vi.stubGlobal('crypto', { getRandomValues: (array: Uint8Array<ArrayBuffer>) => crypto.getRandomValues(array) });
    try {
      for (const text of ['one', 'two']) await unwrap(onPlainHttp.POST('/api/messages', { body: { room, text } }));
    } finally {
      vi.unstubAllGlobals();
    }
    expect(keys).toEqual([expect.stringMatching(/^[0-9a-f]{32}$/), expect.stringMatching(/^[0-9a-f]{32}$/)]);
    expect(keys[0]).not.toBe(keys[1]);
  });

  it('the client reads the token for each request, so that it can change', async () => {
    let token: string | undefined;
    const changing = createChatClient({ baseUrl, token: () => token });
    expect((await changing.GET('/api/rooms')).response.status).toBe(401);
    token = admin.token;
    expect((await changing.GET('/api/rooms', { params: { query: { limit: 1 } } })).response.status).toBe(200);
  });

  it.each([302, 307, 308])('the client does not follow a redirect (%i) with its token', async (status) => {
    const asked: unknown[] = [];
    const other = await listen((request, response) => {
      asked.push(request.headers['x-auth-token']);
      response.end();
    });
    const redirecting = await listen((_request, response) => response.writeHead(status, { Location: other }).end());
    const redirected = createChatClient({ baseUrl: redirecting, token: 'secret', retry: { attempts: 1 } });
    await expect(redirected.GET('/api/rooms')).rejects.toThrow('unexpected redirect');
    expect(asked).toEqual([]);
  });
});

describe('a request that is lost or temporarily refused', () => {
  it('a message whose response was lost is sent again under the same key, and stored once', async () => {
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

  it('a lost request is not sent again if it might be carried out twice', async () => {
    const [sent, flaky] = dropping(1);
    await expect(flaky.POST('/api/tokens', { body: { name: 'bot' } })).rejects.toThrow('lost');
    expect(sent).toHaveLength(1);
  });

  it.each([
    ['429', 429, 'POST'],
    ['503', 503, 'GET'],
  ] as const)('the client waits as long as a response of %s tells it to', async (_what, status, method) => {
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
        : await busy.POST('/api/tokens', { body: { name: `after ${status}`, scopes: ['rooms:read'] } });
    expect(response.ok).toBe(true);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it('a request fails after the last attempt, with the last response', async () => {
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

describe('following rooms', () => {
  it('following a room yields every event once and in order, over a network that loses every other response', async () => {
    const room = await aRoom();
    const [, flaky] = dropping(Number.POSITIVE_INFINITY);
    const texts = Array.from({ length: 20 }, (_, n) => String(n));
    const following = take(flaky.events(room, { after: 0, interval: 5 }), texts.length);
    for (const text of texts) await send(room, text, client);
    expect((await following).map(textOf)).toEqual(texts);
  });

  it('following a room starts with the next event, and ends when it is aborted', async () => {
    const room = await aRoom();
    await send(room, 'before', client);
    const stop = new AbortController();
    const feed = client.events(room, { interval: 5, signal: stop.signal });
    const first = feed.next().finally(() => stop.abort());
    while (!stop.signal.aborted) await send(room, 'after', client);
    expect(textOf((await first).value)).toBe('after');
    for await (const event of feed) expect(textOf(event)).toBe('after');
  });

  it('following a room resumes after the last event by its cursor', async () => {
    const room = await aRoom();
    for (const text of ['one', 'two', 'three']) await send(room, text, client);
    const stop = new AbortController();
    const [first] = await take(client.events(room, { after: 0 }), 1);
    const rest = await take(client.events(room, { after: first?.cursor ?? 0, signal: stop.signal }), 2);
    expect([first, ...rest].map(textOf)).toEqual(['one', 'two', 'three']);
  });

  it('following a room polls immediately when it is woken', async () => {
    const room = await aRoom();
    const following = polling.events(room, { after: 0, interval: 600_000 });
    const first = take(following, 1);
    // Woken until it is there: the first poll may be before the message.
    await send(room, 'wake up', client);
    const waking = setInterval(following.wake, 20);
    expect((await first).map(textOf)).toEqual(['wake up']);
    clearInterval(waking);
  });

  it('following a room tells whether it is live, or until when it waits for the network', async () => {
    const room = await aRoom();
    await send(room, 'after all', client);
    const states: FollowState[] = [];
    let attempts = 0;
    const unlucky = createChatClient({
      baseUrl,
      token: admin.token,
      WebSocket: null,
      retry: { attempts: 1 },
      fetch: (request) => (++attempts <= 2 ? Promise.reject(new TypeError('no network')) : fetch(request)),
    });
    const stop = new AbortController();
    const following = unlucky.events(room, {
      after: 0,
      interval: 5,
      signal: stop.signal,
      onState: (state) => states.push(state),
    });
    expect(textOf((await following.next()).value)).toBe('after all');
    const next = following.next();
    await send(room, 'and on', client);
    await next;
    stop.abort();
    expect(states).toEqual([
      { state: 'waiting', until: expect.any(Date) },
      { state: 'waiting', until: expect.any(Date) },
      { state: 'live' },
    ]);
  });

  it('following a room passes the number of consecutive polls that found nothing to the interval', async () => {
    const room = await aRoom();
    const asked: number[] = [];
    const stop = new AbortController();
    const interval = (quiet: number) => {
      asked.push(quiet);
      if (asked.length === 4) stop.abort();
      return 1;
    };
    expect(await take(polling.events(room, { interval, signal: stop.signal }), 1)).toEqual([]);
    expect(asked).toEqual([1, 2, 3, 4]);
  });

  it('following all rooms yields each event once and in the order of its room, also of rooms that are joined meanwhile', async () => {
    const account = await anAccount();
    const mine = createChatClient({ baseUrl, token: account.token });
    const join = (room: string) => unwrap(mine.POST('/api/members', { body: { room } }));
    const [first, second, later] = [await aRoom(), await aRoom(), await aRoom()];
    await Promise.all([join(first), join(second)]);
    await send(first, 'seen before', client);
    const { seq } = await send(second, 'seen already', client);
    await send(second, 'second 1', client);

    const stop = new AbortController();
    const following = mine.live({ interval: 5, signal: stop.signal, after: { [second]: seq } });
    const started = await following.next();
    const rest = take(following, 7);
    for (const n of [1, 2, 3]) await send(first, `first ${n}`, client);
    await send(second, 'second 2', client);
    await join(later);
    for (const n of [1, 2]) await send(later, `later ${n}`, client);
    await unwrap(mine.POST('/api/messages', { body: { room: first, text: 'first 4' } }));

    const events = [...(started.value ? [started.value] : []), ...(await rest)];
    stop.abort();
    const inRoom = (room: string) => events.filter((event) => 'room' in event && event.room.$oid === room).map(textOf);
    expect(inRoom(second)).toEqual(['second 1', 'second 2']);
    expect(inRoom(first)).toEqual(['first 1', 'first 2', 'first 3', 'first 4']);
    expect(inRoom(later)).toEqual(['later 1', 'later 2']);
  });

  it('following all rooms continues without a room that the user leaves, and ends with the token', async () => {
    const account = await anAccount();
    const session = await unwrap(
      client.POST('/api/sessions', { body: { username: account.username, password: account.password } }),
    );
    const mine = createChatClient({ baseUrl, token: session.token ?? '' });
    const [left, kept] = [await aRoom(), await aRoom()];
    const member = await unwrap(mine.POST('/api/members', { body: { room: left } }));
    await unwrap(mine.POST('/api/members', { body: { room: kept } }));
    const following = mine.live({ interval: 5, after: { [left]: 0, [kept]: 0 } });
    await following.next();
    await unwrap(mine.DELETE('/api/members/{member}', { params: { path: { member: member._id.$oid } } }));
    await send(kept, 'still here', client);
    for (let text = ''; text !== 'still here'; ) {
      const { value } = await following.next();
      if (value?.type === 'message.created') text = value.data.text;
    }
    await unwrap(mine.DELETE('/api/sessions/{session}', { params: { path: { session: 'current' } } }));
    await expect(following.next()).rejects.toMatchObject({ name: 'ChatError', status: 401 });
  });

  it('following rooms ends with a permanent error', async () => {
    const { token } = await anAccount();
    const outsider = createChatClient({ baseUrl, token });
    await expect(outsider.events('0'.repeat(24)).next()).rejects.toThrow(ChatError);
  });
});

async function aRoom(): Promise<string> {
  return (await unwrap(client.POST('/api/rooms', { body: { name: 'General' } })))._id.$oid;
}

const send = (room: string, text: string, sender: typeof client): Promise<Message> =>
  unwrap(sender.POST('/api/messages', { body: { room, text } }));

const textOf = (event: unknown) => (event as { data: Message }).data.text;

/**
 * A client that loses its first `most` responses, or every other one if `most` is infinite; and the
 * requests that it sent.
 */
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
