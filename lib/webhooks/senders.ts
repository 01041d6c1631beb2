import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { hasActiveOwner } from '../accounts/bot-rules.ts';
import { type BotWebhookDocument, botWebhooks } from '../collections/bot-webhooks.ts';
import { type MemberDocument, type OutgoingWebhook, type RoomDocument, rooms } from '../collections/rooms.ts';
import type { SigningSecret } from '../collections/signing-secrets.ts';
import { users } from '../collections/users.ts';
import { config } from '../config.ts';
import type { Event } from '../feed/events.ts';
import { lastRowUpTo } from '../feed/rows.ts';
import { botCaller, type Caller } from '../identity/caller.ts';
import { outgoingOf } from '../members/outgoing-webhooks.ts';
import { callerOfWebhook, noSuchWebhook } from '../members/webhooks.ts';

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
  /** The account under which it replies. */
  speaker: ObjectId;
  findCaller: () => Promise<Caller>;
  /** The place after which it begins. */
  findStart: () => Promise<number>;
  isWanted: (event: Event) => boolean;
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

const roomSender = (room: ObjectId, { _id, outgoing }: { _id: ObjectId; outgoing: OutgoingWebhook }): Sender => ({
  _id,
  room,
  to: outgoing,
  speaker: _id,
  findCaller: () => callerOfWebhook(_id),
  findStart: async () => outgoing.since,
  isWanted: ({ type, actor }) => outgoing.events.includes(type) && actor?.$oid !== _id.toHexString(),
  isThere: async () => (await rooms.findOne({ _id: room, 'webhooks._id': _id }, { projection: { _id: 1 } })) !== null,
});

/** How many webhooks of bots are looked at together. */
const chunkSize = 500;

type BotWebhook = Omit<BotWebhookDocument, 'deliveries'>;
const withoutDeliveries = { projection: { deliveries: 0 } };

/** The webhooks of the bots that are in a room, as long as they are on. */
async function findBotSenders(room: ObjectId): Promise<Sender[]> {
  const senders: Sender[] = [];
  for (let after: ObjectId | undefined; ; ) {
    const where = { disabled_at: null, ...(after && { _id: { $gt: after } }) };
    const options = { ...withoutDeliveries, sort: { _id: 1 as const }, limit: chunkSize, batchSize: chunkSize + 1 };
    const some: BotWebhook[] = await botWebhooks.find(where, options).toArray();
    senders.push(...(await sendersAmong(room, some)));
    if (some.length < chunkSize) return senders;
    after = some.at(-1)?._id;
  }
}

type RoomOfBots = Pick<RoomDocument, 'is_direct'> & { members: Pick<MemberDocument, 'user' | 'joined_at'>[] };

async function sendersAmong(room: ObjectId, webhooks: BotWebhook[]): Promise<Sender[]> {
  if (webhooks.length === 0) return [];
  const where = { _id: room, 'members.user': { $in: webhooks.map(({ _id }) => _id) } };
  // The members of most rooms, which have no such bot, are not read.
  if (!(await rooms.findOne(where, { projection: { _id: 1 } }))) return [];
  const projection = { is_direct: 1, 'members.user': 1, 'members.joined_at': 1 };
  const found = await rooms.findOne<RoomOfBots>(where, { projection });
  const joined = new Map(found?.members.map(({ user, joined_at }) => [user.toHexString(), joined_at]));
  return webhooks.flatMap((webhook) => {
    const joinedAt = joined.get(webhook._id.toHexString());
    return joinedAt ? [botSender(room, webhook, joinedAt, found?.is_direct === true)] : [];
  });
}

/** The webhook of a bot in a room: what was said before the bot came, or before the webhook was made, is not sent. */
function botSender(room: ObjectId, { _id: bot, created_at, ...to }: BotWebhook, joinedAt: Date, isDirect: boolean): Sender {
  const since = joinedAt > created_at ? joinedAt : created_at;
  const id = bot.toHexString();
  return {
    _id: placeOf(bot, room),
    room,
    bot,
    to,
    speaker: bot,
    findCaller: () => callerOfBot(bot),
    findStart: () => findPlaceBefore(room, since),
    isWanted: ({ type, actor, at, data }) =>
      type === 'message.created' &&
      actor?.$oid !== id &&
      Date.parse(at.$date) >= since.getTime() &&
      (isDirect || data?.mentions.some(({ $oid }) => $oid === id) === true),
    isThere: () => maySend(bot, room, to.url),
  };
}

/** The id under which it is noted how far the webhook of a bot is in a room: the same for all who ask, so that there is one. */
const placeOf = (bot: ObjectId, room: ObjectId): ObjectId =>
  new ObjectId(
    createHash('sha256')
      .update(bot.toHexString() + room.toHexString())
      .digest()
      .subarray(0, 12),
  );

/** Whether the webhook of a bot is as it was, and the bot in the room now, and somebody answers for it. */
async function maySend(bot: ObjectId, room: ObjectId, url: string): Promise<boolean> {
  const projection = { _id: 1 };
  const [webhook, isIn, account] = await Promise.all([
    botWebhooks.findOne({ _id: bot, url, disabled_at: null }, { projection }),
    rooms.findOne({ _id: room, 'members.user': bot }, { projection }),
    users.findOne({ _id: bot, is_bot: true, is_active: true }),
  ]);
  return webhook !== null && isIn !== null && account !== null && (await hasActiveOwner(account));
}

async function callerOfBot(bot: ObjectId): Promise<Caller> {
  const account = await users.findOne({ _id: bot, is_bot: true, is_active: true });
  if (!account) throw noSuchWebhook();
  return botCaller(account);
}

/**
 * The last place of a room before all that happened from a time on: halfway between two places again and again. What took an
 * earlier place may have an older time for as long as a feed waits for it.
 */
async function findPlaceBefore(room: ObjectId, time: Date): Promise<number> {
  const earliest = time.getTime() - config.feedPatience;
  const last = (await rooms.findOne<Pick<RoomDocument, 'seq'>>({ _id: room }, { projection: { seq: 1 } }))?.seq ?? 0;
  let [before, from] = [0, last + 1];
  while (from - before > 1) {
    const middle = Math.floor((before + from) / 2);
    const row = await lastRowUpTo(room, middle);
    if (row && row.at.getTime() >= earliest) from = row.seq;
    else before = middle;
  }
  return before;
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
  for await (const { _id: bot, created_at, disabled_at } of botWebhooks.find({}, withoutDeliveries)) {
    const ofBot = { 'members.user': bot };
    const fields = { seq: 1, last_message_at: 1 };
    for await (const found of rooms.find<Pick<RoomDocument, '_id' | 'seq' | 'last_message_at'>>(ofBot, { projection: fields })) {
      const { _id: room, seq, last_message_at } = found;
      // Of a room in which it has noted nothing yet, it is unknown where it begins: anywhere, if something was said since.
      const since = last_message_at && last_message_at >= created_at ? 0 : seq;
      yield { _id: placeOf(bot, room), room, seq, since, isOn: disabled_at === null };
    }
  }
}
