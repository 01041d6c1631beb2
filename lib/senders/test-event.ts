import { ObjectId } from 'mongodb';
import { showDate, showId } from '../api/extended-json.ts';
import { requireBotWebhook } from '../bots/bot-webhooks.ts';
import type { SigningSecret } from '../collections/rooms/signing-secrets.ts';
import type { Caller } from '../identity/caller.ts';
import { type Delivery, requireOutgoing, showDelivery } from '../members/outgoing-webhooks.ts';
import { sendSigned } from './send-signed.ts';

/**
 * Sends an event without content to the receiver of a webhook, for moderators, and returns the
 * result.
 */
export async function testOutgoing(room: ObjectId, webhook: ObjectId, caller: Caller): Promise<Delivery> {
  const { outgoing } = await requireOutgoing(room, webhook, caller);
  return test(outgoing, room, showId(room));
}

/**
 * Sends a test event to the receiver of a bot's webhook, for the bot's owner and administrators.
 */
export const testBotWebhook = async (bot: ObjectId, caller: Caller): Promise<Delivery> =>
  test(await requireBotWebhook(bot, caller), bot, null);

async function test(
  to: SigningSecret & { url: string },
  of: ObjectId,
  room: ReturnType<typeof showId> | null,
): Promise<Delivery> {
  const event = { seq: 0, type: 'webhook.test', room, at: showDate(new Date()), actor: null, data: null };
  const id = `${of.toHexString()}:test:${new ObjectId().toHexString()}`;
  const { answered: _, retryAfter: __, ...delivery } = await sendSigned(to, id, event);
  return showDelivery(delivery);
}
