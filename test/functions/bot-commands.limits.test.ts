import { expect, it } from 'vitest';
import { aName, anAccount } from '../support/accounts.ts';
import { aBot } from '../support/bots.ts';
import { useConfig } from '../support/config.ts';
import { addMember, aRoom, succeed } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';
import { aReceiver, useWebhookReceivers } from '../support/webhook-receiver.ts';

useWebhookReceivers();
useConfig({ RATE_LIMITS: 'on' });

it('a member calls at most thirty slash commands a minute, the bot gets no others, and other members continue', async () => {
  const [room, member, name, receiver] = [await aRoom(), await anAccount(), aName(), aReceiver()];
  const bot = await aBot(room.owner);
  await addMember(room, bot);
  await addMember(room, member);
  const body = { url: receiver.url, description: 'Deploys' };
  await succeed(call('PUT', `${bot.path}/commands/${name}`, { token: bot.token, body }));
  const say = async ({ token }: { token: string }) =>
    (await call('POST', `${room.path}/commands`, { token, body: { command: name } })).status;
  const statuses: number[] = [];
  for (let count = 0; count < 31; count++) statuses.push(await say(room.owner));
  expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
  expect(receiver.asked).toHaveLength(30);
  expect(await say(member)).toBe(200);
});
