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
import { stateIdOf } from '../collections/delivery/webhook-states.ts';
import { type MemberDocument, type OutgoingWebhook, type RoomDocument, rooms } from '../collections/rooms/rooms.ts';
import type { SigningSecret } from '../collections/rooms/signing-secrets.ts';
import type { Event } from '../feed/events.ts';
import { findPlaceBefore } from '../feed/places.ts';
import { forgetBotWebhook, hasActiveOwner, mayAct } from '../identity/bot-rules.ts';
import { botCaller, type Caller } from '../identity/caller.ts';
import { outgoingOf } from '../members/outgoing-webhooks.ts';
import { callerOfWebhook, noSuchWebhook } from '../members/webhooks.ts';
import { config } from '../settings/config.ts';

/*
 * What sends the events of a room: webhooks of the room, and those of bots that are in it, which are sent what is said to them.
 */

/** A webhook in a room. */
export type Sender = {
  /** The id under which it is noted how far it is. */
  _id: ObjectId;
  room: ObjectId;
  bot?: ObjectId;
  to: SigningSecret & { url: string };
  /** The account that pays for what is sent: the maker's, or the owner of the bot. */
  payer: string;
  /** The account under which it replies. */
  speaker: ObjectId;
  findCaller: () => Promise<Caller>;
  /** The place after which it begins. */
  findStart: () => Promise<number>;
  isWanted: (event: Event) => boolean;
  /** Whether it is still what it was when it was found: asked before it passes over what it did not want then. */
  isCurrent: () => Promise<boolean>;
  /** Whether it may still send: it may have ended with a role, an account or a membership. */
  isThere: () => Promise<boolean>;
};

/** The webhooks that send the events of a room. */
export async function findSenders(room: ObjectId): Promise<Sender[]> {
  const projection = { webhooks: 1 };
  const [found, ofBots] = await Promise.all([
    rooms.findOne<Pick<RoomDocument, 'webhooks'>>({ _id: room }, { projection }),
    findBotSenders(room),
  ]);
  return [...outgoingOf(found?.webhooks).map((webhook) => roomSender(room, webhook)), ...ofBots];
}

/** The webhook of a bot, on or off, in a room that the bot is in. */
export async function findBotSender(bot: ObjectId, room: ObjectId): Promise<Sender | undefined> {
  const webhook = await botWebhooks.findOne<StoredWebhook>({ _id: bot }, withoutDeliveries);
  return (await sendersAmong(room, webhook ? [webhook] : []))[0];
}

type RoomWebhook = { _id: ObjectId; outgoing: OutgoingWebhook; created_by: ObjectId };

const roomSender = (room: ObjectId, { _id, outgoing, created_by }: RoomWebhook): Sender => ({
  _id,
  room,
  to: outgoing,
  payer: created_by.toHexString(),
  speaker: _id,
  findCaller: () => callerOfWebhook(_id),
  findStart: async () => outgoing.since,
  isWanted: ({ type, actor }) => outgoing.events.includes(type) && actor?.$oid !== _id.toHexString(),
  isCurrent: async () => true,
  isThere: async () => {
    const where = { _id: room, 'webhooks._id': _id };
    const [found, isValid] = await Promise.all([rooms.findOne(where, { projection: { _id: 1 } }), mayAct(created_by)]);
    return found !== null && isValid;
  },
});

/** So few webhooks of bots are looked for in a room; of more, the members of the room are asked for theirs. */
const few = 20;

/** In larger rooms, so many webhooks of bots are looked for at a time. */
const mostMembers = 500;
const chunkSize = 500;

type BotWebhook = Omit<BotWebhookDocument, 'deliveries'>;
type StoredWebhook = Omit<StoredBotWebhook, 'deliveries'>;
const withoutDeliveries = { projection: { deliveries: 0 } };

/** The webhooks of the bots that are in a room, as long as they are on. */
async function findBotSenders(room: ObjectId): Promise<Sender[]> {
  const first = await botWebhooks.find<StoredWebhook>({ disabled_at: null }, { ...withoutDeliveries, limit: few }).toArray();
  if (first.length < few) return sendersAmong(room, first);
  const isSmall = { [`members.${mostMembers}`]: { $exists: false } };
  const found = await rooms.findOne<RoomOfBots>({ _id: room, ...isSmall }, { projection: memberFields });
  if (!found) return findAmongAll(room);
  const where = { _id: { $in: found.members.map(({ user }) => user) }, disabled_at: null };
  return sendersIn(room, found, await botWebhooks.find<StoredWebhook>(where, withoutDeliveries).toArray());
}

/** Looks for all webhooks of bots in a room with more members than those. */
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
  // The members of most rooms, which have no such bot, are not read.
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

/** The webhook of a bot in a room: what happened before the bot came, or before the webhook was made, is not sent. */
function botSender(room: ObjectId, webhook: BotWebhook, joinedAt: Date, isDirect: boolean): Sender {
  const { _id: bot, created_at, events, messages } = webhook;
  const since = joinedAt > created_at ? joinedAt : created_at;
  const id = bot.toHexString();
  const isAll = isDirect || messages === 'all';
  return {
    _id: stateIdOf(bot, room),
    room,
    bot,
    to: webhook,
    payer: (webhook.owner ?? bot).toHexString(),
    speaker: bot,
    findCaller: () => callerOfBot(bot),
    // What took an earlier place may have an older time for as long as a feed waits for it.
    findStart: () => findPlaceBefore(room, since.getTime() - config.feedPatience),
    isWanted: (event) =>
      events.includes(event.type) &&
      event.actor?.$oid !== id &&
      Date.parse(event.at.$date) >= since.getTime() &&
      (isAll || isAddressed(event, id)),
    isCurrent: () => isUnchanged(webhook),
    isThere: () => maySend(webhook, room),
  };
}

/**
 * Whether an event is one of a message that mentions a bot, or of what the bot has said itself; or of no such message. Whom
 * a deleted message mentioned, nobody knows any longer: each is such a one.
 */
function isAddressed({ type, data }: Event, bot: string): boolean {
  const isOfMessage = type.startsWith('message.') || type.startsWith('reaction.');
  if (!isOfMessage || type === 'message.deleted') return true;
  if (!data || !('mentions' in data)) return false;
  return data.user.$oid === bot || data.mentions.some(({ $oid }) => $oid === bot);
}

/** Whether the webhook of a bot is on, and has the address, the owner and the choice that it had. */
async function isUnchanged({ _id, url, owner, events, messages }: BotWebhook): Promise<boolean> {
  const found = await botWebhooks.findOne<StoredWebhook>({ _id, url, disabled_at: null }, withoutDeliveries);
  if (!found) return false;
  const now = withChoice(found);
  return String(now.owner) === String(owner) && now.messages === messages && String(now.events) === String(events);
}

/** Whether the webhook of a bot is as it was, and the bot in the room now, and its owner the same who may answer for it. */
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

/** A webhook in a room: how far the room is, and the place after which the webhook begins. */
type SenderPlace = Pick<Sender, '_id' | 'room'> & { seq: number; since: number; isOn: boolean };

/** All webhooks that send events, each in each of its rooms. */
export async function* placesOfSenders(): AsyncGenerator<SenderPlace> {
  const projection = { seq: 1, 'webhooks._id': 1, 'webhooks.outgoing': 1 };
  const hasOne = { 'webhooks.outgoing.url': { $gt: '' } };
  for await (const { _id: room, seq, webhooks } of rooms.find<Pick<RoomDocument, '_id' | 'seq' | 'webhooks'>>(hasOne, {
    projection,
  }))
    for (const { _id, outgoing } of outgoingOf(webhooks)) yield { _id, room, seq, since: outgoing.since, isOn: true };
  for await (const stored of botWebhooks.find<StoredWebhook>({}, withoutDeliveries)) {
    const { _id: bot, owner = null, created_at, disabled_at, events } = withChoice(stored);
    const account = await users.findOne({ _id: bot }, { projection: { owner: 1 } });
    if (account && !isWebhookOf(stored, account)) {
      // Of an earlier owner, whose process died when it had stored it.
      const isForgotten = await forgetBotWebhook(bot, { owner });
      if (isForgotten) log('info', 'security', { event: 'webhook revoked', whom: bot.toHexString(), what: 'bot' });
      continue;
    }
    const ofBot = { 'members.user': bot };
    const fields = { seq: 1, last_message_at: 1 };
    for await (const found of rooms.find<Pick<RoomDocument, '_id' | 'seq' | 'last_message_at'>>(ofBot, { projection: fields })) {
      const { _id: room, seq, last_message_at } = found;
      // Of a room in which it has noted nothing yet, it is unknown where it begins: anywhere, if something happened since.
      const isSaid = last_message_at !== null && last_message_at >= created_at;
      const since = isSaid || events.some((type) => type !== 'message.created') ? 0 : seq;
      yield { _id: stateIdOf(bot, room), room, seq, since, isOn: disabled_at === null };
    }
  }
}
