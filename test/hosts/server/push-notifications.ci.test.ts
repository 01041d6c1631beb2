import { expect, it } from 'vitest';
import { pushMeanwhile } from '../../../hosts/server/work/push-notifications.ts';
import { pushSubscriptions } from '../../../lib/collections/delivery/push-subscriptions.ts';
import { tellOfRoom } from '../../../lib/notifications/tell.ts';
import { anAccount, aSession } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { aMessage } from '../../support/messages.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

usePushService();
useOwnDatabase();

/** A room with a mention of a user with several devices, whose push service does not respond. */
async function withSilentDevices(count: number) {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const room = await aRoomOf([bob, ann]);
  const devices: Device[] = [];
  for (let made = 0; made < count; made++) {
    const token = await aSession(call, ann);
    const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
    const device = aDevice();
    devices.push(device);
    await call('PUT', '/api/push-subscription', { token, body: subscriptionOf(device, key) });
    device.answer = 'none';
  }
  const mention = () => aMessage(bob, room, { text: `@${ann.username} hello` });
  return { room, devices, mention };
}

it('the next server notifies the devices that a stopped server has not notified', async () => {
  // More devices than are notified at the same time, so that it is interrupted in the middle.
  const { devices, mention } = await withSilentDevices(40);
  const first = pushMeanwhile({ isFirst: true, wait: 0 });
  await mention();
  await expect.poll(() => devices.some(({ asked }) => asked > 0)).toBe(true);
  await first.end();
  expect(devices.filter(({ asked }) => asked === 0).length).toBeGreaterThan(0);

  for (const device of devices) device.answer = { status: 201 };
  const next = pushMeanwhile({ isFirst: true, wait: 0 });
  await expect.poll(() => devices.filter(({ pushes }) => pushes.length === 0)).toEqual([]);
  await next.end();
});

it('a push service that does not answer gets few requests, and its other devices are notified later', async () => {
  const { room, devices, mention } = await withSilentDevices(40);
  await mention();
  expect(await tellOfRoom(room)).toBe('all');
  expect(devices.filter(({ asked }) => asked > 0)).toHaveLength(16);
  const addresses = devices.map(({ endpoint }) => endpoint);
  expect(await pushSubscriptions.countDocuments({ endpoint: { $in: addresses }, 'retry.at': { $exists: true } })).toBe(40);
});
