import { setTimeout as sleep } from 'node:timers/promises';
import { type CommandSucceededEvent, ObjectId } from 'mongodb';
import { beforeAll, describe, expect, it } from 'vitest';
import { type BotWebhookDocument, botWebhooks } from '../../../lib/collections/delivery/bot-webhooks.ts';
import { stateIdOf, webhookStates } from '../../../lib/collections/delivery/webhook-states.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { client } from '../../../lib/database/client.ts';
import { freshState } from '../../../lib/members/outgoing-webhooks.ts';
import { deliverOfRoom } from '../../../lib/senders/deliver.ts';
import { retryDeliveries } from '../../../lib/senders/retry.ts';
import { aBot } from '../../support/bots.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useProxiedDatabase } from '../../support/database-outside.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import { aReceiver, useWebhookReceivers } from '../../support/webhook-receiver.ts';

useWebhookReceivers();
useOwnDatabase();
await useProxiedDatabase();

const webhookOfNobody = (): BotWebhookDocument => ({
  _id: new ObjectId(),
  url: 'https://bot.example.org/',
  owner: null,
  events: ['message.created'],
  messages: 'addressed',
  secret: 'whsec_00000000000000000000000000000000',
  created_at: new Date(),
  disabled_at: null,
  deliveries: [],
});

beforeAll(async () => {
  await botWebhooks.insertMany(Array.from({ length: 1_200 }, webhookOfNobody));
});

/** A bot in a room, with a webhook. */
async function withWebhook() {
  const room = await aRoom();
  const bot = await aBot(room.owner);
  const receiver = aReceiver();
  await succeed(call('PUT', `${bot.path}/webhook`, { token: room.owner.token, body: { url: receiver.url } }));
  await addMember(room, bot);
  const mention = () => aMessage(room.owner, room.id, { text: `@${bot.username} there?` });
  return { room, bot, receiver, mention };
}

/** The number of bots' webhooks that the service reads during the work. */
async function countRead(work: () => Promise<unknown>): Promise<number> {
  let count = 0;
  const record = ({ reply }: CommandSucceededEvent) => {
    const { cursor } = reply as { cursor?: { ns: string; firstBatch?: object[]; nextBatch?: object[] } };
    if (cursor?.ns.endsWith('.bot_webhooks')) count += (cursor.firstBatch ?? cursor.nextBatch ?? []).length;
  };
  client.on('commandSucceeded', record);
  try {
    await work();
  } finally {
    client.off('commandSucceeded', record);
  }
  return count;
}

describe('thousands of webhooks of bots', () => {
  it('thousands of webhooks of bots are not read for a message in a room without a bot, and few for one with a bot', async () => {
    const [own, other] = [await withWebhook(), await aRoom()];
    await aMessage(other.owner, other.id);
    // The members' webhooks are looked up. Before that, a few webhooks are read to see that there
    // are many.
    expect(await countRead(() => deliverOfRoom(other.id))).toBe(20);
    await own.mention();
    expect(await countRead(() => deliverOfRoom(own.room.id))).toBeLessThanOrEqual(25);
    expect(own.receiver.taken).toHaveLength(1);
  });

  it.each([498, 499, 600])('thousands of webhooks of bots leave none out in a room with %i members more', async (count) => {
    const { room, receiver, mention } = await withWebhook();
    const joined_at = new Date();
    const crowd = Array.from({ length: count }, () => ({
      _id: new ObjectId(),
      user: new ObjectId(),
      role: 'member' as const,
      joined_at,
    }));
    await rooms.updateOne({ _id: new ObjectId(room.id) }, { $push: { members: { $each: crowd } } });
    await mention();
    await deliverOfRoom(room.id);
    expect(receiver.taken).toHaveLength(1);
  });
});

describe('bots that wait in very many rooms', () => {
  it('webhooks that fail in very many rooms do not delay the retries of other webhooks', async () => {
    const crowd = Array.from({ length: 8 }, webhookOfNobody);
    await botWebhooks.insertMany(crowd);
    const long = crowd.flatMap(({ _id }) =>
      Array.from({ length: 300 }, () => {
        const other = new ObjectId();
        const where = { _id: stateIdOf(_id, other), room: other, bot: _id };
        return { ...where, seq: 0, ...freshState, retry_at: new Date(0), disabled_at: null, deliveries: [] };
      }),
    );
    await webhookStates.insertMany(long);
    const { room, bot, receiver, mention } = await withWebhook();
    receiver.answer = () => ({ status: 500 });
    await mention();
    await deliverOfRoom(room.id);
    receiver.answer = () => ({ status: 204 });
    await webhookStates.updateMany({ bot: new ObjectId(bot.id) }, { $set: { retry_at: new Date(1_000) } });
    await retryDeliveries();
    expect(receiver.taken).toHaveLength(1);
    await webhookStates.deleteMany({ bot: { $in: crowd.map(({ _id }) => _id) } });
  });

  it('a bot that waits in many rooms is sent what happened in several of them at the same time', async () => {
    const { room, bot, receiver } = await withWebhook();
    const all = [room, ...(await Promise.all(Array.from({ length: 3 }, () => aRoom({ owner: room.owner }))))];
    await Promise.all(all.slice(1).map((one) => addMember(one, bot)));
    receiver.answer = () => ({ status: 500 });
    for (const { id } of all) {
      await aMessage(room.owner, id, { text: `@${bot.username} there?` });
      await deliverOfRoom(id);
    }
    let [atIt, most] = [0, 0];
    receiver.answer = async () => {
      most = Math.max(most, ++atIt);
      await sleep(200);
      atIt--;
      return { status: 204 };
    };
    await webhookStates.updateMany({ bot: new ObjectId(bot.id) }, { $set: { retry_at: new Date(0) } });
    await retryDeliveries();
    expect(receiver.taken).toHaveLength(4);
    expect(most).toBeGreaterThan(1);
  });
});
