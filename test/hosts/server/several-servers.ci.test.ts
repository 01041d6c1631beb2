import { Agent, request } from 'node:http';
import { text as textOf } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commands, freePort, type Service } from '../../../tools/harness/service.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { startBalancer } from '../../support/balancer.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, aRoomOf, memberId, succeed } from '../../support/rooms.ts';
import { aService } from '../../support/services.ts';
import { connected } from '../../support/sockets.ts';
import { overHttp } from '../../support/transports.ts';

useOwnDatabase();

/** Servers that share the database, each with its ports. */
const ports = await Promise.all([0, 1, 2].map(() => freePort()));
const metricsPorts = await Promise.all([0, 1, 2].map(() => freePort()));
const services: Service[] = [];

const start = async (at: number) => {
  const settings = { HTTP_PORT: ports[at] as string, METRICS_PORT: metricsPorts[at] as string, LOG_LEVEL: 'info' };
  services[at] = await aService(settings, commands.serve);
};
beforeAll(() => Promise.all([0, 1, 2].map(start)));
afterAll(() => Promise.all(services.map((service) => service.stop())));

const urlOf = (at: number) => (services[at] as Service).url;
const metricsOf = async (at: number) => (await fetch(`http://localhost:${metricsPorts[at]}/metrics`)).text();

describe('several servers that share a database', () => {
  it('several servers that share a database push what happened on another, and no sweep has to find it', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const sockets = await Promise.all([0, 1, 2].map((at) => connected(urlOf(at), ann)));
    const texts: string[] = [];
    for (let count = 0; count < 12; count++) {
      texts.push(`Message ${count}`);
      await aMessage(bob, room, { text: `Message ${count}` }, overHttp(urlOf(count % 3)));
      await delay(200);
    }
    for (const { events } of sockets)
      await expect.poll(() => events(room).map((event) => event.type === 'message.created' && event.data.text)).toEqual(texts);
    const metrics = await Promise.all([0, 1, 2].map(metricsOf));
    expect(metrics.join()).not.toMatch(/chat_push_repaired_total [1-9]/);
    for (const { socket } of sockets) socket.close();
  });

  it('several servers that share a database tell each other who is typing, has read, or has joined', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoom({ owner: ann });
    const [annes, bobs, another] = await Promise.all([
      connected(urlOf(0), ann),
      connected(urlOf(1), bob),
      connected(urlOf(2), bob),
    ]);
    await addMember(room, bob, 'member', overHttp(urlOf(0)));
    for (const { of } of [bobs, another]) await expect.poll(() => of('room', room.id).length).toBeGreaterThan(0);

    annes.send({ type: 'typing', room: { $oid: room.id } });
    for (const { of } of [bobs, another])
      await expect.poll(() => of('typing', room.id)).toMatchObject([{ username: ann.username }]);
    const { seq } = await aMessage(ann, room.id, {}, overHttp(urlOf(0)));
    const read = { token: bob.token, body: { last_read: seq } };
    const mine = await succeed(overHttp(urlOf(1))('GET', '/api/members?user=me', { token: bob.token }));
    const [{ _id }] = mine.body as [{ _id: { $oid: string } }];
    await succeed(overHttp(urlOf(1))('PATCH', `/api/members/${_id.$oid}`, read));
    await expect.poll(() => another.of('read', room.id)).toMatchObject([{ last_read: seq }]);
    // Once each, however often it is read.
    await delay(1_500);
    expect(bobs.of('typing', room.id)).toHaveLength(1);
    expect(another.of('read', room.id)).toHaveLength(1);

    for (const { socket } of [annes, bobs, another]) socket.close();
  });

  it('several servers share the presence of their users, and drop the users of a killed server', async () => {
    const [ann, bob, cid, blocked, stranger] = (await Promise.all(Array.from({ length: 5 }, () => anAccount()))) as [
      Account,
      Account,
      Account,
      Account,
      Account,
    ];
    const room = await aRoom({ owner: ann, members: [bob, cid, blocked] });
    await succeed(overHttp(urlOf(0))('POST', '/api/blocks', { token: blocked.token, body: { user: ann.id } }));
    const annes = await connected(urlOf(0), ann);
    const [bobs, cids] = await Promise.all([
      connected(urlOf(1), bob),
      connected(urlOf(2), cid),
      connected(urlOf(1), blocked),
      connected(urlOf(1), stranger),
    ]);
    annes.send({ type: 'watch', users: [bob, cid, blocked, stranger].map(({ id }) => ({ $oid: id })) });
    const told = ({ id }: Account) =>
      annes
        .of('presence')
        .flatMap((frame) =>
          (['active', 'away', 'offline'] as const).filter((state) => frame[state].some(({ $oid }) => $oid === id)),
        );
    for (const one of [bob, cid]) await expect.poll(() => told(one).at(-1)).toBe('away');
    bobs.send({ type: 'active' });
    await expect.poll(() => told(bob).at(-1)).toBe('active');

    // A user who leaves the room is not shown any longer. Strangers and users who have blocked the
    // viewer never were.
    const other = await connected(urlOf(2), cid);
    await succeed(overHttp(urlOf(2))('DELETE', `/api/members/${await memberId(room, cid)}`, { token: cid.token }));
    await expect.poll(() => told(cid).at(-1)).toBe('offline');
    await addMember(room, cid, 'member', overHttp(urlOf(2)));
    await expect.poll(() => told(cid).at(-1)).toBe('away');
    expect([told(blocked), told(stranger)]).toEqual([['offline'], ['offline']]);

    services[1]?.signal('SIGKILL');
    await services[1]?.ended;
    for (const { socket } of [cids, other]) socket.close();
    const restarted = start(1);
    for (const one of [bob, cid]) await expect.poll(() => told(one).at(-1), { timeout: 60_000 }).toBe('offline');
    await restarted;
    annes.socket.close();
  });

  it('several servers can be restarted one after the other without a failed request, and announce it to their clients', async () => {
    const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
    const room = await aRoomOf([ann, bob]);
    const balancer = await startBalancer(ports);
    const agent = new Agent({ keepAlive: true, maxSockets: 4 });
    const call = (method: string, path: string, body?: object) =>
      new Promise<number | string>((resolve) => {
        const headers = { 'X-Auth-Token': ann.token, 'Content-Type': 'application/json' };
        const outgoing = request(new URL(path, balancer.url), { method, agent, headers }, (incoming) => {
          textOf(incoming).then(() => resolve(incoming.statusCode ?? 0), String);
        });
        outgoing.on('error', (error) => resolve(String(error))).end(body && JSON.stringify(body));
      });

    const answers: (number | string)[] = [];
    let isOver = false;
    const callers = Array.from({ length: 4 }, async () => {
      while (!isOver) {
        answers.push(await call('POST', '/api/messages', { room: { $oid: room }, text: 'Hello' }));
        answers.push(await call('GET', '/api/members?user=me'));
      }
    });
    for (const at of [0, 1, 2]) {
      const socket = await connected(urlOf(at), bob);
      const before = answers.length;
      services[at]?.signal('SIGTERM');
      expect(await services[at]?.ended).toBe(0);
      expect(await socket.closed).toBe(1012);
      expect(socket.of('bye')).toEqual([{ type: 'bye', code: 1012, reason: 'handover', reconnect: true, within: 1 }]);
      await start(at);
      expect(answers.length).toBeGreaterThan(before);
    }
    isOver = true;
    await Promise.all(callers);
    expect(new Set(answers)).toEqual(new Set([200, 201]));
    agent.destroy();
    await balancer.close();
  });
});
