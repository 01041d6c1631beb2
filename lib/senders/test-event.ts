import { ObjectId } from 'mongodb';
import { showDate, showId } from '../api/extended-json.ts';
import type { SigningSecret } from '../collections/rooms/signing-secrets.ts';
import { type Delivery, showDelivery } from '../members/outgoing-webhooks.ts';
import { sendSigned } from './send-signed.ts';

/** Sends an event without content to the receiver of a webhook, and returns the result. */
export async function sendTest(
  to: SigningSecret & { url: string },
  of: { room: ObjectId } | { bot: ObjectId },
): Promise<Delivery> {
  const [id, room] = 'room' in of ? [of.room, showId(of.room)] : [of.bot, null];
  const event = { seq: 0, type: 'webhook.test', room, at: showDate(new Date()), actor: null, data: null };
  const key = `${id.toHexString()}:test:${new ObjectId().toHexString()}`;
  const { answered: _, retryAfter: __, ...delivery } = await sendSigned(to, key, event);
  return showDelivery(delivery);
}
