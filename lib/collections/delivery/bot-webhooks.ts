import type { ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import type { SentEventType } from '../rooms/events.ts';
import type { SigningSecret } from '../rooms/signing-secrets.ts';
import type { DeliveryDocument } from './webhook-states.ts';

/** Which messages of its rooms the webhook of a bot is about: those that are said to the bot, or all. */
export const messageChoices = ['addressed', 'all'] as const;

/** To where it is sent what happens in the rooms of a bot; by the `_id` of the bot. */
export type BotWebhookDocument = SigningSecret & {
  _id: ObjectId;
  url: string;
  /**
   * The owner that the bot had when it was stored, null for none: under another one it counts for nothing. Absent where an
   * earlier version has stored it, which removes it with the owner: it is of the one that the bot has.
   */
  owner?: ObjectId | null;
  events: SentEventType[];
  messages: (typeof messageChoices)[number];
  /** What happens from then on is sent. */
  created_at: Date;
  disabled_at: Date | null;
  /** The last ones, each with its room, oldest first. */
  deliveries: (DeliveryDocument & { room: ObjectId })[];
};

type Choice = Pick<BotWebhookDocument, 'events' | 'messages'>;

/** A webhook as it is stored: without a choice where an earlier version has done that. */
export type StoredBotWebhook = Omit<BotWebhookDocument, keyof Choice> & Partial<Choice>;

/** What a webhook sends for which nothing else was chosen. */
export const usualChoice: Choice = { events: ['message.created'], messages: 'addressed' };

/** A webhook with what it sends, also where an earlier version has stored it. */
export const withChoice = <T extends Partial<Choice>>(stored: T): T & Choice => ({ ...usualChoice, ...stored });

/** Whether a webhook is that of a bot under the owner that it has now. */
export const isWebhookOf = (stored: Pick<BotWebhookDocument, 'owner'>, { owner }: { owner?: ObjectId | null }): boolean =>
  stored.owner === undefined || String(stored.owner) === String(owner ?? null);

/** The webhooks of all bots. */
export const botWebhooks = collection<StoredBotWebhook>('bot_webhooks');
