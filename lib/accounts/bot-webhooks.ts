import type { ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import { about, flag, optional, type Values } from '../api/parameters.ts';
import { aText, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { type BotWebhookDocument, botWebhooks } from '../collections/bot-webhooks.ts';
import { webhookStates } from '../collections/webhook-states.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { attempt } from '../deadline.ts';
import type { Caller } from '../identity/caller.ts';
import { newSigningSecret, replaceSecret } from '../identity/signing-secrets.ts';
import { aHint } from '../identity/tokens.ts';
import { aShownSecret, botDeliverySchema, freshState, newSecret, showDelivery } from '../members/outgoing-webhooks.ts';
import { isReceiver, noSuchWebhook, receiver, receiverRefused } from '../members/webhooks.ts';
import { forgetBotWebhook, isStillOwned } from './bot-rules.ts';
import { noSuchBot, requireBot } from './bots.ts';

/*
 * The webhook of a bot: messages that mention the bot, and those of its direct conversations, are sent to one address. The bot need not
 * follow its rooms by a connection of its own.
 */

/** The webhook of a bot as the bot's owner and administrators see it. */
export const botWebhookSchema = record(
  'BotWebhook',
  {
    bot: described('The bot to which the messages are said.', idSchema),
    url: described('To where messages are sent.', aText),
    hint: aHint,
    created_at: described('The time of creation: messages from then on are sent.', dateSchema),
    disabled_at: described('When it was switched off; null while it is on.', orNull(dateSchema)),
    deliveries: described('The last 20 attempts, oldest first.', listOf(botDeliverySchema)),
    secret: aShownSecret,
  },
  ['secret'],
);
type BotWebhook = Shown<typeof botWebhookSchema>;

export const botWebhookParameters = {
  url: about('To where to send messages that mention the bot, and those of its direct conversations.', receiver),
};

export const botWebhookChanges = {
  is_enabled: about('Whether it sends; a receiver that fails for a day, or answers 410, switches it off.', optional(flag)),
  new_secret: newSecret,
};

export const botWebhookRefusals = [noSuchBot, noSuchWebhook];
export const newBotWebhookRefusals = [noSuchBot, receiverRefused];

/** The webhook of a bot, for the bot's owner and administrators, as it is stored: 404 if not found. */
export async function requireBotWebhook(bot: ObjectId, caller: Caller): Promise<BotWebhookDocument> {
  await requireBot(bot, caller);
  const found = await botWebhooks.findOne({ _id: bot });
  if (!found) throw noSuchWebhook();
  return found;
}

/** The webhook of a bot and its last deliveries, for the bot's owner and administrators. */
export const findBotWebhook = async (bot: ObjectId, caller: Caller): Promise<BotWebhook> =>
  show(await requireBotWebhook(bot, caller));

const show = ({ _id, url, secret, created_at, disabled_at, deliveries }: BotWebhookDocument): BotWebhook => ({
  bot: showId(_id),
  url,
  hint: secret.slice(-4),
  created_at: showDate(created_at),
  disabled_at: disabled_at && showDate(disabled_at),
  deliveries: deliveries.map(({ room, ...delivery }) => ({ ...showDelivery(delivery), room: showId(room) })),
});

/**
 * Creates the webhook of a bot, for its owner and administrators, or gives the one that it has another address and another
 * secret, from where it was: nothing is lost between the two.
 */
export async function putBotWebhook(
  id: ObjectId,
  { url }: Values<typeof botWebhookParameters>,
  caller: Caller,
): Promise<BotWebhook> {
  const bot = await requireBot(id, caller);
  if (!isReceiver(url)) throw receiverRefused();
  const stored = await attempt({ times: 10 }, () => store(id, url));
  // Asked when it exists: it ends with the account of the bot's owner.
  if (await isStillOwned(bot)) return { ...show(stored), secret: stored.secret };
  await forgetBotWebhook(id);
  throw noSuchBot();
}

/** Stores a webhook with another secret; undefined where another has done that meanwhile. */
async function store(_id: ObjectId, url: string): Promise<BotWebhookDocument | undefined> {
  const earlier = await botWebhooks.findOne({ _id });
  if (earlier) return change(earlier, { url, disabled_at: null, ...replaceSecret(earlier) });
  const created = { url, secret: newSigningSecret(), disabled_at: null, deliveries: [] };
  const insert = [{ $replaceWith: { $mergeObjects: ['$$ROOT', { $literal: created }, { created_at: '$$NOW' }] } }];
  try {
    // One that is there by now does not match, and another can't have its `_id`.
    const isNew = { _id, url: { $exists: false } };
    const stored = await botWebhooks.findOneAndUpdate(isNew, insert, { upsert: true, returnDocument: 'after' });
    // What an earlier webhook may have left whose removal was cut off.
    if (stored) await webhookStates.deleteMany({ bot: _id });
    return stored ?? undefined;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/** Changes a webhook that has the secret still; has it sent at once what waits, if it is on from now on. */
async function change(
  { _id, secret }: BotWebhookDocument,
  set: Partial<BotWebhookDocument>,
): Promise<BotWebhookDocument | undefined> {
  const changed = await botWebhooks.findOneAndUpdate({ _id, secret }, { $set: set }, { returnDocument: 'after' });
  if (changed && set.disabled_at === null) {
    // Also from whom is at it: what became of an attempt at the earlier address says nothing of this one.
    await webhookStates.updateMany({ bot: _id }, { $set: { ...freshState, retry_at: new Date() } });
  }
  return changed ?? undefined;
}

/** Switches the webhook of a bot on or off, or gives it another secret, for the bot's owner and administrators. */
export const changeBotWebhook = (
  bot: ObjectId,
  { is_enabled, new_secret }: Values<typeof botWebhookChanges>,
  caller: Caller,
): Promise<BotWebhook> =>
  attempt({ times: 10 }, async () => {
    const found = await requireBotWebhook(bot, caller);
    const set = {
      ...(is_enabled !== undefined && { disabled_at: is_enabled ? null : (found.disabled_at ?? new Date()) }),
      ...(new_secret && replaceSecret(found)),
    };
    if (Object.keys(set).length === 0) return show(found);
    const changed = await change(found, set);
    return changed && { ...show(changed), ...(new_secret && { secret: changed.secret }) };
  });

/** Removes the webhook of a bot, for the bot's owner and administrators. */
export async function removeBotWebhook(bot: ObjectId, caller: Caller): Promise<void> {
  await requireBot(bot, caller);
  if (!(await forgetBotWebhook(bot))) throw noSuchWebhook();
}
