import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { webhookStates } from '../../../lib/collections/delivery/webhook-states.ts';
import type { NewWebhook } from '../../../lib/members/webhooks.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { deliverOfRoom } from '../../../lib/senders/deliver.ts';
import { findUndelivered } from '../../../lib/senders/retry.ts';
import { aBot } from '../../support/bots.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { countWritesOf, dyingAt, randomLives, step } from '../../support/kills.ts';
import { aMessage } from '../../support/messages.ts';
import { addMember, aRoom, succeed, type TestRoom } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import { aReceiver, type Receiver, useWebhookReceivers } from '../../support/webhook-receiver.ts';

useWebhookReceivers();
useOwnDatabase();

/*
 * A process that dies while it delivers: before the receiver has an event, after it, or at a write
 * of how far it came.
 */

const outbound = vi.hoisted(() => ({ step: undefined as undefined | ((work: () => Promise<unknown>) => Promise<unknown>) }));
vi.mock('../../../lib/net/outbound.ts', async (original) => {
  const real = await original<typeof import('../../../lib/net/outbound.ts')>();
  return { ...real, post: (...all: Parameters<typeof real.post>) => outbound.step?.(() => real.post(...all)) };
});
outbound.step = step;
countWritesOf(['webhook_states', 'bot_webhooks']);

type Step = { kind: 'send' | 'deliver'; death: number | undefined; isDown: boolean };
const one: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('send', 'deliver', 'deliver'),
  death: fc.option(fc.nat(8), { nil: undefined, freq: 2 }),
  isDown: fc.boolean(),
});

type Hook = { room: TestRoom; receiver: Receiver; state: object; textOf: (number: number) => string };

/** A room with a webhook. */
async function ofRoom(): Promise<Hook> {
  const room = await aRoom();
  const receiver = aReceiver();
  const body = { url: receiver.url };
  const { _id } = (await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body }))).body as NewWebhook;
  return { room, receiver, state: { _id: new ObjectId(_id.$oid) }, textOf: String };
}

/** A room with a bot that has a webhook. */
async function ofBot(): Promise<Hook> {
  const room = await aRoom();
  const bot = await aBot(room.owner);
  await addMember(room, bot);
  const receiver = aReceiver();
  const body = { url: receiver.url };
  await succeed(call('PUT', `${bot.path}/webhook`, { token: room.owner.token, body }));
  return { room, receiver, state: { bot: new ObjectId(bot.id) }, textOf: (number) => `@${bot.username} ${number}` };
}

describe('whatever process dies when,', () => {
  it.each([
    ['of a room', ofRoom],
    ['of a bot', ofBot],
  ] as const)(
    'the receiver of a webhook %s takes every event in order, again only after a death, and each reply is posted once',
    { timeout: randomLives * 5_000 },
    async (_what, create) => {
      const steps = fc.array(one, { minLength: 3, maxLength: 14 });
      await fc.assert(
        fc.asyncProperty(steps, async (all) => live(all, await create())),
        { numRuns: randomLives },
      );
    },
  );
});

async function live(all: Step[], { room, receiver, state, textOf }: Hook): Promise<void> {
  const sent: string[] = [];
  let deaths = 0;
  const deliver = async () => {
    // Its lease, and the time until it tries again, have run out.
    const isOver = { leased_until: new Date(0), retry_at: null };
    await webhookStates.updateMany(state, { $set: isOver });
    await deliverOfRoom(room.id).catch(() => undefined);
  };
  for (const { kind, death: at, isDown } of all) {
    if (kind === 'send') {
      await aMessage(room.owner, room.id, { text: textOf(sent.length) });
      sent.push(`${sent.length}`);
      continue;
    }
    receiver.answer = ({ event }) => (isDown ? { status: 503 } : { status: 200, body: { text: `re ${numberIn(event.data)}` } });
    if (await dyingAt(at, deliver)) deaths++;
  }
  receiver.answer = ({ event }) => ({ status: 200, body: { text: `re ${numberIn(event.data)}` } });
  while ((await findUndelivered()).includes(room.id)) await deliver();

  const taken = receiver.taken.map(({ event }) => numberIn(event.data));
  const again = taken.filter((text, at) => taken.indexOf(text) < at);
  expect(taken.filter((text, at) => taken.indexOf(text) === at)).toEqual(sent);
  expect(again.length).toBeLessThanOrEqual(deaths);
  // Repeated events arrive before the ones that follow them.
  expect(taken).toEqual(taken.toSorted((a, b) => Number(a) - Number(b)));
  const { body: messages } = await call('GET', `/api/messages?room=${room.id}&limit=100`, { token: room.owner.token });
  const replies = (messages as Message[]).filter(({ is_bot }) => is_bot).map(({ text }) => text);
  expect(replies).toEqual(sent.map((text) => `re ${text}`));
}

const numberIn = (data: unknown): string => (data as Message).text.split(' ').at(-1) ?? '';
