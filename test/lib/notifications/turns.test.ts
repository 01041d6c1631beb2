import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, vi } from 'vitest';
import webPush from 'web-push';
import type { PushSubscriptionDocument } from '../../../lib/collections/push-subscriptions.ts';
import { aDevice, type Device } from '../../support/push-service.ts';

// Only looked at: it waits as always.
vi.mock('node:timers/promises', { spy: true });

const { sendPush } = await import('../../../lib/notifications/send.ts');
const { anAccount } = await import('../../support/accounts.ts');
const { inProcess: call } = await import('../../support/transports.ts');

let turn = 0;
let isOver = false;
const count = (): void => {
  turn++;
  if (!isOver) setImmediate(count);
};
count();
afterAll(() => {
  isOver = true;
});

it('of many pushes that are sent together, each is encrypted in a turn of the event loop of its own, and rests after it, for requests to be answered in between', async () => {
  const { token } = await anAccount();
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  const devices = Array.from({ length: 16 }, aDevice);
  const turns: number[] = [];
  vi.mocked(sleep).mockClear();
  const { generateRequestDetails } = webPush;
  // Only looked at: it encrypts as always.
  const encrypt = vi.spyOn(webPush, 'generateRequestDetails');
  encrypt.mockImplementation((...given) => {
    turns.push(turn);
    return Reflect.apply(generateRequestDetails, webPush, given);
  });
  const send = ({ endpoint, p256dh, auth }: Device) =>
    sendPush({ endpoint, p256dh, auth, key } as unknown as PushSubscriptionDocument, { type: 'test' });
  const outcomes = await Promise.all(devices.map(send));
  encrypt.mockRestore();
  expect(outcomes).toEqual(Array(16).fill({ kind: 'sent' }));
  expect(devices.map(({ pushes }) => pushes.map(({ payload }) => payload))).toEqual(Array(16).fill([{ type: 'test' }]));
  expect(new Set(turns).size).toBe(16);
  const rests = vi.mocked(sleep).mock.calls.map(([milliseconds]) => milliseconds ?? 0);
  expect([rests.length, rests.filter((rest) => rest > 0 && rest <= 6).length]).toEqual([16, 16]);
});
