import { createHash } from 'node:crypto';
import { type IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/**
 * The delivery of one event to the receiver of a webhook. `status` is null if no answer arrived.
 */
export type DeliveryDocument = {
  seq: number;
  type: string;
  at: Date;
  milliseconds: number;
  status: number | null;
  /** The beginning of the answer, or the reason why there was none. */
  answer: string;
};

/**
 * The position of an outgoing webhook. `_id` is that of the room's webhook, or `stateIdOf` a bot
 * and one of its rooms.
 */
export type WebhookStateDocument = {
  _id: ObjectId;
  room: ObjectId;
  /** The bot; absent for the webhook of a room. */
  bot?: ObjectId;
  /** The last event that the receiver has acknowledged, or that its filter skipped. */
  seq: number;
  /** The delivering process, and the end of its lease. */
  holder: ObjectId | null;
  leased_until: Date;
  /** How often the next event has failed, since when, and when to retry. */
  failures: number;
  failing_since: Date | null;
  retry_at: Date | null;
  disabled_at: Date | null;
  /** The last deliveries, oldest first. */
  deliveries: DeliveryDocument[];
};

export const webhookStateIndexes: IndexDescription[] = [
  { key: { room: 1 }, name: 'room' },
  { key: { retry_at: 1 }, name: 'retry_at' },
  { key: { disabled_at: 1 }, name: 'disabled_at' },
  { key: { bot: 1 }, name: 'bot', sparse: true },
];

/** The states of all outgoing webhooks. */
export const webhookStates = collection<WebhookStateDocument>('webhook_states');

/**
 * The id of the state of a bot's webhook in a room. It is derived from both, so that concurrent
 * callers cannot create two.
 */
export const stateIdOf = (bot: ObjectId, room: ObjectId): ObjectId =>
  new ObjectId(
    createHash('sha256')
      .update(bot.toHexString() + room.toHexString())
      .digest()
      .subarray(0, 12),
  );
