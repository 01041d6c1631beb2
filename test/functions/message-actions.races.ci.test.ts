import { expect, it } from 'vitest';
import { audit } from '../../lib/collections/service/audit.ts';
import type { Event } from '../../lib/feed/events.ts';
import type { Message } from '../../lib/messages/messages.ts';
import { deliverOfRoom } from '../../lib/senders/deliver.ts';
import { useOwnDatabase, withConfig } from '../support/config.ts';
import { aQuestion, aRoomWithBot, press } from '../support/questions.ts';
import { succeed } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';
import { aReceiver, useWebhookReceivers } from '../support/webhook-receiver.ts';

useWebhookReceivers();
useOwnDatabase();

/** How often two people press at the same moment. */
const turns = Number(process.env.PRESS_TURNS ?? 20);

it('of two people who press at the same moment, one wins: message, feed, bot and audit log agree', () =>
  withConfig({ RATE_LIMITS: 'off' }, async () => {
    const { room, owner, bot, ann, bob } = await aRoomWithBot();
    const receiver = aReceiver();
    const webhook = { url: receiver.url, events: ['action.pressed'] };
    await succeed(call('PUT', `${bot.path}/webhook`, { token: owner.token, body: webhook }));
    for (let turn = 0; turn < turns; turn++) {
      const asked = await aQuestion(bot, room, { is_approval: true });
      // Ann's request arrives twice.
      const version = 1;
      const pressed = [
        press(ann, asked, 'yes', { version }),
        press(bob, asked, 'no', { version }),
        press(ann, asked, 'yes', { version }),
      ];
      const replies = await Promise.all(pressed);
      const [once, refused, twice] = replies.map(({ status }) => status);
      expect([once, refused, twice]).toEqual(once === 200 ? [200, 409, 200] : [409, 200, 409]);
      const [won] = replies.flatMap(({ status, body }) => (status === 200 ? ((body as Message).presses ?? []) : []));

      const { body } = await succeed(call('GET', `/api/events?room=${room.id}&after=${asked.seq}`, { token: owner.token }));
      const events = (body as Event[]).filter(({ type }) => type === 'action.pressed');
      expect(events).toMatchObject([{ actor: won?.user, data: { _id: asked._id, presses: [won] } }]);

      const rows = await audit.find({ 'details.message': asked._id.$oid, failed: null }).toArray();
      const failed = await audit.find({ failed: { $in: rows.map(({ _id }) => _id) } }).toArray();
      const standing = rows.filter(({ _id }) => !failed.some((row) => row.failed === _id));
      expect(standing).toMatchObject([{ details: { action: won?.action } }]);
      expect(standing[0]?.actor.id?.toHexString()).toBe(won?.user.$oid);

      await deliverOfRoom(room.id);
      expect(receiver.taken.splice(0).map(({ event }) => event)).toMatchObject([{ actor: won?.user, data: { presses: [won] } }]);
    }
  }));
