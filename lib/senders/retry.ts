import type { Filter, ObjectId } from 'mongodb';
import { concurrently } from '../base/concurrently.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { type WebhookStateDocument, webhookStates } from '../collections/delivery/webhook-states.ts';
import { deliverOfRoom } from './deliver.ts';
import { placesOfSenders } from './senders.ts';

/** How many webhooks are retried per call. */
const mostRetried = 200;

/** How long webhooks are retried before others that wait are looked for. */
const roundMs = 30_000;

/** The shorter time if several bots or rooms wait, so that each has its turn. */
const turnMs = 10_000;

/** How many rooms are retried concurrently, and how many queries run concurrently. */
const roomsAtOnce = 4;
const queriesAtOnce = 8;

/**
 * Retries deliveries that are due: first one room of each bot and each other room that waits, then
 * more of them as long as there is time.
 */
export async function retryDeliveries(signal?: AbortSignal): Promise<void> {
  const due = await findDue();
  const off = await findOff(due);
  // If the webhook of a bot is off, its states would take the turns of others.
  if (off.length > 0) await webhookStates.updateMany({ _id: { $in: off } }, { $set: { retry_at: null } });
  const waiting = new Set(due.map(keyOf));
  const until = performance.now() + (waiting.size > 1 ? turnMs : roundMs);
  const tried = new Set<string>();
  await concurrently(due, roomsAtOnce, async (state) => {
    // Each bot and room has its first turn, even if the time is up.
    const isFirst = waiting.delete(keyOf(state));
    const room = state.room.toHexString();
    if (tried.has(room) || (!isFirst && performance.now() > until)) return;
    tried.add(room);
    await deliverOfRoom(room, signal);
  });
}

type DueState = Pick<WebhookStateDocument, '_id' | 'room' | 'bot'>;

/** The bot or the room that has a turn. */
const keyOf = ({ bot, room }: Pick<DueState, 'room' | 'bot'>): string => (bot ?? room).toHexString();

/**
 * Finds the states that are due, one of each bot and room in turn. If there are too many, each bot
 * and room has the same share.
 */
async function findDue(): Promise<DueState[]> {
  const isDue = { retry_at: { $lte: new Date() }, disabled_at: null };
  const find = (where: Filter<WebhookStateDocument>, limit: number): Promise<DueState[]> => {
    const options = { projection: { room: 1, bot: 1 }, sort: { retry_at: 1 as const }, limit, batchSize: limit + 1 };
    return webhookStates.find({ ...isDue, ...where }, options).toArray();
  };
  let found = await find({}, mostRetried);
  if (found.length === mostRetried) {
    found = [];
    await concurrently(await shareOut(isDue), queriesAtOnce, async ({ where, share }) => {
      found.push(...(await find(where, share)));
    });
  }
  const ranks = new Map<string, number>();
  const ranked = found.map((state) => {
    const rank = ranks.get(keyOf(state)) ?? 0;
    ranks.set(keyOf(state), rank + 1);
    return { state, rank };
  });
  return ranked.sort((one, other) => one.rank - other.rank).map(({ state }) => state);
}

type RetryShare = { where: Filter<WebhookStateDocument>; share: number };

/**
 * Divides the retries among the bots and rooms if too many wait. Those with few get all of theirs,
 * and the others equal shares.
 */
async function shareOut(isDue: Filter<WebhookStateDocument>): Promise<RetryShare[]> {
  const count = (by: 'bot' | 'room', where: Filter<WebhookStateDocument>) =>
    webhookStates
      .aggregate<{ _id: ObjectId; count: number }>([
        { $match: { ...isDue, ...where } },
        { $group: { _id: `$${by}`, count: { $sum: 1 } } },
      ])
      .toArray();
  const ofRooms = { bot: { $exists: false } };
  const [bots, rooms] = await Promise.all([count('bot', { bot: { $exists: true } }), count('room', ofRooms)]);
  const all = [
    ...bots.map(({ _id, count }) => ({ where: { bot: _id }, count })),
    ...rooms.map(({ _id, count }) => ({ where: { room: _id, ...ofRooms }, count })),
  ];
  // If more bots and rooms wait than can be retried, each round has others.
  const shuffled = all.map((one) => ({ one, order: Math.random() })).sort((one, other) => one.order - other.order);
  const some = shuffled.slice(0, mostRetried).map(({ one }) => one);
  some.sort((one, other) => one.count - other.count);
  let left = mostRetried;
  return some.map(({ where, count }, at) => {
    const share = Math.min(count, Math.ceil(left / (some.length - at)));
    left -= share;
    return { where, share };
  });
}

/** The states of bots whose webhook is off or deleted. */
async function findOff(states: Pick<WebhookStateDocument, '_id' | 'bot'>[]): Promise<ObjectId[]> {
  const ofBots = states.flatMap(({ _id, bot }) => (bot ? [{ _id, bot }] : []));
  if (ofBots.length === 0) return [];
  const where = { _id: { $in: ofBots.map(({ bot }) => bot) }, disabled_at: null };
  const on = new Set((await botWebhooks.find(where, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id.toHexString()));
  return ofBots.filter(({ bot }) => !on.has(bot.toHexString())).map(({ _id }) => _id);
}

/**
 * Finds the rooms with undelivered events, which may have been lost with a process. Deletes the
 * states of deleted webhooks, and of bots in rooms that they have left.
 */
export async function findUndelivered(): Promise<string[]> {
  // Read before the rooms: a webhook that is missing there was deleted for good.
  const states = await webhookStates.find({}, { projection: { seq: 1, disabled_at: 1 } }).toArray();
  const known = new Map(states.map((state) => [state._id.toHexString(), state]));
  const living = new Set<string>();
  const undelivered = new Set<string>();
  for await (const { _id, room, seq, since, isOn } of placesOfSenders()) {
    const id = _id.toHexString();
    living.add(id);
    const state = known.get(id);
    if (isOn && !state?.disabled_at && (state?.seq ?? since) < seq) undelivered.add(room.toHexString());
  }
  const dead = states.filter(({ _id }) => !living.has(_id.toHexString())).map(({ _id }) => _id);
  if (dead.length > 0) await webhookStates.deleteMany({ _id: { $in: dead } });
  return [...undelivered];
}
