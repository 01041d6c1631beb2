import type { Socket } from 'node:net';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { snapshot } from '../../../hosts/server/counters.ts';
import { type Account, anAccount, aSession } from '../../support/accounts.ts';
import { withPatience } from '../../support/config.ts';
import { aMessage } from '../../support/messages.ts';
import { callThrough } from '../../support/processes.ts';
import { addMember, aRoom, aRoomOf, memberId, succeed } from '../../support/rooms.ts';
import { aServer, connected, open, type TestSocket } from '../../support/sockets.ts';
import { inProcess as call } from '../../support/transports.ts';

const epoch = expect.stringMatching(/^[0-9a-f]{15}$/);

// A write by another process, without a notice. This is like a process that is killed between a
// write and its notice.
const elsewhere = await callThrough(1, {});
afterAll(elsewhere.end);

describe('a notice that is lost', () => {
  it('without a notice an event in a room comes with the next sweep', async () => {
    const { url, close } = await aServer({ sweep: 200 });
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const socket = await connected(url, ann);
    const { repaired } = snapshot().push;
    const sent: number[] = [];
    // A sweep may also find it, and not count that, when it reads again which rooms the user has.
    do {
      sent.push((await aMessage(bob, room, {}, elsewhere.call)).seq);
      await expect.poll(() => socket.events(room).map(({ seq }) => seq)).toEqual(sent);
    } while (snapshot().push.repaired === repaired);
    await close();
  });

  it('without a notice an event in a room comes with the next event of the room', async () => {
    const { url, close } = await aServer();
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const socket = await connected(url, ann);
    await aMessage(bob, room, {}, elsewhere.call);
    await aMessage(bob, room);
    await expect.poll(() => socket.events(room).map(({ seq }) => seq)).toEqual([1, 2]);
    await close();
  });

  it('without a notice the end of a token closes its connections with the next sweep', async () => {
    const { url, close } = await aServer({ sweep: 200 });
    const account = await anAccount();
    const session = await aSession(call, account);
    const socket = await connected(url, { token: session });
    await succeed(elsewhere.call('DELETE', '/api/sessions/current', { token: session }));
    expect(await socket.closed).toBe(4401);
    await close();
  });

  it('without a notice new rooms, and the end of rooms, are found by a later sweep', async () => {
    const { url, close } = await aServer({ sweep: 100 });
    const [ann, bob] = await Promise.all([anAccount(), anAccount({ isAdmin: true })]);
    const socket = await connected(url, ann);
    const sent = { token: bob.token, body: { users: [ann.username] } };
    const { body } = await succeed(elsewhere.call('POST', '/api/conversations', sent));
    const { $oid: room } = (body as { _id: { $oid: string } })._id;
    await expect.poll(() => socket.of('room', room)).toEqual([{ type: 'room', room: { $oid: room }, epoch, seq: 0 }]);
    await succeed(elsewhere.call('DELETE', `/api/rooms/${room}`, { token: bob.token }));
    await expect.poll(() => socket.of('left', room)).toHaveLength(1);
    await close();
  });
});

describe('a member who is removed while others write', () => {
  it.each([0, 1, 2, 3])('a member who is removed while others write is pushed no later event (%i)', async () => {
    const { url, close } = await aServer();
    const [owner, writer, member] = await Promise.all([anAccount(), anAccount(), anAccount()]);
    const room = await aRoom({ owner, members: [writer, member] });
    const [stays, goes] = await Promise.all([connected(url, owner), connected(url, member)]);
    const path = `/api/members/${await memberId(room, member)}`;

    const writers = Array.from({ length: 4 }, async () => {
      for (let count = 0; count < 25; count++) await aMessage(writer, room.id);
    });
    await expect.poll(() => goes.events(room.id).length).toBeGreaterThan(2);
    await succeed(call('DELETE', path, { token: owner.token }));
    await Promise.all(writers);

    await expect.poll(() => stays.events(room.id).filter(({ type }) => type === 'message.created')).toHaveLength(100);
    const removal = stays.events(room.id).find(({ type }) => type === 'member.kicked');
    expect(removal).toBeDefined();
    await expect.poll(() => goes.of('left', room.id)).toHaveLength(1);
    expect(goes.of('room', room.id).filter(({ seq }) => seq >= (removal?.seq ?? 0))).toEqual([]);
    await close();
  });

  it('a member who is removed and joins again is pushed the events from then on', async () => {
    const { url, close } = await aServer();
    const [owner, member] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoom({ owner, members: [member] });
    const socket = await connected(url, member);
    await succeed(call('DELETE', `/api/members/${await memberId(room, member)}`, { token: owner.token }));
    await expect.poll(() => socket.of('left', room.id)).toHaveLength(1);
    await addMember(room, member);
    await aMessage(owner, room.id);
    await expect.poll(() => socket.of('room', room.id).at(-1)?.seq).toBe(4);
    await close();
  });
});

describe('a client that stops reading', () => {
  it('a client that stops reading delays nobody, and either gets the positions of its rooms when it reads again or is disconnected', async () => {
    const { url, close } = await aServer();
    const [writer, quick, slow, stuck] = await Promise.all([anAccount(), anAccount(), anAccount(), anAccount()]);
    const room = await aRoomOf([writer, quick, slow, stuck]);
    const [reads, rests, sticks] = await Promise.all([quick, slow, stuck].map((account) => connected(url, account)));
    rests?.socket.pause();
    sticks?.socket.pause();
    const { dropped } = snapshot().push;
    const before = dropped.events;
    // More than the buffers of the system take. Soon after that, who does not read is disconnected,
    // and then nothing more is dropped.
    const text = '\u{1F989}'.repeat(5_000);
    let sent = 0;
    while (snapshot().push.dropped.events < before + 10) {
      await Promise.all(Array.from({ length: 10 }, () => aMessage(writer, room, { text })));
      sent += 10;
    }
    await expect.poll(() => reads?.of('room', room).at(-1)?.seq).toBe(sent);
    rests?.socket.resume();
    await expect.poll(() => rests?.of('room', room).at(-1)).toEqual({ type: 'room', room: { $oid: room }, epoch, seq: sent });
    expect(rests?.events(room).length).toBeLessThan(sent);

    await withPatience({ slowClient: 1_000 }, () => expect.poll(() => snapshot().push.sockets).toBe(2));
    sticks?.socket.resume();
    expect([1006, 4008]).toContain(await sticks?.closed);
    await close();
  });
});

describe('a client that floods', () => {
  const part = (count: number, bytes: number[]) => Buffer.concat(Array.from({ length: count }, () => Buffer.from(bytes)));
  const masked = 0x80;
  const mask = [0, 0, 0, 0];

  it.each([
    ['pongs', [0x8a, masked, ...mask], 4029],
    ['pings', [0x89, masked, ...mask], 4029],
    ['parts of a text that never ends', [0x00, masked, ...mask], 1008],
  ])('a client that floods with %s is disconnected, and read no further', async (_what, frame, code) => {
    const { url, close } = await aServer();
    const { socket, of, closed } = await open(url, ['chat.v1'], { headers: { 'X-Auth-Token': (await anAccount()).token } });
    const raw = (socket as unknown as { _socket: Socket })._socket;
    // A text begins, whose parts are not the last one.
    if (frame[0] === 0) raw.write(Buffer.from([0x01, masked, ...mask]));
    const chunk = part(10_000, frame);
    const most = 1_000;
    let taken = 0;
    for (let count = 0; count < most; count++) raw.write(chunk, (error) => void (error ?? taken++));
    // The client may not have time to read the reason.
    expect([code, 1006]).toContain(await closed);
    expect(of('bye')).toEqual(of('bye').map(() => ({ type: 'bye', code: 4029, reason: 'flood', reconnect: true })));
    // The buffers of the system take some.
    expect(taken).toBeLessThan(most / 2);
    await close();
  });

  it('a client that floods with new connections is refused until a minute has passed, and others are not', async () => {
    const { url, close } = await aServer();
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const openFor = ({ token }: { token: string }) => open(url, ['chat.v1'], { headers: { 'X-Auth-Token': token } });
    const flood = async () => {
      for (let count = 0; count < 60; count++) {
        const { socket, closed } = await openFor(ann);
        socket.close();
        await closed;
      }
    };
    await expect(flood()).rejects.toThrow('refused with 429');
    const { socket } = await openFor(bob);
    socket.close();
    await close();
  });
});

describe('2000 clients', () => {
  it('2000 clients connect at the same time and all receive a message', async () => {
    const { url, close } = await aServer({ maxConnections: 16_000 });
    const owner = await anAccount();
    const accounts: Account[] = [];
    while (accounts.length < 200) accounts.push(...(await Promise.all(Array.from({ length: 20 }, () => anAccount()))));
    const room = await aRoomOf([owner, ...accounts]);
    const sockets: TestSocket[] = [];
    const connect = async ({ token }: { token: string }): Promise<void> => {
      for (;;) {
        try {
          const opened = await open(url, ['chat.v1'], { headers: { 'X-Auth-Token': token } });
          opened.send({ type: 'hello' });
          sockets.push(opened);
          return;
        } catch {
          // As every client does after any error: again, at a random moment.
          await new Promise((resolve) => setTimeout(resolve, 2_000 * Math.random()));
        }
      }
    };
    // As every client does: after two minutes of silence, the server ends a connection.
    const pings = setInterval(() => {
      for (const { send } of sockets) send({ type: 'ping' });
    }, 50_000);
    onTestFinished(() => clearInterval(pings));
    await Promise.all(accounts.flatMap((account) => Array.from({ length: 10 }, () => connect(account))));
    await expect.poll(() => sockets.filter(({ of }) => of('hello').length === 1).length, { timeout: 90_000 }).toBe(2_000);
    await aMessage(owner, room);
    await expect.poll(() => sockets.filter(({ of }) => of('room', room).length === 1).length).toBe(2_000);
    await close();
  });
});

describe('a server that ends', () => {
  it('a server that ends tells its clients goodbye and when to reconnect', async () => {
    const { url, close } = await aServer();
    const account = await anAccount();
    const [greeted, silent] = await Promise.all([
      connected(url, account),
      open(url, ['chat.v1'], { headers: { 'X-Auth-Token': account.token } }),
    ]);
    await close();
    for (const { of, closed } of [greeted, silent]) {
      expect(await closed).toBe(1012);
      expect(of('bye')).toEqual([{ type: 'bye', code: 1012, reason: 'restart', reconnect: true, within: 10 }]);
    }
  });
});

describe('a connection without a hello', () => {
  it('a connection without a hello receives nothing, and is closed after ten seconds', async () => {
    const { url, close } = await aServer();
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const { closed, frames } = await open(url, ['chat.v1'], { headers: { 'X-Auth-Token': ann.token } });
    const other = await connected(url, bob);
    await aMessage(bob, room);
    await expect.poll(() => other.events(room)).toHaveLength(1);
    expect(frames.filter(({ type }) => type !== 'bye')).toEqual([]);
    expect(await closed).toBe(4408);
    expect(frames).toEqual([{ type: 'bye', code: 4408, reason: 'silent', reconnect: true }]);
    await close();
  });
});
