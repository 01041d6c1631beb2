import { createHash } from 'node:crypto';
import { type IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** What became of one event at the receiver of a webhook: no `status` where no answer came. */
export type DeliveryDocument = {
  seq: number;
  type: string;
  at: Date;
  milliseconds: number;
  status: number | null;
  /** The beginning of the answer, or why there was none. */
  answer: string;
};

/** How far an outgoing webhook of a room is, by its `_id`; or that of a bot in one of its rooms, by an id made of both. */
export type WebhookStateDocument = {
  _id: ObjectId;
  room: ObjectId;
  /** The bot; absent for the webhook of a room. */
  bot?: ObjectId;
  /** The last event that its receiver has acknowledged, or did not want. */
  seq: number;
  /** The process that delivers, and until when it may. */
  holder: ObjectId | null;
  leased_until: Date;
  /** How often the next event has failed, since when, and when to try again. */
  failures: number;
  failing_since: Date | null;
  retry_at: Date | null;
  disabled_at: Date | null;
  /** The last ones, oldest first. */
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

/** The id under which it is noted how far the webhook of a bot is in a room: the same for all who ask, so that there is one. */
export const stateIdOf = (bot: ObjectId, room: ObjectId): ObjectId =>
  new ObjectId(
    createHash('sha256')
      .update(bot.toHexString() + room.toHexString())
      .digest()
      .subarray(0, 12),
  );
