import { isObject } from 'chat-service-rules/objects';
import { beginningOf } from 'chat-service-rules/shortened';
import { type Filter, ObjectId } from 'mongodb';
import { optional, readParameters } from '../api/parameters.ts';
import { concurrently } from '../base/concurrently.ts';
import { HttpError } from '../base/errors.ts';
import { takeLease } from '../base/lease.ts';
import { log } from '../base/log.ts';
import { LruCache } from '../base/lru-cache.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { type DeliveryDocument, type WebhookStateDocument, webhookStates } from '../collections/delivery/webhook-states.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { type Event, readEvents } from '../feed/events.ts';
import { findKeptPlace } from '../feed/places.ts';
import { isAcknowledged, storeState } from '../members/outgoing-webhooks.ts';
import { messageText } from '../messages/messages.ts';
import { say, sayOff, tellOwner } from './say.ts';
import { sendSigned } from './send-signed.ts';
import { findSenders, placesOfSenders, type Sender } from './senders.ts';

/*
 * Sends the events of rooms to the receivers of outgoing webhooks, each event in its turn. A webhook follows a room's
 * feed with a place of its own, which moves on when the receiver has acknowledged: a process that dies before sends the
 * event again, under the same id, by which the receiver knows it. The webhook of a bot has such a place in each room.
 */

/** For how many milliseconds one process delivers for a webhook before another may: for longer than a turn and a receiver's answer take. */
const lease = 30_000;

/** For how many milliseconds one webhook is delivered for before others have their turn. */
const turn = 10_000;

/** For how many webhooks of a room, and how many rooms that are tried again, one delivers at the same time. */
const atOnce = 8;
const roomsAtOnce = 4;

/** How many events are read at a time. */
const pageSize = 50;

/** After how many milliseconds one tries again: after the first failure, after the second, and so on. */
const pauses = [15_000, 60_000, 300_000, 900_000, 3_600_000] as const;
const longestPause = pauses[4];

/** For how many milliseconds a receiver may fail before its webhook is switched off. */
const longestFailing = 86_400_000;

const mostDeliveries = 20;

/** When the host of a receiver gave no answer to this process: it is asked after the others of a room. */
const failures = new LruCache<number>(1_000);
const lastFailureOf = ({ to }: Sender): number => failures.get(new URL(to.url).host) ?? 0;

/** Whether all was delivered, or will be when it is due; something is yet to come; or another process is at it. */
export type DeliveryResult = 'all' | 'more' | 'taken';

/** Delivers what is new in a room to the receivers of its webhooks, and of those of its bots; an abort leaves the rest to the next process. */
export async function deliverOfRoom(id: string, signal?: AbortSignal): Promise<DeliveryResult> {
  const results: DeliveryResult[] = [];
  const senders = (await findSenders(new ObjectId(id))).sort((one, other) => lastFailureOf(one) - lastFailureOf(other));
  await concurrently(senders, atOnce, async (sender) => {
    results.push(await deliver(sender, signal));
  });
  return results.includes('more') ? 'more' : results.includes('taken') ? 'taken' : 'all';
}

async function deliver(sender: Sender, signal?: AbortSignal): Promise<DeliveryResult> {
  const state = await take(sender);
  if (state === 'taken' || state === 'waiting') return state === 'taken' ? 'taken' : 'all';
  const until = performance.now() + turn;
  let { seq } = state;
  let isOver = false;
  try {
    while (performance.now() < until) {
      const { events, next, isLast } = await readNews(sender, seq);
      for (const event of events) {
        signal?.throwIfAborted();
        if (!sender.isWanted(event)) continue;
        if (!(await sender.isThere())) {
          isOver = true;
          return 'all';
        }
        const sent = await send(sender, event);
        if (!(await note(state, sender, sent))) return 'taken';
        if (!isAcknowledged(sent)) return 'all';
        seq = event.seq;
        if (performance.now() > until) return 'more';
      }
      // After these were read: what comes later, another choice may want.
      if (next > seq && !(await sender.isCurrent())) return 'more';
      if (next > seq && !(await advance(state, next))) return 'taken';
      const isMoved = next > seq || events.length > 0;
      seq = Math.max(seq, next);
      if (isLast) {
        isOver = true;
        return 'all';
      }
      // A place that was taken, and whose message is not there yet.
      if (!isMoved) return 'more';
    }
    return 'more';
  } finally {
    // What was to be tried again has come, or nothing may be sent.
    const released = { holder: null, leased_until: new Date(0), ...(isOver && { retry_at: null }) };
    await webhookStates.updateOne(held(state), { $set: released });
  }
}

const held = ({ _id, holder }: Pick<WebhookStateDocument, '_id' | 'holder'>) => ({ _id, holder });

/** Takes the right to deliver for a webhook that is due. */
async function take({ _id, room, bot, findStart }: Sender): Promise<WebhookStateDocument | 'taken' | 'waiting'> {
  const now = Date.now();
  // A time of a clock that was ahead holds nobody up.
  const isDue = {
    $or: [{ retry_at: null }, { retry_at: { $lte: new Date(now) } }, { retry_at: { $gt: new Date(now + longestPause) } }],
  };
  const tryTaking = () => takeLease(webhookStates, { _id, disabled_at: null, ...isDue }, lease);
  const taken = await tryTaking();
  if (taken) return taken;
  const state = await webhookStates.findOne({ _id });
  if (state) return state.disabled_at || (state.retry_at && state.retry_at.getTime() > now) ? 'waiting' : 'taken';
  await storeState({ _id, room, ...(bot && { bot }), seq: await findStart() });
  return (await tryTaking()) ?? 'taken';
}

/** What came after a place. What the feed no longer keeps is passed over, and all of another history than that of the place. */
async function readNews({ speaker, room }: Sender, after: number) {
  const last = (await rooms.findOne<{ seq: number }>({ _id: room }, { projection: { seq: 1 } }))?.seq ?? after;
  try {
    const { events, next } = await readEvents(room, after, pageSize, 'service');
    return { events, next, isLast: next >= last };
  } catch (error) {
    if (!(error instanceof HttpError && error.status < 500)) throw error;
    const isTooOld = error.body?.code === 'cursor_too_old';
    const next = isTooOld ? await findKeptPlace(room, after) : last;
    const webhook = speaker.toHexString();
    log('error', 'events were not sent to a webhook', { webhook, after, until: next, error: error.message });
    return { events: [], next, isLast: next >= last };
  }
}

/** Moves on over what the receiver does not want; false for one who no longer has the lease. */
const advance = async (state: WebhookStateDocument, seq: number): Promise<boolean> =>
  (await webhookStates.updateOne(held(state), { $set: { seq } })).matchedCount > 0;

/** What became of an event, and after how many seconds to try again if the receiver says so. */
type Attempt = DeliveryDocument & { retryAfter?: number | undefined };

/** Notes what became of an event; false for one who no longer has the lease. */
async function note(state: WebhookStateDocument, sender: Sender, { retryAfter, ...delivery }: Attempt): Promise<boolean> {
  const keep = sender.bot ? {} : { $push: { deliveries: { $each: [delivery], $slice: -mostDeliveries } } };
  if (isAcknowledged(delivery)) {
    Object.assign(state, { failures: 0, failing_since: null });
    const set = { seq: delivery.seq, failures: 0, failing_since: null, retry_at: null };
    const { matchedCount } = await webhookStates.updateOne(held(state), { $set: set, ...keep });
    if (matchedCount > 0 && sender.bot) await noteOfBot(sender.bot, sender, delivery);
    return matchedCount > 0;
  }
  const pause = Math.min(longestPause, Math.max(pauses[state.failures] ?? longestPause, (retryAfter ?? 0) * 1_000));
  const failing_since = state.failing_since ?? delivery.at;
  const isOver = delivery.status === 410 || delivery.at.getTime() - failing_since.getTime() > longestFailing;
  const set = {
    failing_since,
    retry_at: isOver ? null : new Date(delivery.at.getTime() + pause),
    disabled_at: isOver && !sender.bot ? delivery.at : null,
  };
  const { matchedCount } = await webhookStates.updateOne(held(state), { $set: set, $inc: { failures: 1 }, ...keep });
  if (matchedCount > 0 && sender.bot) await noteOfBot(sender.bot, sender, delivery, isOver);
  else if (matchedCount > 0 && isOver) await sayOff(sender, delivery);
  return matchedCount > 0;
}

/** Notes what became of an event with the webhook of a bot, which ends sending in all rooms when it is over. */
async function noteOfBot(bot: ObjectId, sender: Sender, delivery: DeliveryDocument, isOver = false): Promise<void> {
  const { room, to } = sender;
  const where = { _id: bot, url: to.url };
  const deliveries = { $each: [{ ...delivery, room }], $slice: -mostDeliveries };
  await botWebhooks.updateOne(where, { $push: { deliveries } });
  if (!isOver) return;
  // In two rooms at the same time, it is switched off once.
  const { matchedCount } = await botWebhooks.updateOne({ ...where, disabled_at: null }, { $set: { disabled_at: delivery.at } });
  if (matchedCount > 0) await tellOwner(bot, sender, delivery);
}

/** Sends an event, and posts what the receiver answers to a message of a person. */
async function send(sender: Sender, event: Event): Promise<Attempt> {
  const id = `${sender.room.toHexString()}:${event.seq}:${sender.speaker.toHexString()}`;
  const { answered, ...attempt } = await sendSigned(sender.to, id, event, sender.payer);
  const { host } = new URL(sender.to.url);
  if (attempt.status === null) failures.set(host, performance.now());
  else failures.delete(host);
  if (!isAcknowledged(attempt) || event.type !== 'message.created' || !event.data || event.data.is_bot) return attempt;
  const text = replyIn(answered);
  if (text === undefined) return attempt;
  const failure = await say(sender, { text, key: id, thread: event.data.thread?.$oid });
  return failure === undefined ? attempt : { ...attempt, answer: beginningOf(failure, 200) };
}

/** The text with which a receiver replies. */
function replyIn(answered: string): string | undefined {
  try {
    const body: unknown = JSON.parse(answered);
    return isObject(body) ? readParameters({ text: optional(messageText) }, body).text || undefined : undefined;
  } catch {
    return undefined;
  }
}

/** How many webhooks are tried again at a time. */
const mostRetried = 200;

/** For how many milliseconds webhooks are tried again before one looks for others that wait. */
const round = 30_000;

/**
 * Delivers what could not be, and may be by now: first one room of each bot and each other room that waits, and then more of them
 * as long as there is time.
 */
export async function retryDeliveries(signal?: AbortSignal): Promise<void> {
  const due = await findDue();
  const off = await findOff(due);
  // Those of a bot whose webhook is off would take the turns of others.
  if (off.length > 0) await webhookStates.updateMany({ _id: { $in: off } }, { $set: { retry_at: null } });
  const waiting = new Set(due.map(keyOf));
  const until = performance.now() + (waiting.size > 1 ? turn : round);
  const tried = new Set<string>();
  await concurrently(due, roomsAtOnce, async (state) => {
    // Each has its first turn, however long those before it take.
    const isFirst = waiting.delete(keyOf(state));
    const room = state.room.toHexString();
    if (tried.has(room) || (!isFirst && performance.now() > until)) return;
    tried.add(room);
    await deliverOfRoom(room, signal);
  });
}

type DueState = Pick<WebhookStateDocument, '_id' | 'room' | 'bot'>;

/** The bot, or the room, among which turns are shared out. */
const keyOf = ({ bot, room }: Pick<DueState, 'room' | 'bot'>): string => (bot ?? room).toHexString();

/** What is due to be tried again, of every bot and room the same number where there is more than one tries; of each, in turn, one. */
async function findDue(): Promise<DueState[]> {
  const isDue = { retry_at: { $lte: new Date() }, disabled_at: null };
  const find = (where: Filter<WebhookStateDocument>, limit: number): Promise<DueState[]> => {
    const options = { projection: { room: 1, bot: 1 }, sort: { retry_at: 1 as const }, limit, batchSize: limit + 1 };
    return webhookStates.find({ ...isDue, ...where }, options).toArray();
  };
  let found = await find({}, mostRetried);
  if (found.length === mostRetried) {
    found = [];
    await concurrently(await shareOut(isDue), atOnce, async ({ where, share }) => {
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

type Waiting = { where: Filter<WebhookStateDocument>; share: number };

/** How many each bot and room may try, where more wait than are tried at a time: those with few all of theirs, the others the same. */
async function shareOut(isDue: Filter<WebhookStateDocument>): Promise<Waiting[]> {
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
  // Of more than can be tried, others in each round.
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

/** The states among these that belong to the webhook of a bot which is off or gone. */
async function findOff(states: Pick<WebhookStateDocument, '_id' | 'bot'>[]): Promise<ObjectId[]> {
  const ofBots = states.flatMap(({ _id, bot }) => (bot ? [{ _id, bot }] : []));
  if (ofBots.length === 0) return [];
  const where = { _id: { $in: ofBots.map(({ bot }) => bot) }, disabled_at: null };
  const on = new Set((await botWebhooks.find(where, { projection: { _id: 1 } }).toArray()).map(({ _id }) => _id.toHexString()));
  return ofBots.filter(({ bot }) => !on.has(bot.toHexString())).map(({ _id }) => _id);
}

/**
 * The rooms of which something is to be delivered, and no process may be at it. Forgets the states of webhooks that are gone,
 * and those of bots in rooms that they are no longer in.
 */
export async function findUndelivered(): Promise<string[]> {
  // Before the rooms: a webhook that is not in them then is gone for good.
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
