import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { toObjectId } from '../../lib/api/extended-json.ts';
import { tickets } from '../../lib/collections/delivery/tickets.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import { hashToken } from '../../lib/identity/authenticate.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { anAccount, aSession } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { startGateway } from '../support/gateway.ts';
import { aMessage } from '../support/messages.ts';
import { agentOf, aQuestion, aRoomWithBot, press } from '../support/questions.ts';
import { addMember, aRoom, aRoomOf, memberId, succeed } from '../support/rooms.ts';
import { offlineUrl } from '../support/services.ts';
import { aServer, aTicket, connected, type Frame, open, type TestSocket } from '../support/sockets.ts';
import { type Call, inProcess, overHttp } from '../support/transports.ts';

const epoch = expect.stringMatching(/^[0-9a-f]{15}$/);

/** A way to run the service: its address, and how changes reach the connected clients. */
type Way = { url: string; call: Call; close: () => Promise<void> };

const server = async (): Promise<Way> => ({ ...(await aServer()), call: inProcess });
const gateway = async (): Promise<Way> => {
  const { url, close } = await startGateway();
  return { url, close, call: overHttp(url) };
};
// Both of its servers run for all tests.
const emulator = async (): Promise<Way> => {
  const url = await offlineUrl();
  return { url, call: overHttp(url), close: async () => undefined };
};

/** Functions cannot keep the order of a room, or choose the code of a closed connection. */
const byServer = { isServer: true, times: { ping: 50, presence: true } };
const byFunctions = { isServer: false, times: { ping: 240, lifetime: 7_200 } };

describe.each([
  { name: 'npm run serve', start: server, ...byServer },
  { name: 'Lambda and API Gateway', start: gateway, ...byFunctions },
  { name: 'serverless-offline', start: emulator, ...byFunctions },
])('the WebSocket API under $name', ({ start, isServer, times }) => {
  let url: string;
  let call: Call;
  let path: string;
  let close: () => Promise<void>;
  beforeAll(async () => {
    ({ url, call, close } = await start());
    path = (await aTicket(url, await anAccount())).url;
  });
  afterAll(() => close());

  const ticketed = async (account: Parameters<typeof aTicket>[1]) => [
    'chat.v1',
    `ticket.${(await aTicket(url, account)).ticket}`,
  ];
  const openHere = (protocols: string[], handshake = {}) => open(url, protocols, { path, ...handshake });

  /** If a gateway cannot give the reason for closing a connection, the last frame has it. */
  const codeOf = async ({ closed, of }: Pick<TestSocket, 'closed' | 'of'>) => {
    const code = await closed;
    return isServer ? code : of('bye')[0]?.code;
  };

  describe('a connection', () => {
    it('a connection is opened with a ticket and our subprotocol, and answers hello', async () => {
      const { socket, of } = await connected(url, await anAccount());
      expect(socket.protocol).toBe('chat.v1');
      expect(of('hello')).toEqual([
        { type: 'hello', connection: expect.any(String), ...times, now: { $date: expect.any(String) }, epoch },
      ]);
      socket.close();
    });

    it('a connection is opened with a token in X-Auth-Token as well', async () => {
      const { token } = await anAccount();
      const { socket } = await openHere(['chat.v1'], { headers: { 'X-Auth-Token': token } });
      socket.close();
    });

    it('a connection is not opened twice with one ticket', async () => {
      const protocols = await ticketed(await anAccount());
      const { socket } = await openHere(protocols);
      await expect(openHere(protocols)).rejects.toThrow('refused with 401');
      socket.close();
    });

    it('a connection is opened only once when many show the same ticket concurrently', async () => {
      const protocols = await ticketed(await anAccount());
      const opened = await Promise.allSettled(Array.from({ length: 8 }, () => openHere(protocols)));
      expect(opened.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });

    it('a connection is not opened with a ticket that has expired', async () => {
      const account = await anAccount();
      const { ticket } = await aTicket(url, account);
      await tickets.updateOne({ _id: hashToken(ticket) }, { $set: { expires_at: new Date(Date.now() - 1_000) } });
      await expect(openHere(['chat.v1', `ticket.${ticket}`])).rejects.toThrow('refused with 401');
    });

    it('a connection is not opened with a ticket whose token has ended', async () => {
      const account = await anAccount();
      const session = await aSession(call, account);
      const protocols = await ticketed({ token: session });
      await succeed(call('DELETE', '/api/sessions/current', { token: session }));
      await expect(openHere(protocols)).rejects.toThrow('refused with 401');
    });

    it.each([
      ['without a ticket or a token', ['chat.v1'], {}, 401],
      ['with an unknown ticket', ['chat.v1', `ticket.${'a'.repeat(32)}`], {}, 401],
      ['with a value that is not a ticket', ['chat.v1', 'ticket.x'], {}, 401],
      ['without our subprotocol', ['chat.v0'], {}, 400],
    ])('a connection is not opened %s', async (_how, protocols, handshake, status) => {
      await expect(openHere(protocols, handshake)).rejects.toThrow(`refused with ${status}`);
    });

    it('a connection is not opened by the cookie of a browser, because any page can make the browser send it', async () => {
      const session = await aSession(call, await anAccount());
      const headers = { cookie: `session=${session}`, 'sec-fetch-site': 'same-origin' };
      await expect(openHere(['chat.v1'], { headers })).rejects.toThrow('refused with 401');
    });

    it('a connection is not opened by a token without the scope', async () => {
      const { id } = await anAccount();
      const { token } = await createToken(toObjectId({ $oid: id }), 'narrow', { scopes: ['rooms:read'] });
      await expect(openHere(['chat.v1'], { headers: { 'X-Auth-Token': token } })).rejects.toThrow('refused with 403');
    });

    it('a connection is refused as the eleventh of its user, and the other ten stay', async () => {
      const account = await anAccount();
      const sockets = await Promise.all(Array.from({ length: 10 }, () => connected(url, account)));
      await expect(openHere(await ticketed(account))).rejects.toThrow('refused with 429');
      sockets[0]?.socket.close();
      await sockets[0]?.closed;
      await expect.poll(async () => openHere(await ticketed(account)).then(({ socket }) => socket.close())).toBeUndefined();
      expect(sockets[1]?.socket.readyState).toBe(1);
      for (const { socket } of sockets) socket.close();
    });
  });

  describe('the connections of a user that are opened at the same moment', () => {
    it('no more than ten of the connections that a user opens at the same moment are opened', async () => {
      const { token } = await anAccount();
      const opening = Array.from({ length: 25 }, () => openHere(['chat.v1'], { headers: { 'X-Auth-Token': token } }));
      const opened = await Promise.allSettled(opening);
      const sockets = opened.flatMap((one) => (one.status === 'fulfilled' ? [one.value.socket] : []));
      expect(sockets.length).toBeLessThanOrEqual(10);
      if (isServer) expect(sockets).toHaveLength(10);
      for (const socket of sockets) socket.close();
    });
  });

  describe('the push of a room', () => {
    it('the push of a room reaches every connected member, in order, as the feed has it', async () => {
      const [ann, bob, stranger] = await Promise.all([anAccount(), anAccount(), anAccount()]);
      const room = await aRoomOf([ann, bob]);
      const sockets = await Promise.all([connected(url, ann), connected(url, bob)]);
      const outside = await connected(url, stranger);
      const message = await aMessage(ann, room, { text: 'Hello' }, call);
      await succeed(call('PATCH', `/api/messages/${message._id.$oid}`, { token: ann.token, body: { text: 'Good morning' } }));
      await succeed(call('PUT', `/api/messages/${message._id.$oid}/reactions/owl`, { token: bob.token, body: {} }));
      for (const socket of sockets) await expect.poll(() => inOrder(socket.of('room', room))).toHaveLength(3);

      const { body: feed } = await call('GET', `/api/events?room=${room}&after=0`, { token: ann.token });
      for (const { of, socket } of sockets) {
        const frames = of('room', room);
        if (isServer) expect(frames.map(({ after }) => after)).toEqual([0, ...frames.slice(0, -1).map(({ seq }) => seq)]);
        expect(inOrder(frames).map(({ seq, type }) => ({ seq, type }))).toEqual(
          (feed as { seq: number; type: string }[]).map(({ seq, type }) => ({ seq, type })),
        );
        socket.close();
      }
      expect(outside.of('room')).toEqual([]);
      outside.socket.close();
    });

    it('the push of a room has the press of a button', async () => {
      const { room, bot, ann, bob } = await aRoomWithBot();
      const asked = await aQuestion(bot, room, {}, call);
      const reader = await connected(url, bob);
      await succeed(press(ann, asked, 'no', {}, call));
      const presses = [{ action: 'no', user: { $oid: ann.id } }];
      await expect
        .poll(() => reader.events(room.id).at(-1))
        .toMatchObject({ type: 'action.pressed', actor: { $oid: ann.id }, data: { presses } });
      reader.socket.close();
    });

    it('the push of a room leaves out events that the client did not want or that are too large', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const room = await aRoomOf([ann, bob]);
      const bot = await connected(url, ann, { events: false });
      const person = await connected(url, bob);
      await aMessage(bob, room, { text: 'x' }, call);
      await expect.poll(() => bot.of('room', room)).toEqual([{ type: 'room', room: { $oid: room }, epoch, seq: 1 }]);
      await expect.poll(() => person.events(room)).toHaveLength(1);
      await aMessage(bob, room, { text: '\u{1F989}'.repeat(10_000) }, call);
      await expect.poll(() => person.of('room', room).at(-1)).toEqual({ type: 'room', room: { $oid: room }, epoch, seq: 2 });
      bot.socket.close();
      person.socket.close();
    });

    it('the push of a room reaches people as soon as they join, and ends with their membership', async () => {
      const [owner, member] = await Promise.all([anAccount(), anAccount()]);
      const room = await aRoom({ owner });
      const socket = await connected(url, member);
      await addMember(room, member, 'member', call);
      await expect.poll(() => socket.of('room', room.id).at(-1)?.seq).toBe(1);
      await aMessage(owner, room.id, {}, call);
      await expect.poll(() => socket.of('room', room.id).at(-1)?.seq).toBe(2);
      const path = `/api/members/${await memberId(room, member)}`;
      await succeed(call('DELETE', path, { token: owner.token }));
      await expect.poll(() => socket.of('left', room.id)).toHaveLength(1);
      await aMessage(owner, room.id, {}, call);
      const users = [owner.username];
      const { body } = await succeed(call('POST', '/api/conversations', { token: member.token, body: { users } }));
      await expect.poll(() => socket.of('room', (body as { _id: { $oid: string } })._id.$oid)).not.toEqual([]);
      expect(socket.of('room', room.id).at(-1)?.seq).toBe(2);
      socket.socket.close();
    });

    it('the push of a room begins with a new room or conversation, and ends with its deletion', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const socket = await connected(url, bob);
      const { body } = await succeed(call('POST', '/api/conversations', { token: ann.token, body: { users: [bob.username] } }));
      const { $oid: room } = (body as { _id: { $oid: string } })._id;
      await expect.poll(() => socket.of('room', room)).toEqual([{ type: 'room', room: { $oid: room }, epoch, seq: 0 }]);
      await aMessage(ann, room, {}, call);
      await expect.poll(() => socket.events(room)).toHaveLength(1);
      const { token } = await anAccount({ isAdmin: true });
      await succeed(call('DELETE', `/api/rooms/${room}`, { token }));
      await expect.poll(() => socket.of('left', room)).toHaveLength(1);
      socket.socket.close();
    });

    it('the push of a room leaves out conversations with someone who is blocked', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const { body } = await succeed(call('POST', '/api/conversations', { token: ann.token, body: { users: [bob.username] } }));
      const { $oid: room } = (body as { _id: { $oid: string } })._id;
      const [hers, his] = await Promise.all([connected(url, ann), connected(url, bob)]);
      const hisNews = () => his.of('room', room).filter(({ seq }) => seq > 0);
      await succeed(call('POST', '/api/blocks', { token: bob.token, body: { user: ann.id } }));
      await expect.poll(() => his.of('left', room)).toHaveLength(1);
      await aMessage(ann, room, {}, call);
      // When she gets an event, he would have it too.
      await expect.poll(() => hers.events(room)).toHaveLength(1);
      expect(hisNews()).toEqual([]);
      await succeed(call('DELETE', `/api/blocks?user=${ann.id}`, { token: bob.token }));
      await expect.poll(hisNews).toEqual([{ type: 'room', room: { $oid: room }, epoch, seq: 1 }]);
      hers.socket.close();
      his.socket.close();
    });

    it('the push of a room shows who is typing to the others, and read markers to their owner', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const room = await aRoom({ owner: ann, members: [bob] });
      const [hers, his] = await Promise.all([connected(url, ann), connected(url, bob)]);
      hers.send({ type: 'typing', room: { $oid: room.id } });
      hers.send({ type: 'typing', room: { $oid: room.id } });
      await expect
        .poll(() => his.of('typing'))
        .toEqual([{ type: 'typing', room: { $oid: room.id }, user: { $oid: ann.id }, username: ann.username }]);
      const path = `/api/members/${await memberId(room, bob)}`;
      await succeed(call('PATCH', path, { token: bob.token, body: { last_read: 1 } }));
      const read = { type: 'read', room: { $oid: room.id }, last_read: 1 };
      await expect.poll(() => his.of('read')).toEqual([read]);
      // His other devices show his settings of a room as well.
      await succeed(call('PATCH', path, { token: bob.token, body: { is_favourite: true } }));
      await expect.poll(() => his.of('read')).toEqual([read, { ...read, is_favourite: true }]);
      for (const body of [{ is_muted: false, notify_of: 'mentions' }, { notify_of: null }]) {
        await succeed(call('PATCH', path, { token: bob.token, body }));
        await expect.poll(() => his.of('read').at(-1)).toEqual({ ...read, ...body });
      }
      await succeed(call('PATCH', path, { token: bob.token, body: { favourite_order: 7 } }));
      await expect.poll(() => his.of('read').at(-1)).toEqual({ ...read, favourite_order: 7 });
      // Earlier frames have arrived when this one has.
      hers.send({ type: 'ping', id: 1 });
      await expect.poll(() => hers.of('pong')).toHaveLength(1);
      expect([...hers.of('typing'), ...hers.of('read')]).toEqual([]);
      hers.socket.close();
      his.socket.close();
    });

    it('the push of a room shows streamed text, and the activity of a bot in a thread', async () => {
      const [ann, bot] = await Promise.all([anAccount(), aBot()]);
      const room = await aRoomOf([ann, bot]);
      const root = await aMessage(ann, room, {}, call);
      const hers = await connected(url, ann);
      const body = { room, is_streaming: true };
      const { _id } = (await succeed(call('POST', '/api/messages', { token: bot.token, body }))).body as Message;
      const append = (text: string, at: number) =>
        call('PATCH', `/api/messages/${_id.$oid}`, { token: bot.token, body: { append: text, at } });
      // A function accepts one chunk a second.
      await expect.poll(async () => (await append('One', 0)).status).toBe(200);
      await expect.poll(async () => (await append(' two', 3)).status).toBe(200);
      const chunk = { type: 'chunk', room: { $oid: room }, message: _id };
      await expect.poll(() => hers.of('chunk').map(({ at, text }) => text.slice(3 - at))).toEqual(['', ' two']);
      expect(hers.of('chunk')[0]).toEqual({ ...chunk, at: 0, text: 'One' });
      const path = `/api/threads/${root._id.$oid}`;
      await succeed(call('PATCH', path, { token: bot.token, body: { activity: 'Running tests…' } }));
      const activity = { type: 'activity', room: { $oid: room }, thread: root._id, user: { $oid: bot.id } };
      await expect.poll(() => hers.of('activity')).toEqual([{ ...activity, username: bot.username, text: 'Running tests…' }]);
      const end = { at: 7, is_streaming: false };
      await succeed(call('PATCH', `/api/messages/${_id.$oid}`, { token: bot.token, body: end }));
      await expect.poll(() => hers.events(room).map(({ type }) => type)).toEqual(['message.created', 'message.completed']);
      hers.socket.close();
    });

    it('the push of a room shows a person what their own agent writes and does', async () => {
      const ann = await anAccount();
      const room = await aRoomOf([ann]);
      const root = await aMessage(ann, room, {}, call);
      const hers = await connected(url, ann);
      const { token } = await agentOf(ann);
      const body = { room, is_streaming: true };
      const { _id } = (await succeed(call('POST', '/api/messages', { token, body }))).body as Message;
      const append = () => call('PATCH', `/api/messages/${_id.$oid}`, { token, body: { append: 'One', at: 0 } });
      // A function accepts one chunk a second.
      await expect.poll(async () => (await append()).status).toBe(200);
      await expect.poll(() => hers.of('chunk')).toMatchObject([{ message: _id, text: 'One' }]);
      await succeed(call('PATCH', `/api/threads/${root._id.$oid}`, { token, body: { activity: 'Running tests…' } }));
      await expect.poll(() => hers.of('activity')).toMatchObject([{ thread: root._id, via: 'Helper' }]);
      hers.socket.close();
    });

    it('the push of a room shows a thread that was read to its reader, and goes on in the room for everyone', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const { id: room } = await aRoom({ owner: ann, members: [bob] });
      const root = await aMessage(ann, room, { text: 'root' }, call);
      const { seq } = await aMessage(bob, room, { text: 'reply', thread: root._id.$oid }, call);
      const [hers, his] = await Promise.all([connected(url, ann), connected(url, bob)]);
      const body = { last_read: seq };
      await succeed(call('PATCH', `/api/threads/${root._id.$oid}`, { token: ann.token, body }));
      const read = { type: 'thread', room: { $oid: room }, thread: { $oid: root._id.$oid }, last_read: seq, is_followed: true };
      await expect.poll(() => hers.of('thread')).toEqual([read]);
      await aMessage(ann, room, { text: 'next' }, call);
      await expect.poll(() => his.events(room)).toHaveLength(1);
      await expect.poll(() => hers.events(room)).toHaveLength(1);
      expect([...hers.of('left', room), ...his.of('left', room), ...his.of('thread')]).toEqual([]);
      hers.socket.close();
      his.socket.close();
    });

    it('the push of saved messages and reminders reaches all devices of the user, and nobody else', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const room = await aRoom({ owner: ann, members: [bob] });
      const { _id: message } = await aMessage(ann, room.id, {}, call);
      const [hers, other, his] = await Promise.all([connected(url, ann), connected(url, ann), connected(url, bob)]);
      const path = `/api/messages/${message.$oid}/save`;
      const put = (body: object) => succeed(call('PUT', path, { token: ann.token, body }));
      const saved = { type: 'saved', message, is_saved: true };
      await put({ remind_at: new Date(Date.now() + 3_600_000).toISOString() });
      await put({ remind_at: null });
      // This changes nothing, so nobody is notified.
      await put({});
      await succeed(call('DELETE', path, { token: ann.token }));
      await succeed(call('DELETE', path, { token: ann.token }));
      const told = [saved, saved, { ...saved, is_saved: false }];
      for (const device of [hers, other]) await expect.poll(() => device.of('saved')).toEqual(told);
      for (const device of [hers, his]) device.send({ type: 'ping', id: 1 });
      for (const device of [hers, his]) await expect.poll(() => device.of('pong')).toHaveLength(1);
      expect([hers.of('saved').length, his.of('saved')]).toEqual([3, []]);
      for (const { socket } of [hers, other, his]) socket.close();
    });

    it('the push of a room has all devices of a user, and nobody else, read the list of notifications again', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const room = await aRoom({ owner: ann, members: [bob] });
      const message = await aMessage(ann, room.id, {}, call);
      const [hers, other, his] = await Promise.all([connected(url, ann), connected(url, ann), connected(url, bob)]);
      const path = `/api/messages/${message._id.$oid}/reactions/owl`;
      await succeed(call('PUT', path, { token: bob.token, body: {} }));
      const frame = { type: 'notifications' };
      for (const device of [hers, other]) await expect.poll(() => device.of('notifications')).toEqual([frame]);
      const read_until = new Date().toISOString();
      await succeed(call('PATCH', '/api/notifications', { token: ann.token, body: { read_until } }));
      for (const device of [hers, other]) await expect.poll(() => device.of('notifications')).toEqual([frame, frame]);
      his.send({ type: 'ping', id: 1 });
      await expect.poll(() => his.of('pong')).toHaveLength(1);
      expect(his.of('notifications')).toEqual([]);
      for (const { socket } of [hers, other, his]) socket.close();
    });

    it('the push of a room ignores typing by people who are not members', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const room = await aRoom({ owner: ann });
      const [hers, his] = await Promise.all([connected(url, ann), connected(url, bob)]);
      his.send({ type: 'typing', room: { $oid: room.id } });
      his.send({ type: 'ping', id: 1 });
      await expect.poll(() => his.of('pong')).toHaveLength(1);
      hers.send({ type: 'ping', id: 1 });
      await expect.poll(() => hers.of('pong')).toHaveLength(1);
      expect(hers.of('typing')).toEqual([]);
      hers.socket.close();
      his.socket.close();
    });
  });

  describe('a frame of a client', () => {
    it('a ping of a client asks for the rooms that moved', async () => {
      const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
      const [quiet, busy] = await Promise.all([aRoomOf([ann, bob]), aRoomOf([ann, bob])]);
      const socket = await connected(url, ann);
      const since = socket.of('hello')[0]?.now;
      await aMessage(bob, busy, {}, call);
      await expect.poll(() => socket.of('room', busy)).toHaveLength(1);
      socket.send({ type: 'ping', id: 7, since });
      await expect
        .poll(() => socket.of('pong'))
        .toEqual([{ type: 'pong', id: 7, now: { $date: expect.any(String) }, epoch, rooms: expect.any(Array), more: false }]);
      // Rooms that changed a moment before may be among them.
      const [{ rooms } = { rooms: [] }] = socket.of('pong');
      expect(rooms).toContainEqual({ room: { $oid: busy }, seq: 1 });
      if (isServer) expect(rooms).toHaveLength(1);
      expect(socket.of('room', quiet)).toEqual([]);
      socket.socket.close();
    });

    it.each([
      ['that is not JSON', 'hello', "The 'type' parameter must be hello, ping, typing, watch, active."],
      ['without a type', {}, "The 'type' parameter must be hello, ping, typing, watch, active."],
      ['of an unknown type', { type: 'toString' }, "The 'type' parameter must be hello, ping, typing, watch, active."],
      ['with an invalid field', { type: 'ping', id: -1 }, "The 'id' parameter must be from 0 to 9007199254740991."],
      ['without a required field', { type: 'typing' }, "The 'room' parameter is required."],
    ])('a frame %s gets an error, and the connection stays', async (_what, frame, message) => {
      const socket = await connected(url, await anAccount());
      socket.send(frame);
      await expect.poll(() => socket.of('error')).toEqual([{ type: 'error', status: 400, message }]);
      socket.send({ type: 'ping', id: 1 });
      await expect.poll(() => socket.of('pong')).toHaveLength(1);
      socket.socket.close();
    });

    it('a frame that asks who is active is answered by servers alone', async () => {
      const socket = await connected(url, await anAccount());
      socket.send({ type: 'watch', users: [] });
      socket.send({ type: 'active' });
      const error = { type: 'error', status: 409, message: 'The service does not report presence.' };
      if (isServer)
        await expect.poll(() => socket.of('presence')).toEqual([{ type: 'presence', active: [], away: [], offline: [] }]);
      else await expect.poll(() => socket.of('error')).toEqual([error, error]);
      socket.socket.close();
    });

    it('a frame of more than 4 KB ends the connection', async () => {
      const socket = await connected(url, await anAccount());
      socket.send(JSON.stringify({ type: 'ping', id: 1, more: 'x'.repeat(4_096) }));
      expect(await codeOf(socket)).toBe(1009);
    });

    it('a client that sends frames too often gets an error twice, and then loses the connection', async () => {
      const socket = await connected(url, await anAccount());
      for (let id = 0; id < 200; id++) socket.send({ type: 'ping', id });
      expect(await codeOf(socket)).toBe(4029);
      // Functions answer frames concurrently, and the end may overtake an answer.
      const errors = socket.of('error').map(({ status }) => status);
      expect(errors).toEqual(isServer ? [429, 429] : [429, 429].slice(0, errors.length));
      expect(socket.of('bye')).toEqual([{ type: 'bye', code: 4029, reason: 'flood', reconnect: true }]);
    });
  });

  describe('a connection whose token ends', () => {
    it.each([
      ['by logging out', (token: string) => call('DELETE', '/api/sessions/current', { token })],
      [
        'with a new password',
        (token: string, { password }: { password: string }) =>
          call('PATCH', '/api/users/me', {
            token: '',
            headers: { 'x-auth-token': token },
            body: { password: 'a new password of mine', current_password: password },
          }),
      ],
    ])('a connection whose token ends %s is closed', async (how, end) => {
      const account = await anAccount();
      const [mine, other] = await Promise.all([aSession(call, account), aSession(call, account)]);
      const [first, second] = await Promise.all([connected(url, { token: mine }), connected(url, { token: other })]);
      await succeed(end(how === 'by logging out' ? mine : other, account));
      expect(await codeOf(first)).toBe(4401);
      expect(first.of('bye')).toEqual([{ type: 'bye', code: 4401, reason: 'ended', reconnect: false }]);
      second.send({ type: 'ping', id: 1 });
      await expect.poll(() => second.of('pong')).toHaveLength(1);
      second.socket.close();
    });

    it('a connection whose account is deleted is closed', async () => {
      const account = await anAccount();
      const socket = await connected(url, account);
      await succeed(call('DELETE', '/api/users/me', { token: account.token, body: { current_password: account.password } }));
      expect(await codeOf(socket)).toBe(4401);
    });
  });
});

/**
 * The events of frames in the order of their places, each once, up to the first that is missing.
 */
function inOrder(frames: Frame<'room'>[]) {
  let position = 0;
  return frames
    .toSorted((one, other) => (one.after ?? one.seq) - (other.after ?? other.seq))
    .flatMap(({ after = 0, seq, events = [] }) => {
      const fresh = after <= position ? events.filter((event) => event.seq > position) : [];
      if (after <= position) position = Math.max(position, seq);
      return fresh;
    });
}
