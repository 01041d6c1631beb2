import '../../support/webhook-receiver.ts';
import '../../support/isolated-database.ts';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { webhookStates } from '../../../lib/collections/webhook-states.ts';
import type { NewWebhook } from '../../../lib/members/webhooks.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { deliverOfRoom, findUndelivered } from '../../../lib/webhooks/deliver.ts';
import { countWritesOf, dyingAt, step } from '../../support/deaths.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoom, succeed } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import { aReceiver } from '../../support/webhook-receiver.ts';

/*
 * A process that dies while it delivers: before the receiver has an event, after it, or at a write of how far it came.
 */

const outbound = vi.hoisted(() => ({ step: undefined as undefined | ((work: () => Promise<unknown>) => Promise<unknown>) }));
vi.mock('../../../lib/net/outbound.ts', async (original) => {
  const real = await original<typeof import('../../../lib/net/outbound.ts')>();
  return { ...real, post: (...all: Parameters<typeof real.post>) => outbound.step?.(() => real.post(...all)) };
});
outbound.step = step;
countWritesOf('webhook_states');

type Step = { kind: 'send' | 'deliver'; death: number | undefined; isDown: boolean };
const one: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('send', 'deliver', 'deliver'),
  death: fc.option(fc.nat(8), { nil: undefined, freq: 2 }),
  isDown: fc.boolean(),
});

describe('whatever process dies when,', () => {
  it('a receiver takes every event in order, again only after a death, and each reply is posted once', async () => {
    await fc.assert(fc.asyncProperty(fc.array(one, { minLength: 3, maxLength: 14 }), live), { numRuns: 100 });
  });
});

async function live(all: Step[]): Promise<void> {
  const room = await aRoom();
  const receiver = aReceiver();
  const body = { url: receiver.url };
  const { _id } = (await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body }))).body as NewWebhook;
  const sent: string[] = [];
  let deaths = 0;
  const deliver = async () => {
    // Its lease, and the time until it tries again, have run out.
    const isOver = { leased_until: new Date(0), retry_at: null };
    await webhookStates.updateMany({ _id: new ObjectId(_id.$oid) }, { $set: isOver });
    await deliverOfRoom(room.id).catch(() => undefined);
  };
  for (const { kind, death: at, isDown } of all) {
    if (kind === 'send') {
      const text = `${sent.length}`;
      await aMessage(room.owner, room.id, { text });
      sent.push(text);
      continue;
    }
    receiver.answer = ({ event }) =>
      isDown ? { status: 503 } : { status: 200, body: { text: `re ${(event.data as Message).text}` } };
    if (await dyingAt(at, deliver)) deaths++;
  }
  receiver.answer = ({ event }) => ({ status: 200, body: { text: `re ${(event.data as Message).text}` } });
  while ((await findUndelivered()).includes(room.id)) await deliver();

  const taken = receiver.taken.map(({ event }) => (event.data as Message).text);
  const again = taken.filter((text, at) => taken.indexOf(text) < at);
  expect(taken.filter((text, at) => taken.indexOf(text) === at)).toEqual(sent);
  expect(again.length).toBeLessThanOrEqual(deaths);
  // What comes again comes before what follows it.
  expect(taken).toEqual(taken.toSorted((a, b) => Number(a) - Number(b)));
  const { body: messages } = await call('GET', `/api/messages?room=${room.id}&limit=100`, { token: room.owner.token });
  const replies = (messages as Message[]).filter(({ is_bot }) => is_bot).map(({ text }) => text);
  expect(replies).toEqual(sent.map((text) => `re ${text}`));
}
