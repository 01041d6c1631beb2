import { afterAll, expect, it } from 'vitest';
import { commands, freePort } from '../../../tools/harness/service.ts';
import { anAccount } from '../../support/accounts.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { aService } from '../../support/services.ts';
import { aTicket, connected, open } from '../../support/sockets.ts';
import { overHttp } from '../../support/transports.ts';

const metricsPort = await freePort();
const service = await aService({ LOG_LEVEL: 'debug' }, [...commands.serve, '--workers', '3', '--metrics-port', metricsPort]);
afterAll(() => service.stop());

const metrics = async () => (await fetch(`http://localhost:${metricsPort}/metrics`)).text();

it('an event in one worker reaches clients of another worker while the metrics are requested', async () => {
  const [ann, bob] = await Promise.all([anAccount(), anAccount()]);
  const room = await aRoomOf([ann, bob]);
  const call = overHttp(service.url);
  // Connections, and requests, go to the workers in turn.
  const sockets = await Promise.all([ann, bob, ann, bob, ann, bob].map((account) => connected(service.url, account)));
  const texts: string[] = [];
  for (let count = 0; count < 30; count++) {
    texts.push(`Message ${count}`);
    await Promise.all([aMessage(ann, room, { text: `Message ${count}` }, call), count % 3 === 0 && metrics()]);
  }
  for (const { of, events } of sockets) {
    await expect.poll(() => of('room', room).at(-1)?.seq).toBe(30);
    expect(events(room).map((event) => event.type === 'message.created' && event.data.text)).toEqual(texts);
  }
  expect(await metrics()).toContain('chat_sockets 6\n');

  sockets[0]?.send({ type: 'typing', room: { $oid: room } });
  for (const { of } of sockets.filter((_, at) => at % 2 === 1))
    await expect.poll(() => of('typing')).toMatchObject([{ username: ann.username }]);

  // Her devices get it too, although they are connected to other workers than one of his.
  for (const socket of sockets.filter((_, at) => at % 2 === 1)) socket.send({ type: 'watch', users: [{ $oid: ann.id }] });
  sockets[0]?.send({ type: 'active' });
  for (const { of } of sockets.filter((_, at) => at % 2 === 1))
    await expect.poll(() => of('presence').at(-1)).toMatchObject({ active: [{ $oid: ann.id }] });

  const { ticket } = await aTicket(service.url, ann);
  const { socket } = await open(service.url, ['chat.v1', `ticket.${ticket}`]);
  await expect(open(service.url, ['chat.v1', `ticket.${ticket}`])).rejects.toThrow('refused with 401');
  socket.close();

  service.signal('SIGTERM');
  for (const { of, closed } of sockets) {
    expect(await closed).toBe(1012);
    expect(of('bye')).toHaveLength(1);
  }
  expect(await service.ended).toBe(0);
  const handshakes = service.output().match(/"route":"\/socket","status":\d+/g);
  expect(handshakes?.map((line) => line.slice(-3)).toSorted()).toEqual([...Array(7).fill('101'), '401']);
  expect(service.output()).not.toContain(ticket);
});
