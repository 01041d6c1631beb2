import { afterEach, describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { aRoom, memberId } from '../../../test/support/rooms.ts';
import { serveUrl } from '../../../test/support/services.ts';
import { type ClientSettings, createChatClient, type FollowedEvent, type News, unwrap } from '../src/index.ts';

const baseUrl = await serveUrl();

/** So long that all news must have been pushed. */
const never = 600_000;

const proxies: Awaited<ReturnType<typeof startProxy>>[] = [];
afterEach(async () => {
  await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
});

const clientOf = ({ token }: Account, settings: Partial<ClientSettings> = {}) =>
  createChatClient({ baseUrl, token, ...settings });

// Sends through another process, whose writes are pushed when a sweep finds them.
const send = (sender: Account, room: string, text: string) =>
  unwrap(clientOf(sender).POST('/api/messages', { body: { room, text } }));

/** A proxy to the service that only forwards WebSockets. */
async function aWay() {
  const proxy = await startProxy(new URL(baseUrl).host);
  proxies.push(proxy);
  class Detour extends WebSocket {
    constructor(address: string | URL, protocols: string | string[] = []) {
      const detour = new URL(address);
      detour.host = `127.0.0.1:${proxy.port}`;
      super(detour, protocols);
    }
  }
  return { proxy, WebSocket: Detour as typeof WebSocket };
}

const isEvent = (one: News): one is FollowedEvent => 'seq' in one;
const textOf = (one: News) => (one.type === 'message.created' ? one.data.text : one.type);

/** Reads news until one matches. */
async function until<T extends News>(news: AsyncGenerator<T, void>, isIt: (one: T) => boolean): Promise<T[]> {
  const taken: T[] = [];
  while (!taken.some(isIt)) {
    const { value } = await news.next();
    if (!value) break;
    taken.push(value);
  }
  return taken;
}

it('a client learns presence and new names of the people that it watches', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  await aRoom({ owner: ann, members: [bob] });
  const stop = new AbortController();
  const [hers, his] = [clientOf(ann).live({ interval: never }), clientOf(bob).live({ interval: never, signal: stop.signal })];
  const bobIs = (state: 'away' | 'active') => (one: News) =>
    one.type === 'presence' && one[state].some(({ $oid }) => $oid === bob.id);
  hers.watch([bob.id]);
  void his.next();
  await until(hers, bobIs('away'));
  // Reports before the service's greeting are not sent, so it repeats.
  const saying = setInterval(() => his.active(), 50);
  await until(hers, bobIs('active'));
  clearInterval(saying);
  await unwrap(clientOf(bob).PATCH('/api/users/{user}', { params: { path: { user: 'me' } }, body: { name: 'Robert' } }));
  const told = await until(hers, (one) => one.type === 'person');
  expect(told.at(-1)).toMatchObject({ user: { $oid: bob.id }, name: 'Robert' });
  stop.abort();
  await hers.return();
});

describe('the events of all rooms', () => {
  it('the events of all rooms are pushed once and in the order of their room, also those of rooms that are joined later', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const [first, second] = [await aRoom({ owner: ann, members: [bob] }), await aRoom({ owner: ann, members: [bob] })];
    const later = await aRoom({ owner: ann });
    const stop = new AbortController();
    const news = clientOf(bob).live({ interval: never, signal: stop.signal, after: { [first.id]: 0, [second.id]: 0 } });
    await until(news, (one) => isEvent(one) && one.room.$oid === second.id);
    const rest = until(news, (one) => textOf(one) === 'over');
    for (const n of [1, 2, 3]) for (const { id } of [first, second]) await send(ann, id, `${n}`);
    await unwrap(clientOf(ann).POST('/api/members', { body: { room: later.id, username: bob.username } }));
    for (const text of ['later', 'over']) await send(ann, later.id, text);
    const events = (await rest).filter(isEvent);
    stop.abort();
    const textsIn = ({ id }: { id: string }) => events.filter(({ room }) => room.$oid === id).map(textOf);
    expect([textsIn(first), textsIn(second), textsIn(later)]).toEqual([
      ['1', '2', '3'],
      ['1', '2', '3'],
      ['later', 'over'],
    ]);
  });

  it('the events of all rooms include those that are too large to be pushed', async () => {
    const { id, owner } = await aRoom();
    const news = clientOf(owner).live({ interval: never, after: { [id]: 0 } });
    const texts = ['a', 'b', 'c', 'd'].map((letter) => letter.repeat(10_000));
    await send(owner, id, 'begin');
    await until(news, (one) => textOf(one) === 'begin');
    const taken = until(news, (one) => textOf(one) === texts[3]);
    await Promise.all(texts.slice(0, 3).map((text) => send(owner, id, text)));
    await send(owner, id, texts[3] as string);
    expect((await taken).map(textOf).sort()).toEqual(texts);
    await news.return();
  });

  it('the events of all rooms are polled while no WebSocket gets through, and are pushed again afterwards', async () => {
    const { id, owner } = await aRoom();
    const { proxy, WebSocket } = await aWay();
    let interval = 20;
    const news = clientOf(owner, { WebSocket }).live({ interval: () => interval, after: { [id]: 0 } });
    const hear = async (text: string) => {
      const taken = until(news, (one) => textOf(one) === text);
      await send(owner, id, text);
      expect((await taken).map(textOf)).toEqual([text]);
    };
    for (const mode of ['pass', 'down', 'pass', 'down', 'pass'] as const) {
      proxy.set(mode);
      news.wake();
      for (let n = 0; n < 5; n++) await hear(`${mode} ${n}`);
    }
    // After the last poll, all further news must come through the connection.
    interval = never;
    for (let n = 0; n < 5; n++) await hear(`${n}`);
    await news.return();
  });

  it('the events of all rooms include typing, a read marker that moved elsewhere, and the end of a membership', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [bob] });
    const { seq } = await send(ann, room.id, 'Hello');
    const hers = clientOf(ann).live({ interval: never, after: { [room.id]: 0 } });
    const his = clientOf(bob).live({ interval: never, after: { [room.id]: 0 } });
    await Promise.all([hers, his].map((news) => until(news, (one) => textOf(one) === 'Hello')));
    // They are connected when the first typing indicator arrives. Each sends one at most every 3
    // seconds.
    const isTyping = until(his, ({ type }) => type === 'typing');
    const next = hers.next();
    const typing = setInterval(() => hers.typing(room.id), 100);
    expect((await isTyping).at(-1)).toEqual({
      type: 'typing',
      room: { $oid: room.id },
      user: { $oid: ann.id },
      username: ann.username,
    });
    clearInterval(typing);

    const isRead = until(his, ({ type }) => type === 'read');
    const member = await memberId(room, bob);
    await unwrap(clientOf(bob).PATCH('/api/members/{member}', { params: { path: { member } }, body: { last_read: seq } }));
    expect((await isRead).at(-1)).toEqual({ type: 'read', room: { $oid: room.id }, last_read: seq });

    const isLeft = until(his, ({ type }) => type === 'left');
    await unwrap(clientOf(ann).DELETE('/api/members/{member}', { params: { path: { member } } }));
    expect((await isLeft).at(-1)).toEqual({ type: 'left', room: { $oid: room.id } });
    const isBack = until(his, (one) => textOf(one) === 'Welcome back');
    await unwrap(clientOf(ann).POST('/api/members', { body: { room: room.id, username: bob.username } }));
    await send(ann, room.id, 'Welcome back');
    expect((await isBack).map(textOf).at(-1)).toBe('Welcome back');
    await next;
    await Promise.all([hers.return(), his.return()]);
  });

  it('the events of all rooms end with the token', async () => {
    const { username, password } = await anAccount();
    const chat = createChatClient({ baseUrl });
    const { token = '' } = await unwrap(chat.POST('/api/sessions', { body: { username, password } }));
    const mine = createChatClient({ baseUrl, token });
    const news = mine.live({ interval: 50 });
    // A poll may be refused before the answer to the deletion arrives.
    const ended = expect(news.next()).rejects.toMatchObject({ name: 'ChatError', status: 401 });
    await unwrap(mine.DELETE('/api/sessions/{session}', { params: { path: { session: 'current' } } }));
    await ended;
  });
});

describe('the events of one room', () => {
  it('the events of one room are pushed over the same connection as all others', async () => {
    const { id, owner } = await aRoom();
    const opened: unknown[] = [];
    class Counted extends WebSocket {
      constructor(...[address, protocols]: ConstructorParameters<typeof WebSocket>) {
        super(address, protocols);
        opened.push(address);
      }
    }
    const chat = clientOf(owner, { WebSocket: Counted });
    const all = [chat.events(id, { after: 0, interval: never }), chat.events(id, { after: 0, interval: never })];
    const taken = Promise.all(all.map((events) => until(events, (one) => textOf(one) === '9')));
    for (let n = 0; n < 10; n++) await send(owner, id, `${n}`);
    const texts = Array.from({ length: 10 }, (_, n) => `${n}`);
    expect((await taken).map((events) => events.map(textOf))).toEqual([texts, texts]);
    expect(opened).toHaveLength(1);
    await Promise.all(all.map((events) => events.return()));
  });

  it('the events of one room are pushed to a token that may only read messages', async () => {
    const { id, owner } = await aRoom();
    const { token } = await unwrap(
      clientOf(owner).POST('/api/tokens', {
        body: { name: 'reader', scopes: ['messages:read'], current_password: owner.password },
      }),
    );
    const events = createChatClient({ baseUrl, token }).events(id, { after: 0, interval: 50 });
    const taken = until(events, (one) => textOf(one) === 'two');
    for (const text of ['one', 'two']) await send(owner, id, text);
    expect((await taken).map(textOf)).toEqual(['one', 'two']);
    await events.return();
  });
});
