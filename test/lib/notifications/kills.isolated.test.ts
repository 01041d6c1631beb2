import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { pushed } from '../../../lib/collections/delivery/pushed.ts';
import { findMissed, tellOfRoom } from '../../../lib/notifications/tell.ts';
import { anAccount } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { countWritesOf, dyingAt, randomLives, step } from '../../support/kills.ts';
import { aMessage } from '../../support/messages.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

usePushService();
useOwnDatabase();

/*
 * Simulates a process that dies while it sends notifications: before a push, after it, or when it
 * records its progress. A device shows what its service worker does with the pushes.
 */

const outbound = vi.hoisted(() => ({ step: undefined as undefined | ((work: () => Promise<unknown>) => Promise<unknown>) }));
vi.mock('../../../lib/notifications/send.ts', async (original) => {
  const real = await original<typeof import('../../../lib/notifications/send.ts')>();
  return { ...real, sendPush: (...all: Parameters<typeof real.sendPush>) => outbound.step?.(() => real.sendPush(...all)) };
});
outbound.step = step;
countWritesOf(['pushed']);

const [ann, bob] = [await anAccount(), await anAccount()];

type Step = { kind: 'send' | 'other' | 'read' | 'tell'; death: number | undefined };
const one: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom('send', 'send', 'other', 'read', 'tell', 'tell', 'tell'),
  death: fc.option(fc.nat(5), { nil: undefined, freq: 2 }),
});

describe('the notifications of processes that die', () => {
  it('a device is notified once of every unread message, with their number, even if processes die', {
    timeout: randomLives * 5_000,
  }, async () => {
    await fc.assert(fc.asyncProperty(fc.array(one, { minLength: 3, maxLength: 12 }), live), { numRuns: randomLives });
  });
});

async function live(all: Step[]): Promise<void> {
  const room = await aRoomOf([bob, ann]);
  const device = await subscribe();
  const unread: number[] = [];
  let notified: { seq: number; count: number } | undefined;
  let alerts = 0;
  let due = 0;
  let seen = 0;
  const look = () => {
    for (const { payload } of device.pushes.slice(seen)) {
      const push = payload as { seq: number; count: number };
      if (!notified || push.seq > notified.seq) alerts++;
      notified = push;
    }
    seen = device.pushes.length;
  };
  const tell = async () => {
    const before = alerts;
    await tellOfRoom(room).catch(() => undefined);
    look();
    // Messages from while no process sent notifications arrive as one.
    if (due > 0 && alerts > before) due = 0;
    expect(alerts - before).toBeLessThanOrEqual(1);
  };
  for (const { kind, death: at } of all) {
    if (kind === 'send' || kind === 'other') {
      const { seq } = await aMessage(bob, room, { text: kind === 'send' ? `@${ann.username}` : 'Hello' });
      if (kind === 'send') {
        unread.push(seq);
        due++;
      }
    } else if (kind === 'read') {
      const { body } = await call('GET', '/api/members?user=me&limit=200', { token: ann.token });
      const mine = (body as { _id: { $oid: string }; room: { $oid: string }; seq: number }[]).find(
        (row) => row.room.$oid === room,
      );
      await call('PATCH', `/api/members/${mine?._id.$oid}`, { token: ann.token, body: { last_read: mine?.seq } });
      unread.length = 0;
      due = 0;
    } else {
      await dyingAt(at, tell);
      // Until its lease expires, no other process sends.
      await pushed.updateOne({ _id: new ObjectId(room) }, { $set: { leased_until: new Date() } });
    }
  }
  for (const missed of await findMissed()) if (missed === room) await tell();
  look();
  expect(due).toBe(0);
  if (unread.length > 0) expect(notified).toMatchObject({ seq: unread.at(-1), count: unread.length });
}

async function subscribe(): Promise<Device> {
  const { token } = ann;
  const device = aDevice();
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  await call('PUT', '/api/push-subscription', { token, body: subscriptionOf(device, key) });
  return device;
}
