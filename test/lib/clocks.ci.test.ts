import { setTimeout } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { connections } from '../../lib/collections/delivery/connections.ts';
import { pushSubscriptions } from '../../lib/collections/delivery/push-subscriptions.ts';
import { database } from '../../lib/database/client.ts';
import { addConnection } from '../../lib/gateway/connections.ts';
import { findCallersOf } from '../../lib/identity/authenticate.ts';
import { retryDevices, tellOfRoom } from '../../lib/notifications/tell.ts';
import { socketLimits } from '../../lib/push/frames.ts';
import { register } from '../../lib/push/servers.ts';
import { redeemTicket, type Ticket } from '../../lib/push/tickets.ts';
import { type Account, anAccount, anAddress, aSession, logIn } from '../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../support/config.ts';
import { aFile } from '../support/files.ts';
import { mailsTo } from '../support/mail.ts';
import { aMessage } from '../support/messages.ts';
import { aDevice, subscriptionOf, usePushService } from '../support/push-service.ts';
import { addMember, aRoom, everyPage, succeed } from '../support/rooms.ts';
import { type Call, inProcess, type Reply } from '../support/transports.ts';

usePushService();
useOwnDatabase();

useConfig({ RATE_LIMITS: 'on' });

/*
 * The machine's clock was hours ahead or behind, and is right again, so all stored times are wrong.
 * No refusal may last longer than its limit, nothing may live longer than allowed, and nothing may
 * be lost.
 */

/** Moves every stored time, in all fields. */
async function moveTimes(hours: number): Promise<void> {
  const move = (value: unknown): unknown => {
    if (value instanceof Date) return new Date(value.getTime() + hours * 3_600_000);
    if (Array.isArray(value)) return value.map(move);
    if (value?.constructor !== Object) return value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, move(one)]));
  };
  for (const { collectionName } of await database.collections()) {
    const all = database.collection(collectionName);
    for (const document of await all.find().toArray()) await all.replaceOne({ _id: document._id }, move(document) as object);
  }
}

/**
 * Retries after short refusals: a caller with an unfinished burst may have to wait as if the burst
 * was used up.
 */
const call: Call = async (...request) => {
  for (;;) {
    const reply = await inProcess(...request);
    if (waitOf(reply) === 0 || waitOf(reply) > 1) return reply;
    await setTimeout(1_000);
  }
};

/** The seconds until a rejected request may be retried; 0 if it was not rejected. */
const waitOf = ({ status, headers }: Reply): number => (status === 429 ? Number(headers['retry-after']) : 0);

const callerOf = async ({ token }: Account) => {
  const id = new ObjectId(((await call('GET', '/api/tokens', { token })).body as { _id: { $oid: string } }[])[0]?._id.$oid);
  const found = (await findCallersOf([id])).get(id.toHexString());
  if (!found) throw new Error('There is no such token');
  return found.caller;
};

const aCode = async ({ email }: Account): Promise<string> => {
  await call('POST', '/api/codes', { body: { email, purpose: 'password' }, source: anAddress() });
  return mailsTo(email).at(-1)?.code ?? '';
};
const setPassword = (code: string) => call('PUT', '/api/password', { body: { code, password: 'another horse' } });

const minutes = 60;

describe.each([
  ['ahead', 2],
  ['behind', -2],
])('the service after a clock that was two hours %s', (_way, hours) => {
  it('after a wrong clock sessions and named tokens are valid, and someone who guessed is let in again in time', async () => {
    const [ann, source] = [await anAccount(), anAddress()];
    const session = await aSession(call, ann);
    for (let wrong = 0; wrong < 6; wrong++) await logIn(call, ann.username, 'wrong horse', source);
    await moveTimes(hours);
    for (const token of [ann.token, session]) expect((await call('GET', '/api/users/me', { token })).status).toBe(200);
    expect(waitOf(await logIn(call, ann.username, ann.password, source))).toBeLessThanOrEqual(15 * minutes);
    expect((await logIn(call, ann.username, ann.password)).status).toBe(201);
  });

  it('after a wrong clock codes and tickets end, none lasts longer than it should, and there are new ones', async () => {
    const ann = await anAccount();
    const code = await aCode(ann);
    const { ticket } = (await call('POST', '/api/tickets', { token: ann.token, body: {} })).body as Ticket;
    await moveTimes(hours);
    expect([(await setPassword(code)).status, await redeemTicket(ticket)]).toEqual([404, undefined]);
    const again = await call('POST', '/api/tickets', { token: ann.token, body: {} });
    expect(await redeemTicket((again.body as Ticket).ticket)).toBeDefined();
    expect((await setPassword(await aCode(ann))).status).toBe(204);
  });

  it('after a wrong clock an invitation of a day ends within a day, and an invitation without an end stays', async () => {
    const room = await aRoom({ is_open: false });
    const invite = async (body: object) =>
      ((await succeed(call('POST', `${room.path}/invitations`, { token: room.owner.token, body }))).body as { code: string })
        .code;
    const inADay = new Date(Date.now() + 86_400_000).toISOString();
    const all = [await invite({}), await invite({ expires_at: { $date: inADay } })];
    await moveTimes(hours);
    for (const invitation of all)
      expect((await call('POST', '/api/members', { token: (await anAccount()).token, body: { invitation } })).status).toBe(201);
  });

  it('after a wrong clock a caller who used up a burst waits at most as long as a burst lasts', async () => {
    const ann = await anAccount();
    const room = await aRoom({ owner: ann });
    const send = () => inProcess('POST', '/api/messages', { token: ann.token, body: { room: room.id, text: 'Hello' } });
    const burst = Number((await send()).headers['ratelimit-policy']?.match(/q=(\d+)/)?.[1]);
    // Some more are allowed while these run.
    const all = await Promise.all(Array.from({ length: 2 * burst }, send));
    expect(all.some(({ status }) => status === 429)).toBe(true);
    await moveTimes(hours);
    const window = Number((await send()).headers['ratelimit-policy']?.match(/w=(\d+)/)?.[1]);
    expect(window).toBeLessThan(3_600);
    expect(waitOf(await send())).toBeLessThanOrEqual(window);
  });

  it('after a wrong clock the feed of a room has every change once and in order, also for readers that were there before', async () => {
    const ann = await anAccount();
    const room = await aRoom({ owner: ann });
    const before = await aMessage(ann, room.id, { text: 'before' }, call);
    const read = (after = '') => call('GET', `/api/events?room=${room.id}${after}`, { token: ann.token });
    const first = await read('&after=0');
    await moveTimes(hours);
    await aMessage(ann, room.id, { text: 'after' }, call);
    await succeed(call('PATCH', `/api/messages/${before._id.$oid}`, { token: ann.token, body: { text: 'edited' } }));
    const later = await read(`&after=${first.headers['x-next-cursor']}`);
    const types = [first, later].flatMap(({ body }) => (body as { type: string }[]).map(({ type }) => type));
    expect(types.filter((type) => type.startsWith('message.'))).toEqual(['message.created', 'message.created', 'message.edited']);
    const listed = (await everyPage(call, `/api/messages?room=${room.id}`, ann.token)) as unknown as { text: string }[];
    expect(listed.map(({ text }) => text).toSorted()).toEqual(['after', 'edited']);
  });

  it('after a wrong clock devices are notified immediately, also of messages that were due later', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann });
    await addMember(room, bob);
    const device = aDevice();
    const { key } = (await call('GET', '/api/push-subscription', bob)).body as { key: string };
    await succeed(
      call('PUT', '/api/push-subscription', { token: bob.token, body: { ...subscriptionOf(device, key), of: 'all' } }),
    );
    const id = room.id;
    await aMessage(ann, id, { text: 'one' }, call);
    device.answer = { status: 503 };
    await tellOfRoom(id);
    expect(await pushSubscriptions.countDocuments({ endpoint: device.endpoint, retry: { $exists: true } })).toBe(1);
    device.answer = { status: 201 };
    await moveTimes(hours);
    await aMessage(ann, id, { text: 'two' }, call);
    await tellOfRoom(id);
    expect(device.pushes.map(({ payload }) => payload.text)).toEqual(['two']);
    await retryDevices();
    expect(await pushSubscriptions.countDocuments({ endpoint: device.endpoint, retry: { $exists: true } })).toBe(0);
  });

  it('after a wrong clock, closed connections and stopped servers do not count', async () => {
    const caller = await callerOf(await anAccount());
    const ids = Array.from({ length: socketLimits.perUser }, () => new ObjectId().toHexString());
    for (const id of ids) await addConnection(id, caller);
    await register('gone', 'another server');
    await moveTimes(hours);
    await addConnection('new', caller);
    expect(await connections.countDocuments({ _id: 'new' })).toBe(1);
    expect((await register('here', 'this server')).others).toBe(0);
  });

  it('after a wrong clock files that were announced can be sent', async () => {
    const ann = await anAccount();
    const room = await aRoom({ owner: ann });
    const { id } = await aFile(ann, room.id);
    await moveTimes(hours);
    const message = await aMessage(ann, room.id, { text: '', files: [id] }, call);
    expect(message.files).toHaveLength(1);
  });
});
