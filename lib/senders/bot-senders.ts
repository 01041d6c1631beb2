import type { ObjectId } from 'mongodb';
import { log } from '../base/log.ts';
import { users } from '../collections/accounts/users.ts';
import {
  type BotWebhookDocument,
  botWebhooks,
  isWebhookOf,
  type StoredBotWebhook,
  withChoice,
} from '../collections/delivery/bot-webhooks.ts';
import { type DeliveryDocument, stateIdOf } from '../collections/delivery/webhook-states.ts';
import { type MemberDocument, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import { findPlaceBefore } from '../feed/places.ts';
import { forgetBotWebhook, hasActiveOwner } from '../identity/bot-rules.ts';
import { botCaller, type Caller } from '../identity/caller.ts';
import { noSuchWebhook } from '../members/webhooks.ts';
import { config } from '../settings/config.ts';
import { tellOwner } from './say.ts';
import { mostDeliveries, type Sender, type SenderKind, type SentEvent } from './sender.ts';

/** The webhooks of bots, which keep the attempts of all rooms of their bot. */
export const botSenders: SenderKind = { find: findBotSenders, listPlaces };

/** The webhook of a bot, on or off, in one of the bot's rooms. */
export async function findBotSender(bot: ObjectId, room: ObjectId): Promise<Sender | undefined> {
  const webhook = await botWebhooks.findOne<StoredWebhook>({ _id: bot }, withoutDeliveries);
  return (await sendersAmong(room, webhook ? [webhook] : []))[0];
}

/**
 * If the whole service has fewer enabled webhooks of bots than this, each is checked for the room.
 * Otherwise the webhooks of the room's members are looked up.
 */
const few = 20;

/** In rooms with more members than this, all webhooks of bots are checked instead, in chunks. */
const mostMembers = 500;
const chunkSize = 500;

type BotWebhook = Omit<BotWebhookDocument, 'deliveries'>;
type StoredWebhook = Omit<StoredBotWebhook, 'deliveries'>;
const withoutDeliveries = { projection: { deliveries: 0 } };

/** The enabled webhooks of the bots in a room. */
async function findBotSenders(room: ObjectId): Promise<Sender[]> {
  const first = await botWebhooks.find<StoredWebhook>({ disabled_at: null }, { ...withoutDeliveries, limit: few }).toArray();
  if (first.length < few) return sendersAmong(room, first);
  const isSmall = { [`members.${mostMembers}`]: { $exists: false } };
  const found = await rooms.findOne<RoomOfBots>({ _id: room, ...isSmall }, { projection: memberFields });
  if (!found) return findAmongAll(room);
  const where = { _id: { $in: found.members.map(({ user }) => user) }, disabled_at: null };
  return sendersIn(room, found, await botWebhooks.find<StoredWebhook>(where, withoutDeliveries).toArray());
}

/** Checks all webhooks of bots for a room with many members. */
async function findAmongAll(room: ObjectId): Promise<Sender[]> {
  const senders: Sender[] = [];
  for (let after: ObjectId | undefined; ; ) {
    const where = { disabled_at: null, ...(after && { _id: { $gt: after } }) };
    const options = { ...withoutDeliveries, sort: { _id: 1 as const }, limit: chunkSize, batchSize: chunkSize + 1 };
    const some: StoredWebhook[] = await botWebhooks.find(where, options).toArray();
    senders.push(...(await sendersAmong(room, some)));
    if (some.length < chunkSize) return senders;
    after = some.at(-1)?._id;
  }
}

type RoomOfBots = Pick<RoomDocument, 'is_direct'> & { members: Pick<MemberDocument, 'user' | 'joined_at'>[] };
const memberFields = { is_direct: 1, 'members.user': 1, 'members.joined_at': 1 };

async function sendersAmong(room: ObjectId, webhooks: StoredWebhook[]): Promise<Sender[]> {
  if (webhooks.length === 0) return [];
  const where = { _id: room, 'members.user': { $in: webhooks.map(({ _id }) => _id) } };
  // Most rooms have members without such webhooks, and are not read.
  if (!(await rooms.findOne(where, { projection: { _id: 1 } }))) return [];
  const found = await rooms.findOne<RoomOfBots>(where, { projection: memberFields });
  return found ? sendersIn(room, found, webhooks) : [];
}

function sendersIn(room: ObjectId, { is_direct, members }: RoomOfBots, webhooks: StoredWebhook[]): Sender[] {
  const joined = new Map(members.map(({ user, joined_at }) => [user.toHexString(), joined_at]));
  return webhooks.flatMap((webhook) => {
    const joinedAt = joined.get(webhook._id.toHexString());
    return joinedAt ? [botSender(room, withChoice(webhook), joinedAt, is_direct === true)] : [];
  });
}

/**
 * The webhook of a bot in a room. Events before the bot joined, or before the webhook was created,
 * are not sent.
 */
function botSender(room: ObjectId, webhook: BotWebhook, joinedAt: Date, isDirect: boolean): Sender {
  const { _id: bot, created_at, events, messages } = webhook;
  const since = joinedAt > created_at ? joinedAt : created_at;
  const id = bot.toHexString();
  const isAll = isDirect || messages === 'all';
  const sender: Sender = {
    _id: stateIdOf(bot, room),
    room,
    bot,
    to: webhook,
    payer: (webhook.owner ?? bot).toHexString(),
    speaker: bot,
    findCaller: () => callerOfBot(bot),
    // A change with an earlier place may have an older time, by as long as a feed waits for it.
    findStart: () => findPlaceBefore(room, since.getTime() - config.feedPatience),
    isWanted: (event) =>
      events.includes(event.type) &&
      event.actor?.$oid !== id &&
      Date.parse(event.at.$date) >= since.getTime() &&
      (isAll || isAddressed(event, id)),
    isCurrent: () => isUnchanged(webhook),
    isThere: () => maySend(webhook, room),
    withAttempt: (change) => change,
    recordAttempt: (delivery, isOver) => recordAttempt(bot, sender, delivery, isOver),
  };
  return sender;
}

/** Records an attempt with the webhook of a bot. If `isOver`, it is switched off in all rooms. */
async function recordAttempt(bot: ObjectId, sender: Sender, delivery: DeliveryDocument, isOver: boolean): Promise<void> {
  const { room, to } = sender;
  const where = { _id: bot, url: to.url };
  const deliveries = { $each: [{ ...delivery, room }], $slice: -mostDeliveries };
  await botWebhooks.updateOne(where, { $push: { deliveries } });
  if (!isOver) return;
  // Deliveries in two rooms may both be over. Only one of them switches it off.
  const { matchedCount } = await botWebhooks.updateOne({ ...where, disabled_at: null }, { $set: { disabled_at: delivery.at } });
  if (matchedCount > 0) await tellOwner(bot, sender, delivery);
}

/**
 * True if an event is about a message that mentions the bot or that the bot has sent, or is not
 * about a message. The mentions of a deleted message are unknown, so each deletion counts.
 */
function isAddressed({ type, data }: SentEvent, bot: string): boolean {
  const isOfMessage = /^(message|reaction|action)\./.test(type);
  if (!isOfMessage || type === 'message.deleted') return true;
  if (!data || !('mentions' in data)) return false;
  return data.user.$oid === bot || data.mentions.some(({ $oid }) => $oid === bot);
}

/** True if the webhook of a bot is on, and has the same address, owner and events. */
async function isUnchanged({ _id, url, owner, events, messages }: BotWebhook): Promise<boolean> {
  const found = await botWebhooks.findOne<StoredWebhook>({ _id, url, disabled_at: null }, withoutDeliveries);
  if (!found) return false;
  const now = withChoice(found);
  return String(now.owner) === String(owner) && now.messages === messages && String(now.events) === String(events);
}

/**
 * True if the webhook of a bot has not changed, the bot is in the room, and its owner may still be
 * responsible for it.
 */
async function maySend(webhook: BotWebhook, room: ObjectId): Promise<boolean> {
  const { _id: bot } = webhook;
  const [isSame, isIn, account] = await Promise.all([
    isUnchanged(webhook),
    rooms.findOne({ _id: room, 'members.user': bot }, { projection: { _id: 1 } }),
    users.findOne({ _id: bot, is_bot: true, is_active: true }),
  ]);
  if (!isSame || !isIn || !account) return false;
  return isWebhookOf(webhook, account) && (await hasActiveOwner(account));
}

async function callerOfBot(bot: ObjectId): Promise<Caller> {
  const account = await users.findOne({ _id: bot, is_bot: true, is_active: true });
  if (!account) throw noSuchWebhook();
  return botCaller(account);
}

async function* listPlaces(): ReturnType<SenderKind['listPlaces']> {
  for await (const stored of botWebhooks.find<StoredWebhook>({}, withoutDeliveries)) {
    const { _id: bot, owner = null, created_at, disabled_at, events } = withChoice(stored);
    const account = await users.findOne({ _id: bot }, { projection: { owner: 1 } });
    if (account && !isWebhookOf(stored, account)) {
      // It belongs to an earlier owner: a process died after it had stored it.
      const isForgotten = await forgetBotWebhook(bot, { owner });
      if (isForgotten) log('info', 'security', { event: 'webhook revoked', whom: bot.toHexString(), what: 'bot' });
      continue;
    }
    const ofBot = { 'members.user': bot };
    const fields = { seq: 1, last_message_at: 1 };
    for await (const found of rooms.find<Pick<RoomDocument, '_id' | 'seq' | 'last_message_at'>>(ofBot, { projection: fields })) {
      const { _id: room, seq, last_message_at } = found;
      // Without a delivery state in a room, its start is unknown. If anything has happened since,
      // it may be anywhere.
      const isSaid = last_message_at !== null && last_message_at >= created_at;
      const since = isSaid || events.some((type) => type !== 'message.created') ? 0 : seq;
      yield { _id: stateIdOf(bot, room), room, seq, since, isOn: disabled_at === null };
    }
  }
}
