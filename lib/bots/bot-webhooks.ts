import type { ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import { about, flag, id, oneOf, optional, sequence, someOf, type Values } from '../api/parameters.ts';
import { aText, aWord, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { attempt } from '../base/deadline.ts';
import { invalidParameter } from '../base/errors.ts';
import type { UserDocument } from '../collections/accounts/users.ts';
import {
  type BotWebhookDocument,
  botWebhooks,
  isWebhookOf,
  messageChoices,
  type StoredBotWebhook,
  usualChoice,
  withChoice,
} from '../collections/delivery/bot-webhooks.ts';
import { webhookStates } from '../collections/delivery/webhook-states.ts';
import { sentEventTypes } from '../collections/rooms/events.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { forgetBotWebhook, isStillOwned, webhookOf } from '../identity/bot-rules.ts';
import type { Caller } from '../identity/caller.ts';
import { newSigningSecret, replaceSecret } from '../identity/signing-secrets.ts';
import { aHint } from '../identity/tokens.ts';
import { aShownSecret, botDeliverySchema, freshState, newSecret, showDelivery } from '../members/outgoing-webhooks.ts';
import { isReceiver, noSuchWebhook, receiver, receiverRefused } from '../members/webhooks.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { noSuchBot, requireBot } from './bots.ts';

/*
 * The webhook of a bot sends events from all rooms of the bot to one address. By default these are
 * messages that mention the bot or are in its direct conversations. So the bot needs no connection
 * of its own.
 */

/** The webhook of a bot, for the bot's owner and administrators. */
export const botWebhookSchema = record(
  'BotWebhook',
  {
    bot: described('The bot in whose rooms it listens.', idSchema),
    url: described('The receiver of the events.', aText),
    events: described('The types of the events that it sends.', listOf(aWord(...sentEventTypes))),
    messages: described(
      '`addressed`: events of messages that mention the bot or are in its direct conversations. `all`: events of all messages in its rooms.',
      aWord(...messageChoices),
    ),
    hint: aHint,
    created_at: described('The time of creation: what happens from then on is sent.', dateSchema),
    disabled_at: described('When it was switched off; null while it is on.', orNull(dateSchema)),
    deliveries: described('The last 20 attempts, oldest first.', listOf(botDeliverySchema)),
    secret: aShownSecret,
  },
  ['secret'],
);
type BotWebhook = Shown<typeof botWebhookSchema>;

export const botWebhookParameters = {
  url: about('The receiver of the events.', receiver),
  events: about(
    'The types of the events to send. Omitted: unchanged, or `message.created` for a new webhook.',
    optional(someOf(sentEventTypes)),
  ),
  messages: about(
    '`addressed`: events of messages that mention the bot or are in its direct conversations. `all`: events of all messages in its rooms. Omitted: unchanged, or `addressed` for a new webhook.',
    optional(oneOf(...messageChoices)),
  ),
};

export const botWebhookChanges = {
  is_enabled: about('Whether it sends; a receiver that fails for a day, or answers 410, switches it off.', optional(flag)),
  events: about('The types of the events to send.', optional(someOf(sentEventTypes))),
  messages: about('Whether to send the events of only `addressed` messages, or of `all`.', optional(oneOf(...messageChoices))),
  room: about('A room of the bot whose events are sent again, with `seq`.', optional(id)),
  seq: about('The place of the `room` after which it sends everything, also what it has sent before.', optional(sequence)),
  new_secret: newSecret,
};

export const botWebhookRefusals = [noSuchBot, noSuchWebhook];
export const botWebhookChangeRefusals = [...botWebhookRefusals, noSuchRoom];
export const newBotWebhookRefusals = [noSuchBot, receiverRefused];

/**
 * The stored webhook of a bot, for the bot's owner and administrators; 404 if it does not exist.
 */
export async function requireBotWebhook(bot: ObjectId, caller: Caller): Promise<BotWebhookDocument> {
  const account = await requireBot(bot, caller);
  const found = await botWebhooks.findOne(webhookOf(account));
  if (!found) throw noSuchWebhook();
  return ownedBy(account, found);
}

/**
 * The webhook of a bot with the fields that earlier versions did not store. The next change stores
 * them.
 */
const ownedBy = ({ owner }: UserDocument, stored: StoredBotWebhook): BotWebhookDocument => ({
  ...withChoice(stored),
  owner: stored.owner === undefined ? (owner ?? null) : stored.owner,
});

/** The webhook of a bot and its last deliveries, for the bot's owner and administrators. */
export const findBotWebhook = async (bot: ObjectId, caller: Caller): Promise<BotWebhook> =>
  show(await requireBotWebhook(bot, caller));

const show = ({ _id, url, events, messages, secret, created_at, disabled_at, deliveries }: BotWebhookDocument): BotWebhook => ({
  bot: showId(_id),
  url,
  events,
  messages,
  hint: secret.slice(-4),
  created_at: showDate(created_at),
  disabled_at: disabled_at && showDate(disabled_at),
  deliveries: deliveries.map(({ room, ...delivery }) => ({ ...showDelivery(delivery), room: showId(room) })),
});

/**
 * Creates the webhook of a bot, or changes its address and secret, for the bot's owner and
 * administrators. An existing webhook continues at its position, so no event is lost. Omitted
 * choices stay as they are.
 */
export async function putBotWebhook(
  id: ObjectId,
  choice: Values<typeof botWebhookParameters>,
  caller: Caller,
): Promise<BotWebhook> {
  requireSome(choice.events);
  const bot = await requireBot(id, caller);
  if (!isReceiver(choice.url)) throw receiverRefused();
  const stored = await attempt({ times: 10 }, () => store(bot, choice));
  // Checked after the webhook exists, because it ends with its owner's account. If the bot has a
  // new owner by now, the webhook of the new owner stays.
  if (await isStillOwned(bot)) return { ...show(stored), secret: stored.secret };
  await forgetBotWebhook(id, { owner: stored.owner ?? null });
  throw noSuchBot();
}

function requireSome(events: unknown[] | undefined): void {
  if (events?.length === 0) throw invalidParameter('events', 'have at least one type');
}

/** Stores a webhook with a new secret; undefined if somebody else has done so meanwhile. */
async function store(
  bot: UserDocument,
  { url, events, messages }: Values<typeof botWebhookParameters>,
): Promise<BotWebhookDocument | undefined> {
  const choice = { url, ...(events && { events }), ...(messages && { messages }) };
  const { _id } = bot;
  const owner = bot.owner ?? null;
  const earlier = await botWebhooks.findOne({ _id });
  if (earlier && isWebhookOf(earlier, bot))
    return change(ownedBy(bot, earlier), { ...choice, disabled_at: null, ...replaceSecret(earlier) });
  // The webhook of the old owner, who knows its secrets: start from nothing. But if this request's
  // owner is the old one, the request is refused, because the bot has a new owner.
  if (earlier && !(await isStillOwned(bot))) throw noSuchBot();
  if (earlier) await forgetBotWebhook(_id, { owner: earlier.owner ?? null });
  const created = { ...withChoice(choice), owner, secret: newSigningSecret(), disabled_at: null, deliveries: [] };
  const insert = [{ $replaceWith: { $mergeObjects: ['$$ROOT', { $literal: created }, { created_at: '$$NOW' }] } }];
  try {
    // An existing webhook does not match, and a second one cannot have the same `_id`.
    const isNew = { _id, url: { $exists: false } };
    const stored = await botWebhooks.findOneAndUpdate(isNew, insert, { upsert: true, returnDocument: 'after' });
    // Left over from an earlier webhook if its removal was interrupted.
    if (stored) await webhookStates.deleteMany({ bot: _id });
    return stored ? ownedBy(bot, stored) : undefined;
  } catch (error) {
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/**
 * Changes a webhook unless its secret has changed. If it is switched on or its choice changes,
 * waiting events are sent immediately.
 */
async function change(earlier: BotWebhookDocument, set: Partial<BotWebhookDocument>): Promise<BotWebhookDocument | undefined> {
  const { _id, secret, disabled_at, owner = null } = earlier;
  // Adds the fields that earlier versions did not store.
  await botWebhooks.updateOne({ _id, secret, owner: { $exists: false } }, { $set: { owner, ...usualChoice } });
  const changed = await botWebhooks.findOneAndUpdate({ _id, secret }, { $set: set }, { returnDocument: 'after' });
  const { disabled_at: offSince = disabled_at, events, messages } = set;
  if (changed && !offSince && (set.disabled_at === null || events || messages)) {
    // Also resets leases in progress: the outcome of an attempt at the old address says nothing
    // about the new one. If the webhook was on, events wait only in these rooms.
    const isWaiting = { $or: [{ holder: { $ne: null } }, { retry_at: { $ne: null } }] };
    const where = { bot: _id, ...(disabled_at === null && isWaiting) };
    await webhookStates.updateMany(where, { $set: { ...freshState, retry_at: new Date() } });
  }
  return changed ? { ...earlier, ...withChoice(changed) } : undefined;
}

/**
 * Switches the webhook of a bot on or off, or changes its choice or secret, for the bot's owner and
 * administrators.
 */
export async function changeBotWebhook(
  bot: ObjectId,
  { is_enabled, events, messages, new_secret }: Omit<Values<typeof botWebhookChanges>, 'room' | 'seq'>,
  caller: Caller,
): Promise<BotWebhook> {
  requireSome(events);
  return attempt({ times: 10 }, async () => {
    const found = await requireBotWebhook(bot, caller);
    const set = {
      ...(events && { events }),
      ...(messages && { messages }),
      ...(is_enabled !== undefined && { disabled_at: is_enabled ? null : (found.disabled_at ?? new Date()) }),
      ...(new_secret && replaceSecret(found)),
    };
    if (Object.keys(set).length === 0) return show(found);
    const changed = await change(found, set);
    return changed && { ...show(changed), ...(new_secret && { secret: changed.secret }) };
  });
}

/** Removes the webhook of a bot, for the bot's owner and administrators. */
export async function removeBotWebhook(bot: ObjectId, caller: Caller): Promise<void> {
  await requireBot(bot, caller);
  if (!(await forgetBotWebhook(bot))) throw noSuchWebhook();
}
