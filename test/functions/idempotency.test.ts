import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { idempotencyKeyOf } from '../../lib/api/idempotency.ts';
import { messages } from '../../lib/collections/rooms/messages.ts';
import { rooms } from '../../lib/collections/rooms/rooms.ts';
import type { Event } from '../../lib/feed/events.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { messageCount } from '../../lib/rooms/counters.ts';
import { loadPaths } from '../../tools/harness/functions.ts';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { placeIn } from '../support/cursors.ts';
import { refusals } from '../support/error-bodies.ts';
import { announced } from '../support/files.ts';
import { aMessage } from '../support/messages.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf, succeed } from '../support/rooms.ts';
import { inProcess, transports } from '../support/transports.ts';

const idempotent = (await loadPaths()).flatMap(({ path, operations }) =>
  Object.entries(operations).flatMap(([method, { isIdempotent }]) => (isIdempotent ? [`${method} ${path}`] : [])),
);
const [ada, bob, admin, other] = await Promise.all([anAccount(), anAccount(), anAdmin(), anAdmin()]);
const reused = { title: 'Idempotency key reused', description: 'The key was used with a different request.', code: 'key_reused' };
const { code: _, ...withoutCode } = reused;
const aKey = () => ({ 'idempotency-key': crypto.randomUUID() });

describe.each(transports())('Idempotency-Key on POST /api/messages, %s', (_transport, call) => {
  it('POST /api/messages with a key sends one message, however often the request is repeated', async () => {
    const room = await aRoomOf([ada]);
    const sent = { token: ada.token, headers: aKey(), body: { room, text: 'Hello' } };
    const first = await call('POST', '/api/messages', sent);
    expect(first.headers).not.toHaveProperty('idempotency-replayed');
    for (let times = 0; times < 2; times++) {
      const again = await call('POST', '/api/messages', sent);
      expect(outcome(again)).toEqual(outcome(first));
      expect(again.headers).toMatchObject({ 'idempotency-replayed': 'true' });
    }
    expect((await call('GET', `/api/messages?room=${room}`, { token: ada.token })).body).toEqual([first.body]);
  });

  it.each<[string, (room: string, thread: string) => object]>([
    ['text', (room) => ({ room, text: 'Bye' })],
    ['thread', (room, thread) => ({ room, text: 'Hello', thread })],
    ['room', () => ({ room: 'f'.repeat(24), text: 'Hello' })],
  ])('a key is refused with another %s', async (_what, body) => {
    const room = await aRoomOf([ada]);
    const { _id } = await aMessage(ada, room);
    const headers = aKey();
    const first = await call('POST', '/api/messages', { token: ada.token, headers, body: { room, text: 'Hello' } });
    const second = await call('POST', '/api/messages', { token: ada.token, headers, body: body(room, _id.$oid) });
    expect([first.status, outcome(second)]).toEqual([201, { status: 422, body: reused }]);
  });

  it('a key finds a message of an earlier version without files and replies in the room', async () => {
    const room = await aRoomOf([ada]);
    const headers = aKey();
    const body = { room, text: 'Hello' };
    const { body: sent } = await call('POST', '/api/messages', { token: ada.token, headers, body });
    const { _id } = sent as Message;
    const stored = await messages.findOne({ _id: new ObjectId(_id.$oid) });
    expect(stored).toMatchObject(idempotencyKeyOf(headers, new ObjectId(room), 'Hello', null) as object);
  });

  it('a key belongs to one account', async () => {
    const room = await aRoomOf([ada, bob]);
    const headers = aKey();
    const sent = [ada, bob].map(({ token }) => call('POST', '/api/messages', { token, headers, body: { room, text: 'Hello' } }));
    const [one, two] = (await Promise.all(sent)).map(({ body }) => body as Message);
    expect(one?._id).not.toEqual(two?._id);
  });

  it('a repeated request returns the message as it is now, edited or deleted', async () => {
    const room = await aRoomOf([ada]);
    const sent = { token: ada.token, headers: aKey(), body: { room, text: 'Hello' } };
    const { _id } = (await call('POST', '/api/messages', sent)).body as Message;
    await call('PATCH', `/api/messages/${_id.$oid}`, { token: ada.token, body: { text: 'Other' } });
    expect(await call('POST', '/api/messages', sent)).toMatchObject({ status: 201, body: { _id, text: 'Other' } });
    await call('DELETE', `/api/messages/${_id.$oid}`, { token: ada.token });
    expect(await call('POST', '/api/messages', sent)).toMatchObject({ status: 201, body: { _id, text: '' } });
  });

  it('a key sends one message for 12 concurrent requests, and leaves no gap that a feed would wait at', async () => {
    const room = await aRoomOf([ada]);
    const sent = { token: ada.token, headers: aKey(), body: { room, text: 'Hello' } };
    const replies = await Promise.all(Array.from({ length: 12 }, () => call('POST', '/api/messages', sent)));
    expect(new Set(replies.map((reply) => JSON.stringify(outcome(reply)))).size).toBe(1);
    expect(replies.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1);
    const next = await aMessage(ada, room);
    const { headers, body } = await call('GET', `/api/events?room=${room}&after=0`, { token: ada.token });
    expect((body as Event[]).map(({ data }) => data)).toEqual([replies[0]?.body, next]);
    expect(placeIn(headers['x-next-cursor'])).toBe(String(next.seq));
    const stored = await rooms.findOne({ _id: new ObjectId(room) });
    expect(stored && messageCount(stored)).toBe(2);
  });
});

describe.each(transports())('Idempotency-Key on POST /api/rooms, %s', (_transport, call) => {
  it('a key creates one room for 8 concurrent requests', async () => {
    const sent = { token: admin.token, headers: aKey(), body: { name: `Room ${crypto.randomUUID()}` } };
    const replies = await Promise.all(Array.from({ length: 8 }, () => call('POST', '/api/rooms', sent)));
    expect(new Set(replies.map((reply) => JSON.stringify(outcome(reply)))).size).toBe(1);
    expect(replies[0]?.status).toBe(201);
    expect(replies.filter(({ headers }) => !headers['idempotency-replayed'])).toHaveLength(1);
    expect(await rooms.countDocuments({ name: sent.body.name })).toBe(1);
  });

  it('a key is refused with another name of a room, and accepted from another account', async () => {
    const headers = aKey();
    const post = (token: string, name: string) => call('POST', '/api/rooms', { token, headers, body: { name } });
    expect((await post(admin.token, 'One')).status).toBe(201);
    expect(outcome(await post(admin.token, 'Two'))).toEqual({ status: 422, body: withoutCode });
    expect((await post(other.token, 'Two')).status).toBe(201);
  });
});

describe('a retry by someone who was banned from the room meanwhile', () => {
  const ban = async (room: string, { id }: { id: string }) => {
    const stored = await rooms.findOne({ _id: new ObjectId(room) });
    const member = stored?.members.find(({ user }) => user.equals(id))?._id;
    await succeed(inProcess('DELETE', `/api/members/${member}?ban=true`, { token: admin.token }));
  };
  const hide = (room: string) =>
    succeed(
      inProcess('PUT', `/api/rooms/${room}`, { token: admin.token, body: { name: 'Secret', is_open: false, is_visible: false } }),
    );

  // Changes to the room and the message between a request and its retry. The retry gets the
  // response to the first request, or "no such room".
  const scenes: Record<string, (after: 'nothing' | 'a deletion') => Promise<void>> = {
    'POST /api/messages': async (after) => {
      const room = await aRoomOf([bob, ada]);
      const sent = { token: ada.token, headers: aKey(), body: { room, text: 'Hello' } };
      const { body } = await succeed(inProcess('POST', '/api/messages', sent));
      await ban(room, ada);
      await hide(room);
      if (after === 'a deletion')
        await succeed(inProcess('DELETE', `/api/messages/${(body as Message)._id.$oid}`, { token: admin.token }));
      expect(outcome(await inProcess('POST', '/api/messages', sent))).toEqual(refusals.noSuch('room'));
      const another = { ...sent, body: { room, text: 'Another' } };
      expect(outcome(await inProcess('POST', '/api/messages', another))).toEqual(refusals.noSuch('room'));
    },
    'POST /api/webhooks/{secret}': async () => {
      const path = `/api/rooms/${await aRoomOf([ada, bob])}/webhooks`;
      const { token } = ada;
      const made = (await succeed(inProcess('POST', path, { token, body: {} }))).body as {
        _id: { $oid: string };
        secret: string;
      };
      const send = (sent: object) => inProcess('POST', `/api/webhooks/${made.secret}`, sent);
      const sent = { headers: aKey(), body: { text: 'Hello' } };
      const first = await succeed(send(sent));
      const { $oid: message } = (first.body as Message)._id;
      await succeed(inProcess('PUT', `/api/messages/${message}/reactions/%F0%9F%91%8D`, { token, body: {} }));
      expect(outcome(await send(sent))).toEqual(outcome(first));
      await succeed(inProcess('DELETE', `${path}/${made._id.$oid}`, { token }));
      expect(outcome(await send(sent))).toEqual(refusals.noSuch('webhook'));
    },
    'POST /api/files': async () => {
      const room = await aRoomOf([bob, ada]);
      const sent = { token: ada.token, headers: aKey(), body: announced(room) };
      await succeed(inProcess('POST', '/api/files', sent));
      await ban(room, ada);
      await hide(room);
      expect(outcome(await inProcess('POST', '/api/files', sent))).toEqual(refusals.noSuch('room'));
    },
    'POST /api/directory': async () => {
      const creator = await anAccount();
      const sent = { token: creator.token, headers: aKey(), body: { name: 'Plans', is_open: false, is_visible: false } };
      const first = await succeed(inProcess('POST', '/api/directory', sent));
      const { $oid: room } = (first.body as { _id: { $oid: string } })._id;
      const { token } = admin;
      await succeed(inProcess('POST', '/api/members', { token, body: { room, user: bob.id, role: 'owner' } }));
      await ban(room, creator);
      expect(outcome(await inProcess('POST', '/api/directory', sent))).toEqual(outcome(first));
      const another = { ...sent, body: { ...sent.body, is_open: true } };
      expect(outcome(await inProcess('POST', '/api/directory', another))).toEqual({ status: 422, body: reused });
    },
    'POST /api/rooms': async () => {
      const creator = await anAdmin();
      const sent = { token: creator.token, headers: aKey(), body: { name: 'Open' } };
      const first = await succeed(inProcess('POST', '/api/rooms', sent));
      const { $oid: room } = (first.body as { _id: { $oid: string } })._id;
      const { token } = admin;
      await succeed(inProcess('POST', '/api/members', { token, body: { room, user: bob.id, role: 'owner' } }));
      await ban(room, creator);
      await hide(room);
      expect(outcome(await inProcess('POST', '/api/rooms', sent))).toEqual(outcome(first));
    },
  };

  it('every idempotent operation has a case of a retry by someone who was banned', () => {
    expect(Object.keys(scenes).sort()).toEqual(idempotent.sort());
  });

  it.each(Object.keys(scenes).flatMap((name) => (['nothing', 'a deletion'] as const).map((after) => [name, after] as const)))(
    'a retry of %s by a banned user tells nothing new (before it: %s)',
    async (name, after) => {
      await scenes[name]?.(after);
    },
  );
});
