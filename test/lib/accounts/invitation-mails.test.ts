import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { startMailServer } from '../../../tools/harness/mail-server.ts';
import { aName, anAddress } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';
import { aRoom } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

const refuse = (responseCode: number) => Object.assign(new Error('no'), { responseCode });
let answer: 'take' | 'later' | 'refuse' | 'hang up after the e-mail' = 'take';
const received: string[] = [];
const sockets = new Set<Socket>();
const server = await startMailServer(
  ([to = '']) => {
    received.push(to);
    if (answer === 'hang up after the e-mail') for (const socket of sockets) socket.destroy();
  },
  {
    onRcptTo: (_address, _session, done) =>
      done(answer === 'later' ? refuse(451) : answer === 'refuse' ? refuse(550) : undefined),
  },
);
/** A proxy in front of the mail server, which a test can close. */
const front = createServer((socket) => {
  const behind = connect(Number(new URL(server.url).port), '127.0.0.1');
  for (const one of [socket, behind]) {
    sockets.add(one);
    one.on('error', () => undefined).on('close', () => sockets.delete(one));
  }
  socket.pipe(behind).pipe(socket);
});
const listen = async (port = 0) => {
  front.listen(port, '127.0.0.1');
  await once(front, 'listening');
  return (front.address() as AddressInfo).port;
};
const port = await listen();
afterAll(async () => {
  front.close();
  await server.close();
});

// This must happen before the service reads its settings.
useConfig({ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'chat@example.org' });
useConfig({ PUBLIC_URL: 'https://chat.example.org', RATE_LIMITS: 'on', WRITE_BURST: '1000' });
type TestRoom = Awaited<ReturnType<typeof aRoom>>;

const anEmail = () => `${aName()}@example.org`;
const invite = ({ path, owner }: TestRoom, body: object) =>
  call('POST', `${path}/invitations`, { token: owner.token, body, source: anAddress() });
/** The statuses of several invitations to an address, sent one after the other. */
async function send(room: TestRoom, email: string, count: number): Promise<number[]> {
  const statuses = [];
  for (let at = 0; at < count; at++) statuses.push((await invite(room, { email })).status);
  return statuses;
}

beforeEach(() => {
  answer = 'take';
});

describe('an invitation by e-mail counts', () => {
  it('an invitation by e-mail counts for its recipient only if the mail server has taken it, and not while that refuses for now', async () => {
    const [room, email] = [await aRoom(), anEmail()];
    answer = 'later';
    expect(await send(room, email, 6)).toEqual(Array(6).fill(503));
    answer = 'take';
    expect(await send(room, email, 3)).toEqual([201, 201, 429]);
    expect(received.filter((to) => to === email)).toHaveLength(2);
  });

  it('an invitation by e-mail counts only if the mail server has taken it, and not while that is out of reach', async () => {
    const [room, email] = [await aRoom(), anEmail()];
    front.close();
    for (const socket of sockets) socket.destroy();
    const statuses = await send(room, email, 6);
    await listen(port);
    expect(statuses).toEqual(Array(6).fill(503));
    expect(await send(room, email, 3)).toEqual([201, 201, 429]);
  });

  it('an invitation by e-mail counts for its inviter also while the mail server refuses for now, so that nobody asks it without end', async () => {
    const room = await aRoom();
    answer = 'later';
    const statuses = [];
    for (let at = 0; at < 21; at++) statuses.push((await invite(room, { email: anEmail() })).status);
    expect(statuses).toEqual([...Array(20).fill(503), 429]);
  });

  it('an invitation by e-mail counts if the outcome at the mail server is unknown', async () => {
    const [room, email] = [await aRoom(), anEmail()];
    answer = 'hang up after the e-mail';
    expect(await send(room, email, 3)).toEqual([503, 503, 429]);
  });

  it('an invitation by e-mail counts if the mail server refuses the address', async () => {
    const [room, email] = [await aRoom(), anEmail()];
    answer = 'refuse';
    expect(await send(room, email, 3)).toEqual([400, 400, 429]);
  });

  it('an invitation by e-mail counts only if it was created, not if the room has too many', async () => {
    const [room, email] = [await aRoom(), anEmail()];
    const made = [];
    for (let at = 0; at < 50; at++) made.push((await invite(room, {})).body as unknown as { _id: { $oid: string } });
    expect(await send(room, email, 3)).toEqual([409, 409, 409]);
    for (const one of made.slice(0, 3))
      await call('DELETE', `${room.path}/invitations/${one._id.$oid}`, { token: room.owner.token });
    expect(await send(room, email, 3)).toEqual([201, 201, 429]);
  });
});
