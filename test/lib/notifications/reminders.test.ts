import { describe, expect, it, vi } from 'vitest';
import { pushMeanwhile } from '../../../hosts/server/work/push-notifications.ts';
import { pushSubscriptions } from '../../../lib/collections/delivery/push-subscriptions.ts';
import { saved } from '../../../lib/collections/rooms/saved.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { tellReminders } from '../../../lib/notifications/reminders.ts';
import { retryDevices } from '../../../lib/notifications/tell.ts';
import { type Account, anAccount, aSession } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { runSchedule } from '../../support/jobs.ts';
import { aMessage } from '../../support/messages.ts';
import { aDevice, type Device, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { aRoom, memberId, succeed } from '../../support/rooms.ts';
import { commandsOf, planOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';

usePushService();
useOwnDatabase();
await useDatabaseOutside();

async function subscribe(account: Account): Promise<Device> {
  const token = await aSession(call, account);
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  const device = aDevice();
  await succeed(call('PUT', '/api/push-subscription', { token, body: subscriptionOf(device, key) }));
  return device;
}

/** Somebody with this many devices and a reminder of a message. */
async function reminded({ devices: count = 1 } = {}) {
  const [me, author] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner: author, members: [me], name: 'Plans' });
  const message = await aMessage(author, room.id, { text: 'the **invoice**' });
  const devices: Device[] = [];
  for (let made = 0; made < count; made++) devices.push(await subscribe(me));
  await remind(me, message, new Date(Date.now() + 60_000));
  return { me, author, room, message, devices, device: devices[0] as Device };
}

const remind = ({ token }: Account, { _id }: Message, remind_at: Date | null) =>
  succeed(call('PUT', `/api/messages/${_id.$oid}/save`, { token, body: { remind_at } }));

/** Moves all reminders into the past. */
const wait = () => saved.updateMany({ tell_at: { $exists: true } }, { $set: { tell_at: new Date(0), remind_at: new Date(0) } });

const payloads = ({ pushes }: Device) => pushes.map(({ payload }) => payload);

describe('a reminder', () => {
  it('a due reminder is sent once to all devices of its user, even if several processes find it', async () => {
    const { author, room, message, devices } = await reminded({ devices: 2 });
    await tellReminders();
    expect(devices.flatMap(payloads)).toEqual([]);
    await wait();
    await Promise.all([tellReminders(), tellReminders(), tellReminders()]);
    await tellReminders();
    const { username } = author;
    const told = { type: 'reminder', room: room.id, seq: message.seq, author: username, room_name: 'Plans', text: 'the invoice' };
    expect(devices.map(payloads)).toEqual([[told], [told]]);
    // Kept for a day, for a phone that is off.
    expect(devices[0]?.pushes[0]?.headers.ttl).toBe('86400');
  });

  it('a reminder that was due while the service was stopped is sent after the start', async () => {
    const { device } = await reminded();
    await wait();
    const pushes = pushMeanwhile({ isFirst: true });
    await expect.poll(() => payloads(device)).toMatchObject([{ type: 'reminder' }]);
    await pushes.end();
  });

  it('a reminder is sent by the scheduled function of AWS', async () => {
    const { device } = await reminded();
    await wait();
    await runSchedule();
    expect(payloads(device)).toMatchObject([{ type: 'reminder' }]);
  });

  it('a reminder is sent by the next process if one dies while it sends it', async () => {
    const { device } = await reminded();
    await wait();
    vi.spyOn(pushSubscriptions, 'find').mockImplementationOnce(() => {
      throw new Error('dead');
    });
    await expect(tellReminders()).rejects.toThrow('dead');
    // The lease of the dead process has not expired yet.
    await tellReminders();
    expect(payloads(device)).toEqual([]);
    await wait();
    await tellReminders();
    expect(payloads(device)).toHaveLength(1);
  });

  it('a reminder that a push service refuses is sent again when the push service allows it, unless it was completed', async () => {
    const [one, other] = [await reminded(), await reminded()];
    for (const { device } of [one, other]) device.answer = { status: 503 };
    await wait();
    await tellReminders();
    for (const { device } of [one, other]) device.answer = { status: 201 };
    const { modifiedCount } = await pushSubscriptions.updateMany(
      { 'retry.at': { $exists: true } },
      { $set: { 'retry.at': new Date(0) } },
    );
    expect(modifiedCount).toBe(2);
    await remind(other.me, other.message, null);
    await retryDevices();
    expect([payloads(one.device), payloads(other.device)]).toEqual([[expect.objectContaining({ type: 'reminder' })], []]);
  });

  it.each<[string, (scene: Awaited<ReturnType<typeof reminded>>) => Promise<unknown>]>([
    ['is deleted', ({ author, message }) => call('DELETE', `/api/messages/${message._id.$oid}`, { token: author.token })],
    [
      'stands in a room that one has left',
      async ({ me, room }) => call('DELETE', `/api/members/${await memberId(room, me)}`, { token: me.token }),
    ],
    ['is saved no longer', ({ me, message }) => call('DELETE', `/api/messages/${message._id.$oid}/save`, { token: me.token })],
    ['is done', ({ me, message }) => remind(me, message, null)],
    [
      'comes while notifications are paused',
      ({ me }) =>
        call('PATCH', '/api/users/me', { token: me.token, body: { quiet_until: new Date(Date.now() + 60_000).toISOString() } }),
    ],
  ])('a reminder of a message that %s is sent to nobody and not found again', async (_what, change) => {
    const scene = await reminded();
    await succeed(change(scene) as ReturnType<typeof call>);
    await wait();
    await tellReminders();
    expect(payloads(scene.device)).toEqual([]);
    expect(await saved.countDocuments({ tell_at: { $exists: true } })).toBe(0);
  });

  it('a reminder is found by an index', async () => {
    await reminded();
    await wait();
    const sent = await commandsOf(() => tellReminders());
    const plans = await Promise.all(sent.filter(({ collection }) => collection === 'saved').map(planOf));
    expect(plans.flat()).not.toContain('COLLSCAN');
  });
});
