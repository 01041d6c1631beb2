import type { ObjectId } from 'mongodb';
import { collection } from '../database/bounded.ts';
import type { SigningSecret } from './signing-secrets.ts';
import type { DeliveryDocument } from './webhook-states.ts';

/** To where messages are sent that mention a bot, or are said in its direct conversations; by the `_id` of the bot. */
export type BotWebhookDocument = SigningSecret & {
  _id: ObjectId;
  url: string;
  /** Messages from then on are sent. */
  created_at: Date;
  disabled_at: Date | null;
  /** The last ones, each with its room, oldest first. */
  deliveries: (DeliveryDocument & { room: ObjectId })[];
};

/** The webhooks of all bots. */
export const botWebhooks = collection<BotWebhookDocument>('bot_webhooks');
