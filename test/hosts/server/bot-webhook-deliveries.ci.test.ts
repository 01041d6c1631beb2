import { expect, it } from 'vitest';
import { deliverMeanwhile } from '../../../hosts/server/work/webhook-deliveries.ts';
import { hasOutgoingWebhooks } from '../../../lib/notices/notices.ts';
import { aBot } from '../../support/bots.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { runEntries, runSchedule } from '../../support/jobs.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import { aReceiver, useWebhookReceivers } from '../../support/webhook-receiver.ts';

useWebhookReceivers();
useOwnDatabase();

/* No room has a webhook here. */

it('a server and functions send messages to bots if no room has a webhook', async () => {
  const room = await aRoom();
  const bot = await aBot(room.owner);
  await addMember(room, bot);
  // `push` then queues no room.
  expect(await hasOutgoingWebhooks()).toBe(false);
  const receiver = aReceiver();
  await succeed(call('PUT', `${bot.path}/webhook`, { token: room.owner.token, body: { url: receiver.url } }));
  expect(await hasOutgoingWebhooks()).toBe(true);
  const say = (text: string) => aMessage(room.owner, room.id, { text: `@${bot.username} ${text}` });
  const heard = () => receiver.taken.map(({ event }) => (event.data as { text: string }).text.split(' ')[1]);

  await say('before');
  const server = deliverMeanwhile({ isFirst: true });
  await expect.poll(heard).toEqual(['before']);
  await say('meanwhile');
  await expect.poll(heard).toEqual(['before', 'meanwhile']);
  await server.end();

  await say('told');
  expect(await runEntries('webhooks', [room.id])).toEqual({ batchItemFailures: [] });
  expect(heard()).toEqual(['before', 'meanwhile', 'told']);
  await say('missed');
  await runSchedule();
  expect(heard()).toEqual(['before', 'meanwhile', 'told', 'missed']);
});
