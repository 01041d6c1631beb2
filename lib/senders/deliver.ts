import { isObject, parseJson } from 'chat-service-rules/objects';
import { beginningOf } from 'chat-service-rules/shortened';
import { ObjectId } from 'mongodb';
import { optional, readParameters } from '../api/parameters.ts';
import { concurrently } from '../base/concurrently.ts';
import { HttpError, invalidJson, missingParameter } from '../base/errors.ts';
import { log } from '../base/log.ts';
import { LruCache } from '../base/lru-cache.ts';
import { type DeliveryDocument, type WebhookStateDocument, webhookStates } from '../collections/delivery/webhook-states.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import type { Event } from '../feed/events.ts';
import { type Held, withLease } from '../feed/lease.ts';
import { findKeptPlace } from '../feed/places.ts';
import { readPart } from '../feed/reader.ts';
import { isAcknowledged, newState } from '../members/outgoing-webhooks.ts';
import { messageText } from '../messages/messages.ts';
import { questionIn, questionParameters, type SentQuestion } from '../messages/questions/question.ts';
import { say } from './say.ts';
import { sendSigned } from './send-signed.ts';
import type { Sender, SentEvent, StateChange } from './sender.ts';
import { findSenders } from './senders.ts';

/*
 * Sends the events of rooms to the receivers of outgoing webhooks, in order. Each webhook has its
 * own place in a room's feed, which advances when the receiver has acknowledged an event. If a
 * process dies before that, the event is sent again with the same id, so that the receiver can
 * ignore it. The webhook of a bot has a place in each of its rooms.
 */

/** The lease of a process on a webhook. It is longer than a turn and the answer of a receiver. */
const leaseMs = 30_000;

/** For how long one webhook is delivered before others have their turn. */
const turnMs = 10_000;

/** How many webhooks of a room are delivered concurrently. */
const atOnce = 8;

/** The number of events per read. */
const pageSize = 50;

/** The pauses after the first failure, the second one, and so on. */
const pausesMs = [15_000, 60_000, 300_000, 900_000, 3_600_000] as const;
const longestPauseMs = pausesMs[4];

/** How long a receiver may fail before its webhook is switched off. */
const longestFailingMs = 86_400_000;

/**
 * The last time that a host did not answer this process. Its webhooks get the events of a room
 * after the others.
 */
const failures = new LruCache<number>(1_000);
const lastFailureOf = ({ to }: Sender): number => failures.get(new URL(to.url).host) ?? 0;

/**
 * `all`: all is delivered, or will be when a retry is due. `more`: some events are left. `taken`:
 * another process has a lease.
 */
export type DeliveryResult = 'all' | 'more' | 'taken';

/**
 * Delivers the new events of a room to its webhooks and to those of its bots. After an abort, the
 * next process delivers the rest.
 */
export async function deliverOfRoom(id: string, signal?: AbortSignal): Promise<DeliveryResult> {
  const results: DeliveryResult[] = [];
  const senders = (await findSenders(new ObjectId(id))).sort((one, other) => lastFailureOf(one) - lastFailureOf(other));
  await concurrently(senders, atOnce, async (sender) => {
    results.push(await deliver(sender, signal));
  });
  return results.includes('more') ? 'more' : results.includes('taken') ? 'taken' : 'all';
}

type HeldState = Held<WebhookStateDocument>;

async function deliver(sender: Sender, signal?: AbortSignal): Promise<DeliveryResult> {
  const { _id, room, bot, findStart } = sender;
  const now = Date.now();
  const retryLatest = new Date(now + longestPauseMs);
  // A later retry was stored by a clock that was ahead.
  const isDue = { $or: [{ retry_at: null }, { retry_at: { $lte: new Date(now) } }, { retry_at: { $gt: retryLatest } }] };
  const create = async () => newState({ _id, room, ...(bot && { bot }), seq: await findStart() });
  const filter = { _id, disabled_at: null, ...isDue };
  const result = await withLease(webhookStates, filter, { leaseMs, create }, (held) => deliverHeld(sender, held, signal));
  if (result) return result;
  const state = await webhookStates.findOne({ _id });
  const isWaiting = state && (state.disabled_at || (state.retry_at && state.retry_at.getTime() > now));
  return isWaiting ? 'all' : 'taken';
}

async function deliverHeld(sender: Sender, held: HeldState, signal?: AbortSignal): Promise<DeliveryResult> {
  const until = performance.now() + turnMs;
  let { seq } = held.document;
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
        if (!(await recordAttempt(held, sender, sent))) return 'taken';
        if (!isAcknowledged(sent)) return 'all';
        seq = event.seq;
        if (performance.now() > until) return 'more';
      }
      // Checked after these events were read: a new choice may want later ones.
      if (next > seq && !(await sender.isCurrent())) return 'more';
      if (next > seq && !(await held.update({ $set: { seq: next } }))) return 'taken';
      const isMoved = next > seq || events.length > 0;
      seq = Math.max(seq, next);
      if (isLast) {
        isOver = true;
        return 'all';
      }
      // A gap: its place is reserved, and its message is not stored yet.
      if (!isMoved) return 'more';
    }
    return 'more';
  } finally {
    // If all is delivered, or nothing may be sent, there is nothing to retry.
    await held.update({ $set: { holder: null, leased_until: new Date(0), ...(isOver && { retry_at: null }) } });
  }
}

/**
 * Reads the events after a place. Skips events that the feed no longer keeps, and all events of
 * another history than that of the place.
 */
async function readNews({ speaker, room }: Sender, after: number) {
  const last = (await rooms.findOne<{ seq: number }>({ _id: room }, { projection: { seq: 1 } }))?.seq ?? after;
  const part = await readPart(room, after, pageSize);
  if (part.kind === 'events') return { events: part.events.flatMap(asSent), next: part.next, isLast: part.next >= last };
  const next = part.kind === 'expired' ? await findKeptPlace(room, after) : last;
  const webhook = speaker.toHexString();
  log('error', 'events were not sent to a webhook', { webhook, after, until: next, reason: part.kind });
  return { events: [], next, isLast: next >= last };
}

/**
 * An event as it is sent. A message that streamed is sent once, as a new message, when its text is
 * complete.
 */
function asSent(event: Event): SentEvent[] {
  if (event.type === 'message.completed') return event.data ? [{ ...event, type: 'message.created' } as SentEvent] : [];
  const isComplete = event.type !== 'message.created' || event.data.is_streaming === undefined;
  return isComplete ? [event as SentEvent] : [];
}

/** An attempt to deliver an event, and the seconds until a retry if the receiver has named them. */
type Attempt = DeliveryDocument & { retryAfter?: number | undefined };

/** Records an attempt. Returns false if another process has the lease. */
async function recordAttempt(held: HeldState, sender: Sender, { retryAfter, ...delivery }: Attempt): Promise<boolean> {
  const { document: state, update } = held;
  const record = async (change: StateChange, isOver = false): Promise<boolean> => {
    const isHeld = await update(sender.withAttempt(change, delivery, isOver));
    if (isHeld) await sender.recordAttempt(delivery, isOver);
    return isHeld;
  };
  if (isAcknowledged(delivery)) {
    Object.assign(state, { failures: 0, failing_since: null });
    return record({ $set: { seq: delivery.seq, failures: 0, failing_since: null, retry_at: null } });
  }
  const pauseMs = Math.min(longestPauseMs, Math.max(pausesMs[state.failures] ?? longestPauseMs, (retryAfter ?? 0) * 1_000));
  const failing_since = state.failing_since ?? delivery.at;
  const isOver = delivery.status === 410 || delivery.at.getTime() - failing_since.getTime() > longestFailingMs;
  const retry_at = isOver ? null : new Date(delivery.at.getTime() + pauseMs);
  return record({ $set: { failing_since, retry_at }, $inc: { failures: 1 } }, isOver);
}

/** Sends an event. If a person wrote the message, posts the reply in the receiver's answer. */
async function send(sender: Sender, event: Event): Promise<Attempt> {
  const id = `${sender.room.toHexString()}:${event.seq}:${sender.speaker.toHexString()}`;
  const { answered, ...attempt } = await sendSigned(sender.to, id, event, sender.payer);
  const { host } = new URL(sender.to.url);
  if (attempt.status === null) failures.set(host, performance.now());
  else failures.delete(host);
  if (!isAcknowledged(attempt) || event.type !== 'message.created' || !event.data || event.data.is_bot) return attempt;
  const reply = replyIn(answered);
  if (reply === undefined) return attempt;
  const failure =
    reply instanceof HttpError
      ? `The reply was not posted: ${reply.message}`
      : await say(sender, { ...reply, key: id, thread: event.data.thread?.$oid });
  return failure === undefined ? attempt : { ...attempt, answer: beginningOf(failure, 200) };
}

/** The message in a receiver's answer, or the reason why it cannot be posted. */
function replyIn(answered: string): { text: string; question: SentQuestion | undefined } | HttpError | undefined {
  const body = parseJson(answered);
  // Many receivers answer with a word or a page, which is not a reply.
  if (!isObject(body)) return answered.trimStart().startsWith('{') ? unreadableReply() : undefined;
  try {
    const { text = '' } = readParameters({ text: optional(messageText) }, body);
    if (text === '') return body.actions === undefined ? undefined : missingParameter('text');
    return { text, question: body.actions === undefined ? undefined : questionIn(readParameters(questionParameters, body)) };
  } catch (error) {
    if (error instanceof HttpError) return error;
    throw error;
  }
}

const unreadableReply = () => invalidJson('It is not valid JSON, or has more than 64 kB.');
