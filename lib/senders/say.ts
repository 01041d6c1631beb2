import { ObjectId } from 'mongodb';
import { toObjectId } from '../api/extended-json.ts';
import { idempotencyKeyOf } from '../api/idempotency.ts';
import { HttpError } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import type { DeliveryDocument } from '../collections/delivery/webhook-states.ts';
import { countWrite } from '../identity/write-rate.ts';
import type { SentQuestion } from '../messages/questions/question.ts';
import { sendMessage } from '../messages/sending/send.ts';
import { openConversation } from '../rooms/conversations.ts';
import type { Sender } from './sender.ts';

/* A message of a webhook itself: a reply of its receiver, or that it was switched off. */

type WebhookMessage = { text: string; key: string; thread?: string | undefined; question?: SentQuestion | undefined };

/**
 * Posts as the webhook or the bot; returns the reason if that is impossible. A text that is
 * repeated under the same key is posted once.
 */
export async function say(
  { room, findCaller }: Sender,
  { text, key, thread, question }: WebhookMessage,
): Promise<string | undefined> {
  try {
    const caller = await findCaller();
    await countWrite(caller.user);
    // A reply does not mention anybody, because the program may repeat text that anybody wrote.
    const message = {
      room,
      text,
      files: [],
      isReport: true,
      question,
      ...(thread !== undefined && { thread: new ObjectId(thread) }),
    };
    await sendMessage(message, idempotencyKeyOf({ 'idempotency-key': key }), caller);
    return undefined;
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return `The reply was not posted: ${error.message}`;
    throw error;
  }
}

const whyOff = ({ to }: Sender, { status }: DeliveryDocument): string =>
  `\`${new URL(to.url).host}\` ${status === 410 ? 'answers that it is gone' : 'has not accepted an event for a day'}`;

/** Posts in the room that a webhook was switched off. */
export async function sayOff(sender: Sender, delivery: DeliveryDocument): Promise<void> {
  const text = `This webhook is switched off: ${whyOff(sender, delivery)}. A moderator can switch it on again under "About this room".`;
  await say(sender, { text, key: `off:${sender.speaker.toHexString()}:${delivery.at.getTime()}` });
}

/**
 * Informs the owner of a bot, if it has one, that its webhook was switched off. It posts in their
 * conversation.
 */
export async function tellOwner(bot: ObjectId, sender: Sender, delivery: DeliveryDocument): Promise<void> {
  const { owner } = (await users.findOne<{ owner?: ObjectId }>({ _id: bot }, { projection: { owner: 1 } })) ?? {};
  if (!owner) return;
  const text = `My webhook is switched off: ${whyOff(sender, delivery)}. You can switch it on again in the settings, under "Bots".`;
  try {
    const { _id } = await openConversation([owner], await sender.findCaller());
    await say({ ...sender, room: toObjectId(_id) }, { text, key: `off:${bot.toHexString()}:${delivery.at.getTime()}` });
  } catch (error) {
    if (!(error instanceof HttpError && error.status < 500)) throw error;
    log('info', 'the owner of a bot was not told that its webhook is switched off', {
      bot: bot.toHexString(),
      error: error.message,
    });
  }
}
