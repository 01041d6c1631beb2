import { Worker } from 'node:worker_threads';
import { expect, it, vi } from 'vitest';
import webPush from 'web-push';
import type { PushSubscriptionDocument } from '../../../lib/collections/delivery/push-subscriptions.ts';
import { sendPush } from '../../../lib/notifications/send.ts';
import { anAccount } from '../../support/accounts.ts';
import { aDevice, type Device, usePushService } from '../../support/push-service.ts';
import { inProcess as call } from '../../support/transports.ts';

usePushService();

it('pushes that are sent together are encrypted by another thread than the one that answers requests', async () => {
  const { token } = await anAccount();
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  const devices = Array.from({ length: 16 }, aDevice);
  const encrypt = vi.spyOn(webPush, 'generateRequestDetails');
  const send = ({ endpoint, p256dh, auth }: Device) =>
    sendPush({ endpoint, p256dh, auth, key } as unknown as PushSubscriptionDocument, { type: 'test' });
  const outcomes = await Promise.all(devices.map(send));
  expect(outcomes).toEqual(Array(16).fill({ kind: 'sent' }));
  expect(devices.map(({ pushes }) => pushes.map(({ payload }) => payload))).toEqual(Array(16).fill([{ type: 'test' }]));
  expect(encrypt).not.toHaveBeenCalled();
});

it('a push whose thread ends is tried later, and the next one gets another thread', async () => {
  const { token } = await anAccount();
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  const { endpoint, p256dh, auth, pushes } = aDevice();
  const send = () => sendPush({ endpoint, p256dh, auth, key } as unknown as PushSubscriptionDocument, { type: 'test' });
  vi.spyOn(Worker.prototype, 'postMessage').mockImplementationOnce(function (this: Worker) {
    this.emit('error', new Error('The thread ended.'));
  });
  expect([(await send()).kind, (await send()).kind, pushes.length]).toEqual(['later', 'sent', 1]);
});
