import { expect, it } from 'vitest';
import { saved } from '../../../lib/collections/rooms/saved.ts';
import { tellReminders } from '../../../lib/notifications/reminders.ts';
import { tellOfRoom } from '../../../lib/notifications/tell.ts';
import { anAccount } from '../../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../../support/config.ts';
import { aMessage } from '../../support/messages.ts';
import { aDevice, subscriptionOf, usePushService } from '../../support/push-service.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

usePushService();

useConfig({ PUSH_TEXT: 'off' });
useOwnDatabase();

it('with PUSH_TEXT=off no push has the text of a message, even if its user wants it', async () => {
  const [ann, bob, device] = [await anAccount(), await anAccount(), aDevice()];
  const { token } = bob;
  const { key } = (await call('GET', '/api/push-subscription', { token })).body as { key: string };
  expect((await call('PUT', '/api/push-subscription', { token, body: subscriptionOf(device, key) })).status).toBe(200);
  const chosen = await call('PATCH', '/api/users/me', { token, body: { hides_push_text: false } });
  expect(chosen).toMatchObject({ status: 200, body: { hides_push_text: true } });
  const room = await aRoomOf([ann, bob]);
  const message = await aMessage(ann, room, { text: `@${bob.username} the invoice` });
  await tellOfRoom(room);
  const body = { remind_at: new Date(Date.now() + 60_000).toISOString() };
  expect((await call('PUT', `/api/messages/${message._id.$oid}/save`, { token, body })).status).toBe(200);
  await saved.updateMany({}, { $set: { remind_at: new Date(0), tell_at: new Date(0) } });
  await tellReminders();
  const said = { room, seq: message.seq, author: ann.username, room_name: 'Test' };
  expect(device.pushes.map(({ payload }) => payload)).toEqual([
    { type: 'messages', count: 1, ...said },
    { type: 'reminder', ...said },
  ]);
});
