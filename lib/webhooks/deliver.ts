import { ObjectId } from 'mongodb';
import { showDate, showId } from '../api/extended-json.ts';
import { idempotencyKeyOf } from '../api/idempotency.ts';
import { isObject, optional, readParameters } from '../api/parameters.ts';
import { type OutgoingWebhook, type RoomDocument, rooms, type WebhookDocument } from '../collections/rooms.ts';
import { type DeliveryDocument, type WebhookStateDocument, webhookStates } from '../collections/webhook-states.ts';
import { concurrently } from '../concurrently.ts';
import { HttpError } from '../errors.ts';
import { type Event, readEvents } from '../feed/events.ts';
import type { Caller } from '../identity/caller.ts';
import { countWrite } from '../identity/write-rate.ts';
import { isFree, leased } from '../lease.ts';
import { log } from '../log.ts';
import {
  type Delivery,
  isAcknowledged,
  outgoingOf,
  requireOutgoing,
  showDelivery,
  storeState,
} from '../members/outgoing-webhooks.ts';
import { callerOfWebhook } from '../members/webhooks.ts';
import { messageText } from '../messages/messages.ts';
import { sendMessage } from '../messages/send.ts';
import { sendSigned } from './send-signed.ts';

/*
 * Sends the events of rooms to the receivers of outgoing webhooks, each event in its turn. A webhook follows the room's
 * feed with a place of its own, which moves on when the receiver has acknowledged: a process that dies before sends the
 * event again, under the same id, by which the receiver knows it.
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

/** Whether all was delivered, or will be when it is due; something is yet to come; or another process is at it. */
export type DeliveryResult = 'all' | 'more' | 'taken';

/** Delivers what is new in a room to the receivers of its webhooks; an abort leaves the rest to the next process. */
export async function deliverOfRoom(id: string, signal?: AbortSignal): Promise<DeliveryResult> {
  const room = new ObjectId(id);
  const found = await rooms.findOne<Pick<RoomDocument, 'webhooks'>>({ _id: room }, { projection: { webhooks: 1 } });
  const results: DeliveryResult[] = [];
  await concurrently(outgoingOf(found?.webhooks), atOnce, async (webhook) => {
    results.push(await deliver({ ...webhook, room }, signal));
  });
  return results.includes('more') ? 'more' : results.includes('taken') ? 'taken' : 'all';
}

/** An outgoing webhook with its room. */
type Sender = Pick<WebhookDocument, '_id'> & { room: ObjectId; outgoing: OutgoingWebhook };

async function deliver(sender: Sender, signal?: AbortSignal): Promise<DeliveryResult> {
  const state = await take(sender);
  if (state === 'taken' || state === 'waiting') return state === 'taken' ? 'taken' : 'all';
  const until = performance.now() + turn;
  let { seq } = state;
  try {
    while (performance.now() < until) {
      const { events, next, isLast } = await readNews(sender, seq);
      for (const event of events) {
        signal?.throwIfAborted();
        if (!isWanted(event, sender)) continue;
        if (!(await isThere(sender))) return 'all';
        const sent = await send(sender, event);
        if (!(await note(state, sender, sent))) return 'taken';
        if (!isAcknowledged(sent)) return 'all';
        seq = event.seq;
        if (performance.now() > until) return 'more';
      }
      if (next > seq && !(await advance(state, next))) return 'taken';
      const isMoved = next > seq || events.length > 0;
      seq = Math.max(seq, next);
      if (isLast) return 'all';
      // A place that was taken, and whose message is not there yet.
      if (!isMoved) return 'more';
    }
    return 'more';
  } finally {
    await webhookStates.updateOne(held(state), { $set: { holder: null, leased_until: new Date(0) } });
  }
}

const held = ({ _id, holder }: Pick<WebhookStateDocument, '_id' | 'holder'>) => ({ _id, holder });

const isWanted = ({ type, actor }: Event, { _id, outgoing }: Sender): boolean =>
  outgoing.events.includes(type) && actor?.$oid !== _id.toHexString();

/** Whether a webhook is there still: it may have ended with a role. */
const isThere = async ({ _id, room }: Sender): Promise<boolean> =>
  (await rooms.findOne({ _id: room, 'webhooks._id': _id }, { projection: { _id: 1 } })) !== null;

/** Takes the right to deliver for a webhook that is due. */
async function take({ _id, room, outgoing }: Sender): Promise<WebhookStateDocument | 'taken' | 'waiting'> {
  const holder = new ObjectId();
  const now = Date.now();
  // A time of a clock that was ahead holds nobody up.
  const isDue = {
    $or: [{ retry_at: null }, { retry_at: { $lte: new Date(now) } }, { retry_at: { $gt: new Date(now + longestPause) } }],
  };
  const tryTaking = () =>
    webhookStates.findOneAndUpdate(
      { _id, disabled_at: null, ...isDue, ...isFree(lease) },
      [{ $set: { ...leased(lease), holder } }],
      { returnDocument: 'after' },
    );
  const taken = await tryTaking();
  if (taken) return taken;
  const state = await webhookStates.findOne({ _id });
  if (state) return state.disabled_at || (state.retry_at && state.retry_at.getTime() > now) ? 'waiting' : 'taken';
  await storeState({ _id, room, seq: outgoing.since });
  return (await tryTaking()) ?? 'taken';
}

/** What came after a place. What is older than the feed, or of another history than that of the place, is passed over. */
async function readNews({ _id, room }: Sender, after: number) {
  const last = (await rooms.findOne<{ seq: number }>({ _id: room }, { projection: { seq: 1 } }))?.seq ?? after;
  try {
    const { events, next } = await readEvents(room, after, pageSize, 'service');
    return { events, next, isLast: next >= last };
  } catch (error) {
    if (!(error instanceof HttpError && error.status < 500)) throw error;
    log('error', 'events were not sent to a webhook', { webhook: _id.toHexString(), after, until: last, error: error.message });
    return { events: [], next: last, isLast: true };
  }
}

/** Moves on over what the receiver does not want; false for one who no longer has the lease. */
const advance = async (state: WebhookStateDocument, seq: number): Promise<boolean> =>
  (await webhookStates.updateOne(held(state), { $set: { seq } })).matchedCount > 0;

/** What became of an event, and after how many seconds to try again if the receiver says so. */
type Attempt = DeliveryDocument & { retryAfter?: number | undefined };

/** Notes what became of an event; false for one who no longer has the lease. */
async function note(state: WebhookStateDocument, sender: Sender, { retryAfter, ...delivery }: Attempt): Promise<boolean> {
  const keep = { $push: { deliveries: { $each: [delivery], $slice: -mostDeliveries } } };
  if (isAcknowledged(delivery)) {
    Object.assign(state, { failures: 0, failing_since: null });
    const set = { seq: delivery.seq, failures: 0, failing_since: null, retry_at: null };
    return (await webhookStates.updateOne(held(state), { $set: set, ...keep })).matchedCount > 0;
  }
  const pause = Math.min(longestPause, Math.max(pauses[state.failures] ?? longestPause, (retryAfter ?? 0) * 1_000));
  const failing_since = state.failing_since ?? delivery.at;
  const isOver = delivery.status === 410 || delivery.at.getTime() - failing_since.getTime() > longestFailing;
  const set = {
    failing_since,
    retry_at: isOver ? null : new Date(delivery.at.getTime() + pause),
    disabled_at: isOver ? delivery.at : null,
  };
  const { matchedCount } = await webhookStates.updateOne(held(state), { $set: set, $inc: { failures: 1 }, ...keep });
  if (matchedCount > 0 && isOver) await sayOff(sender, delivery);
  return matchedCount > 0;
}

/** Tells the room that a webhook was switched off. */
async function sayOff(sender: Sender, { at, status }: DeliveryDocument): Promise<void> {
  const { host } = new URL(sender.outgoing.url);
  const why = status === 410 ? 'says that it is gone' : 'has taken nothing for a day';
  const text = `This webhook is switched off: \`${host}\` ${why}. A moderator can switch it on again under "About this room".`;
  await say(sender, { text, key: `off:${sender._id.toHexString()}:${at.getTime()}` });
}

/** Sends an event, and posts what the receiver answers to a message of a person. */
async function send(sender: Sender, event: Event): Promise<Attempt> {
  const id = `${sender.room.toHexString()}:${event.seq}:${sender._id.toHexString()}`;
  const { answered, ...attempt } = await sendSigned(sender.outgoing, id, event);
  if (!isAcknowledged(attempt) || event.type !== 'message.created' || !event.data || event.data.is_bot) return attempt;
  const text = replyIn(answered);
  if (text === undefined) return attempt;
  const failure = await say(sender, { text, key: id, thread: event.data.thread?.$oid });
  return failure === undefined ? attempt : { ...attempt, answer: failure.slice(0, 200) };
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

type Saying = { text: string; key: string; thread?: string | undefined };

/** Posts as the webhook; returns why it could not. What it says twice under one key is posted once. */
async function say({ _id, room }: Sender, { text, key, thread }: Saying): Promise<string | undefined> {
  try {
    const caller = await callerOfWebhook(_id);
    await countWrite(caller.user);
    // What another program says mentions nobody: it may repeat what anybody wrote.
    const message = { room, text, files: [], isReport: true, ...(thread !== undefined && { thread: new ObjectId(thread) }) };
    await sendMessage(message, idempotencyKeyOf({ 'idempotency-key': key }), caller);
    return undefined;
  } catch (error) {
    if (error instanceof HttpError && error.status < 500) return `The reply was not posted: ${error.message}`;
    throw error;
  }
}

/** Sends an event without content to the receiver of a webhook, for moderators, and returns what became of it. */
export async function testOutgoing(room: ObjectId, webhook: ObjectId, caller: Caller): Promise<Delivery> {
  const { outgoing } = await requireOutgoing(room, webhook, caller);
  const event = { seq: 0, type: 'webhook.test', room: showId(room), at: showDate(new Date()), actor: null, data: null };
  const id = `${room.toHexString()}:test:${new ObjectId().toHexString()}`;
  const { answered: _, retryAfter: __, ...delivery } = await sendSigned(outgoing, id, event);
  return showDelivery(delivery);
}

/** How many webhooks are tried again at a time; the others are a little later. */
const mostRetried = 200;

/** Delivers what could not be, and may be by now. */
export async function retryDeliveries(signal?: AbortSignal): Promise<void> {
  const isDue = { retry_at: { $lte: new Date() }, disabled_at: null };
  const due = await webhookStates.find(isDue, { projection: { room: 1 }, limit: mostRetried }).toArray();
  await concurrently([...new Set(due.map(({ room }) => room.toHexString()))], roomsAtOnce, async (room) => {
    await deliverOfRoom(room, signal);
  });
}

/**
 * The rooms of which something is to be delivered, and no process may be at it. Forgets the states of webhooks that are gone.
 */
export async function findUndelivered(): Promise<string[]> {
  // Before the rooms: a webhook that is not in them then is gone for good.
  const states = await webhookStates.find({}, { projection: { room: 1, seq: 1, disabled_at: 1 } }).toArray();
  const hasOne = { 'webhooks.outgoing.url': { $gt: '' } };
  const found = await rooms
    .find<Pick<RoomDocument, '_id' | 'seq' | 'webhooks'>>(hasOne, {
      projection: { seq: 1, 'webhooks._id': 1, 'webhooks.outgoing': 1 },
    })
    .toArray();
  const known = new Map(states.map((state) => [state._id.toHexString(), state]));
  const undelivered = found.filter(({ seq, webhooks }) =>
    outgoingOf(webhooks).some(({ _id, outgoing }) => {
      const state = known.get(_id.toHexString());
      return !state?.disabled_at && (state?.seq ?? outgoing.since) < seq;
    }),
  );
  const living = new Set(found.flatMap(({ webhooks }) => outgoingOf(webhooks).map(({ _id }) => _id.toHexString())));
  const dead = states.filter(({ _id }) => !living.has(_id.toHexString())).map(({ _id }) => _id);
  if (dead.length > 0) await webhookStates.deleteMany({ _id: { $in: dead } });
  return undelivered.map(({ _id }) => _id.toHexString());
}
