import type { ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import type { SentEventType } from '../rooms/events.ts';
import type { SigningSecret } from '../rooms/signing-secrets.ts';
import type { DeliveryDocument } from './webhook-states.ts';

/** The messages that a bot's webhook sends: those that are addressed to the bot, or all. */
export const messageChoices = ['addressed', 'all'] as const;

/** The webhook of a bot. `_id` is that of the bot. */
export type BotWebhookDocument = SigningSecret & {
  _id: ObjectId;
  url: string;
  /**
   * The bot's owner when the webhook was stored, or null. If the bot has another owner, the webhook
   * is void. Absent if an earlier version stored it: that version removes webhooks when the owner
   * changes, so it is valid.
   */
  owner?: ObjectId | null;
  events: SentEventType[];
  messages: (typeof messageChoices)[number];
  /** Events from this time on are sent. */
  created_at: Date;
  disabled_at: Date | null;
  /** The last deliveries with their rooms, oldest first. */
  deliveries: (DeliveryDocument & { room: ObjectId })[];
};

type Choice = Pick<BotWebhookDocument, 'events' | 'messages'>;

/** A webhook as stored: earlier versions did not store a choice. */
export type StoredBotWebhook = Omit<BotWebhookDocument, keyof Choice> & Partial<Choice>;

/** The events that a webhook sends by default. */
export const usualChoice: Choice = { events: ['message.created'], messages: 'addressed' };

/** Adds the default choice to a webhook that an earlier version stored. */
export const withChoice = <T extends Partial<Choice>>(stored: T): T & Choice => ({ ...usualChoice, ...stored });

/** Returns true if a webhook belongs to the bot's current owner. */
export const isWebhookOf = (stored: Pick<BotWebhookDocument, 'owner'>, { owner }: { owner?: ObjectId | null }): boolean =>
  stored.owner === undefined || String(stored.owner) === String(owner ?? null);

/** The webhooks of all bots. */
export const botWebhooks = collection<StoredBotWebhook>('bot_webhooks');
