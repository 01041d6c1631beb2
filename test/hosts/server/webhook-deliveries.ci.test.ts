import { expect, it } from 'vitest';
import { deliverMeanwhile } from '../../../hosts/server/work/webhook-deliveries.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoom, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import { aReceiver, type Receiver, useWebhookReceivers } from '../../support/webhook-receiver.ts';

useWebhookReceivers();
useOwnDatabase();

async function withWebhook() {
  const room = await aRoom();
  const receiver = aReceiver();
  await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body: { url: receiver.url } }));
  return { room, receiver };
}
const textsTo = ({ taken }: Receiver) => taken.map(({ event }) => (event.data as Message).text);

it('a server delivers messages, also messages from before its start', async () => {
  const { room, receiver } = await withWebhook();
  await aMessage(room.owner, room.id, { text: 'before' });
  const server = deliverMeanwhile({ isFirst: true });
  await expect.poll(() => textsTo(receiver)).toEqual(['before']);
  await aMessage(room.owner, room.id, { text: 'meanwhile' });
  await expect.poll(() => textsTo(receiver)).toEqual(['before', 'meanwhile']);
  await server.end();
});

it('a receiver that gives no answer holds up no other, and two servers send nothing twice', async () => {
  const [silent, other] = [await withWebhook(), await withWebhook()];
  silent.receiver.answer = () => 'none';
  const servers = [deliverMeanwhile({ isFirst: true }), deliverMeanwhile({ isFirst: true })];
  await aMessage(silent.room.owner, silent.room.id);
  const texts = Array.from({ length: 20 }, (_, at) => `${at}`);
  for (const text of texts) await aMessage(other.room.owner, other.room.id, { text });
  await expect.poll(() => textsTo(other.receiver)).toEqual(texts);
  expect(silent.receiver.taken).toEqual([]);
  await Promise.all(servers.map((server) => server.end()));
  expect(other.receiver.asked).toHaveLength(texts.length);
  expect(silent.receiver.asked).toHaveLength(1);
});
