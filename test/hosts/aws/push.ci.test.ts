import { createChatClient, type Event } from 'chat-service-client';
import { ObjectId } from 'mongodb';
import { afterAll, afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { tokens } from '../../../lib/collections/accounts/tokens.ts';
import { connections } from '../../../lib/collections/delivery/connections.ts';
import { pushSubscriptions } from '../../../lib/collections/delivery/push-subscriptions.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { anAccount, anAdmin, aSession } from '../../support/accounts.ts';
import { aBot } from '../../support/bots.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { startGateway } from '../../support/gateway.ts';
import { runSchedule } from '../../support/jobs.ts';
import { aMessage } from '../../support/messages.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { aRoom, aRoomOf, memberId, succeed } from '../../support/rooms.ts';
import { commandsOf, planOf } from '../../support/sent-commands.ts';
import { connected, open, type TestSocket } from '../../support/sockets.ts';
import { overHttp } from '../../support/transports.ts';

usePushService();
useOwnDatabase();
await useDatabaseOutside();

const gateway = await startGateway();
const { url } = gateway;
const call = overHttp(url);
const quiet = { ...gateway.trouble };
afterAll(gateway.close);

const opened: TestSocket[] = [];
const connect = async (account: Parameters<typeof connected>[1]) => {
  const socket = await connected(url, account);
  opened.push(socket);
  return socket;
};
beforeEach(() => void Object.assign(gateway, { trouble: { ...quiet }, posted: {}, invocations: 0 }));
afterEach(async () => {
  for (const { socket } of opened.splice(0)) socket.terminate();
  await gateway.idle();
  await connections.deleteMany({});
  expect(gateway.afterAnswer).toEqual([]);
});

const idOf = ({ of }: TestSocket) => of('hello')[0]?.connection ?? '';

describe('a service to which nobody is connected', () => {
  it('no function is invoked while nobody is connected, and nothing waits longer', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    // The use of a token is noted once an hour.
    await aMessage(ann, room, {}, call);
    const commands = await commandsOf(() => aMessage(ann, room, {}, call));
    expect(commands.map(({ name, collection }) => `${name} ${collection}`)).toEqual([
      'aggregate tokens',
      'findAndModify rooms',
      // The check for connections, devices and webhooks runs beside the insert.
      'find connections',
      'find push_subscriptions',
      'find rooms',
      'find bot_webhooks',
      'insert messages',
    ]);
    // Of these, the first document is read, if there is any.
    const anyOf = ['push_subscriptions', 'bot_webhooks'];
    const looks = commands.filter(({ name, collection }) => name === 'find' && !anyOf.includes(collection));
    for (const look of looks) expect(await planOf(look)).toContain('IXSCAN');
    expect(gateway.invocations).toBe(0);
  });

  it('no function is invoked for a text that streams while only a device is subscribed', async () => {
    const [ann, bot] = await Promise.all([anAccount(), aBot()]);
    const room = await aRoomOf([ann, bot]);
    const { key } = (await call('GET', '/api/push-subscription', { token: ann.token })).body as { key: string };
    onTestFinished(async () => void (await pushSubscriptions.deleteMany({ user: new ObjectId(ann.id) })));
    const device = { ...subscriptionOf(aDevice(), key), of: 'all' };
    await succeed(call('PUT', '/api/push-subscription', { token: ann.token, body: device }));
    const body = { room, is_streaming: true };
    const { _id } = (await succeed(call('POST', '/api/messages', { token: bot.token, body }))).body as Message;
    const before = gateway.invocations;
    const append = () => call('PATCH', `/api/messages/${_id.$oid}`, { token: bot.token, body: { append: 'One', at: 0 } });
    // A function accepts one chunk a second.
    await expect.poll(async () => (await append()).status).toBe(200);
    const activity = { token: bot.token, body: { activity: 'Running tests…' } };
    await succeed(call('PATCH', `/api/threads/${_id.$oid}`, activity));
    expect(gateway.invocations).toBe(before);
  });

  it('no function is invoked while nobody is connected, even after somebody was', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const socket = await connect(ann);
    await aMessage(bob, room, {}, call);
    expect(gateway.invocations).toBe(1);
    socket.socket.close();
    await expect.poll(() => connections.countDocuments({})).toBe(0);
    await aMessage(bob, room, {}, call);
    expect(gateway.invocations).toBe(1);
  });
});

describe('a write', () => {
  it.each([
    ['are refused', 429],
    ['fail', 500],
    ['are not answered', 0],
  ])('a write succeeds while invocations %s', async (_how, refused) => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const socket = await connect(ann);
    gateway.trouble.refused = refused;
    await aMessage(bob, room, {}, call);
    expect(gateway.invocations).toBe(1);
    gateway.trouble.refused = undefined;
    await aMessage(bob, room, {}, call);
    await expect.poll(() => socket.of('room', room).at(-1)?.seq).toBe(2);
  });

  it('a write is announced even if the connection to Lambda that the function had kept has ended', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const socket = await connect(ann);
    await aMessage(bob, room, {}, call);
    gateway.trouble.stale = true;
    await aMessage(bob, room, {}, call);
    await expect.poll(() => socket.events(room)).toHaveLength(2);
  });

  it('a write that concerns too many users for one invocation makes several invocations', async () => {
    const [owner, admin] = await Promise.all([anAccount(), anAdmin()]);
    const room = await aRoomOf([owner]);
    const member = () => ({ _id: new ObjectId(), user: new ObjectId(), role: 'member' as const, joined_at: new Date() });
    const crowd = Array.from({ length: 9_999 }, member);
    await rooms.updateOne({ _id: new ObjectId(room) }, { $push: { members: { $each: crowd } } });
    const socket = await connect(owner);
    await succeed(call('DELETE', `/api/rooms/${room}`, { token: admin.token }));
    await expect.poll(() => socket.of('left', room)).toHaveLength(1);
    expect(gateway.invocations).toBe(2);
  });
});

describe('a connection', () => {
  it('a connection is not removed because of an event that comes while it is being opened', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const other = await connect(bob);
    const opening = await open(url, ['chat.v1'], { headers: { 'X-Auth-Token': ann.token } });
    await aMessage(bob, room, {}, call);
    await expect.poll(() => other.events(room)).toHaveLength(1);
    await gateway.idle();
    expect({ frames: opening.frames, gone: gateway.posted[410] }).toEqual({ frames: [], gone: undefined });
    opening.send({ type: 'hello' });
    await expect.poll(() => opening.of('hello')).toHaveLength(1);
    await aMessage(bob, room, {}, call);
    await expect.poll(() => opening.of('room', room).at(-1)?.seq).toBe(2);
    opening.socket.terminate();
  });

  it('a connection that has silently ended is removed when something is sent to it', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const [lost, stays] = await Promise.all([connect(ann), connect(bob)]);
    gateway.cut(idOf(lost));
    await aMessage(bob, room, {}, call);
    await expect.poll(() => stays.events(room)).toHaveLength(1);
    await expect.poll(() => connections.countDocuments({ _id: idOf(lost) })).toBe(0);
    expect(gateway.posted).toEqual({ 200: 1, 410: 1 });
  });

  it('a removed connection is asked to reconnect when it pings', async () => {
    const socket = await connect(await anAccount());
    await connections.deleteOne({ _id: idOf(socket) });
    socket.send({ type: 'ping', id: 1 });
    await socket.closed;
    expect(socket.of('bye')).toEqual([{ type: 'bye', code: 4000, reason: 'unknown', reconnect: true }]);
  });

  it('a connection whose token has expired receives nothing more, and ends with the next frame of either side', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const [mine, other] = await Promise.all([aSession(call, ann), aSession(call, ann)]);
    const [first, second] = [await connect({ token: mine }), await connect({ token: other })];
    await tokens.updateMany(
      { user: new ObjectId(ann.id), kind: 'session' },
      { $set: { expires_at: new Date(Date.now() - 1_000) } },
    );
    first.send({ type: 'ping', id: 1 });
    await first.closed;
    await aMessage(bob, room, {}, call);
    await second.closed;
    for (const { of } of [first, second]) {
      expect(of('bye')).toEqual([{ type: 'bye', code: 4401, reason: 'ended', reconnect: false }]);
      expect(of('room')).toEqual([]);
    }
    await expect.poll(() => connections.countDocuments({})).toBe(0);
  });

  it('a connection counts toward the limit of its user for eleven minutes after its last frame', async () => {
    const ann = await anAccount();
    const socket = await connect(ann);
    const [stored] = await connections.find({ _id: idOf(socket) }).toArray();
    expect((stored?.expires_at.getTime() ?? 0) - (stored?.heard_at.getTime() ?? 0)).toBe(660_000);
    const past = { free_at: new Date(), heard_at: new Date(0), expires_at: new Date(Date.now() - 1_000) };
    const { _id: _, ...fields } = stored as NonNullable<typeof stored>;
    await connections.insertMany(Array.from({ length: 20 }, (_, at) => ({ ...fields, ...past, _id: `dead${at}` })));
    await expect(connect(ann)).resolves.toBeDefined();
  });
});

describe('a gateway that throttles', () => {
  it('a gateway that throttles is not called again, and the unsent events are found in the feed', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const socket = await connect(ann);
    const since = socket.of('hello')[0]?.now;
    gateway.trouble.rate = 0;
    await aMessage(bob, room, {}, call);
    await gateway.idle();
    expect(gateway.posted).toEqual({ 429: 1 });
    socket.send({ type: 'ping', id: 1, since });
    await expect.poll(() => socket.of('pong')[0]?.rooms).toContainEqual({ room: { $oid: room }, seq: 1 });
    expect(socket.of('room', room)).toEqual([]);
  });
});

describe('a member who is removed while others write', () => {
  it.each([0, 1, 2])('a member who is removed while others write is pushed no later event (%i)', async () => {
    const [owner, writer, member] = await Promise.all([anAccount(), anAccount(), anAccount()]);
    const room = await aRoom({ owner, members: [writer, member] });
    const [stays, goes] = await Promise.all([connect(owner), connect(member)]);
    const path = `/api/members/${await memberId(room, member)}`;
    Object.assign(gateway.trouble, { late: 100, doubled: 0.2 });
    const writers = Array.from({ length: 4 }, async () => {
      for (let count = 0; count < 15; count++) await aMessage(writer, room.id, {}, call);
    });
    await expect.poll(() => goes.events(room.id).length).toBeGreaterThan(2);
    await succeed(call('DELETE', path, { token: owner.token }));
    await Promise.all(writers);
    await gateway.idle();
    await expect.poll(() => Math.max(...stays.of('room', room.id).map(({ seq }) => seq))).toBe(63);
    const { body: feed } = await call('GET', `/api/events?room=${room.id}&after=0&limit=100`, { token: owner.token });
    const removal = (feed as Event[]).find(({ type }) => type === 'member.kicked');
    expect(removal).toBeDefined();
    await expect.poll(() => goes.of('left', room.id).length).toBeGreaterThan(0);
    expect(goes.of('room', room.id).filter(({ seq }) => seq >= (removal?.seq ?? 0))).toEqual([]);
  });
});

describe('invocations that are lost, doubled and overtake each other', () => {
  it('clients have exactly the feed after lost, duplicated and reordered invocations', async () => {
    const people = await Promise.all(Array.from({ length: 3 }, () => anAccount()));
    const [ann, bob] = people as [(typeof people)[number], (typeof people)[number]];
    const all = await Promise.all([aRoomOf(people), aRoomOf(people)]);
    const after = Object.fromEntries(all.map((room) => [room, 0]));
    const stop = new AbortController();
    const logs = people.map(({ token }) => {
      const log: Event[] = [];
      const client = createChatClient({ baseUrl: url, token });
      // So rarely that each event was pushed, or missed by a push.
      const news = client.live({ interval: 600_000, signal: stop.signal, after });
      const following = (async () => {
        for await (const one of news) if ('seq' in one) log.push(one);
      })();
      return { log, following };
    });
    await expect.poll(() => connections.countDocuments({ is_greeted: true })).toBe(3);

    Object.assign(gateway.trouble, { lost: 0.3, doubled: 0.3, late: 300 });
    const writing = [ann, bob].flatMap((who) =>
      all.map(async (room) => {
        for (let count = 0; count < 20; count++) {
          const { _id } = await aMessage(who, room, { text: `${count}` }, call);
          if (count % 5 === 0)
            await succeed(call('PUT', `/api/messages/${_id.$oid}/reactions/owl`, { token: bob.token, body: {} }));
        }
      }),
    );
    await Promise.all(writing);
    await gateway.idle();
    Object.assign(gateway.trouble, quiet);
    // The next event shows that one was missed.
    for (const room of all) await aMessage(ann, room, { text: 'over' }, call);

    for (const room of all) {
      const { body } = await succeed(call('GET', `/api/events?room=${room}&after=0&limit=200`, { token: ann.token }));
      const feed = (body as Event[]).map(({ seq, type }) => `${seq} ${type}`);
      expect(feed).toHaveLength(49);
      for (const { log } of logs)
        await expect.poll(() => log.flatMap((one) => (one.room.$oid === room ? `${one.seq} ${one.type}` : []))).toEqual(feed);
    }
    stop.abort();
    await Promise.all(logs.map(({ following }) => following.catch(() => undefined)));
  });
});

describe('devices whose page is closed', () => {
  it('devices with a closed page are notified once by a function, even if it runs several times', async () => {
    const { ann, bob, room, device } = await twoAndADevice();
    Object.assign(gateway.trouble, { doubled: 1 });
    await aMessage(bob, room, { text: `@${ann.username} hello` }, call);
    await gateway.idle();
    expect(textsOf(device)).toEqual([`@${ann.username} hello`]);
    await pushSubscriptions.deleteMany({});
  });

  it('devices with a closed page are notified once by the schedule if the invocation was lost', async () => {
    const { ann, bob, room, device } = await twoAndADevice();
    Object.assign(gateway.trouble, { lost: 1 });
    await aMessage(bob, room, { text: `@${ann.username} hello` }, call);
    await gateway.idle();
    await runSchedule();
    await gateway.idle();
    expect(textsOf(device)).toEqual([]);
    await rooms.updateOne({ _id: new ObjectId(room) }, { $set: { changed_at: new Date(Date.now() - 61_000) } });
    await runSchedule();
    await gateway.idle();
    await runSchedule();
    await gateway.idle();
    expect(textsOf(device)).toEqual([`@${ann.username} hello`]);
    await pushSubscriptions.deleteMany({});
  });
});

/** Creates a room with two members; the second one has a device. */
async function twoAndADevice() {
  const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
  const room = await aRoomOf([ann, bob]);
  const device = aDevice();
  const { body } = await succeed(call('GET', '/api/push-subscription', { token: ann.token }));
  const subscription = subscriptionOf(device, (body as { key: string }).key);
  await succeed(call('PUT', '/api/push-subscription', { token: ann.token, body: subscription }));
  return { ann, bob, room, device };
}

const textsOf = ({ pushes }: Device) => pushes.map(({ payload }) => payload.text);
