import type { PushPayload } from 'chat-service-rules/push-payload';
import { HttpError } from '../base/errors.ts';
import { describeError, log } from '../base/log.ts';
import { waitOutside } from '../base/outside.ts';
import { Thread } from '../base/thread.ts';
import type { PushSubscriptionDocument } from '../collections/delivery/push-subscriptions.ts';
import { isNamed } from '../net/outbound.ts';
import { config, isOnLambda } from '../settings/config.ts';
import { privateKeyOf } from './keys.ts';
import { type Push, type PushReply, postPush } from './post-push.ts';

/**
 * The outcome of a push. `later`: retry. `refused`: this push is rejected. `gone`: the subscription
 * has ended.
 */
export type Outcome =
  | { kind: 'sent' | 'refused' | 'gone' }
  /** `isSilent`: the push service did not respond. */
  | { kind: 'later'; milliseconds: number; isSilent: boolean };

/**
 * How long a push is kept for a device that is offline, in milliseconds. Older messages are not
 * pushed.
 */
export const pushLife = 3_600_000;

/** How long a reminder is kept for a device that is offline. */
const reminderLifeMs = 86_400_000;

/** The push services of common browsers. */
const commonServices =
  /^(fcm\.googleapis\.com|([\w-]+\.)?push\.services\.mozilla\.com|[\w-]+\.notify\.windows\.com|web\.push\.apple\.com)$/;

/**
 * True if the address belongs to a push service of a common browser, or to one that the operator
 * has configured.
 */
export function isPushAddress(address: string): boolean {
  const url = URL.parse(address);
  return (
    url !== null &&
    url.username === '' &&
    (isNamed(config.pushHosts, url) || (url.protocol === 'https:' && url.port === '' && commonServices.test(url.hostname)))
  );
}

/** The number of pushes of this process by outcome, since it started. */
export const outcomes: Record<Outcome['kind'], number> = { sent: 0, later: 0, refused: 0, gone: 0 };

/**
 * Encrypts a push for its device and sends it. Throws only if too many requests wait for push
 * services.
 */
export async function sendPush(to: PushSubscriptionDocument, payload: PushPayload): Promise<Outcome> {
  const outcome = await trySending(to, payload);
  outcomes[outcome.kind]++;
  return outcome;
}

async function trySending(to: PushSubscriptionDocument, payload: PushPayload): Promise<Outcome> {
  const url = URL.parse(to.endpoint);
  if (!url || !isPushAddress(to.endpoint)) return { kind: 'gone' };
  const fail = (error: unknown) => log('info', 'a push was not sent', { host: url.host, error: describeError(error) });
  let privateKey: string | undefined;
  try {
    privateKey = await privateKeyOf(to.key);
  } catch (error) {
    // Only this key is affected. The push service was not contacted, and accepts other pushes.
    fail(error);
    return { ...noAnswer, isSilent: false };
  }
  if (privateKey === undefined) return { kind: 'gone' };
  const { endpoint, p256dh, auth, key: publicKey } = to;
  const push: Push = {
    to: { endpoint, keys: { p256dh, auth } },
    from: { publicKey, privateKey },
    payload: JSON.stringify(payload),
    life: (payload.type === 'reminder' ? reminderLifeMs : pushLife) / 1_000,
    // A later push of the same room replaces one that waits for the device.
    ...(payload.type === 'messages' && { topic: payload.thread ?? payload.room }),
    mayBeInner: isNamed(config.pushHosts, url),
    longest: config.patienceMs.pushService,
  };
  try {
    // A function on Lambda has nothing else to do, so it does not need the thread.
    const reply = await waitOutside('push service', () => (isOnLambda ? postPush(push) : thread.call(push)));
    const outcome: Outcome = reply ? outcomeOf(reply) : { kind: 'gone' };
    if (reply && outcome.kind === 'refused') logRefusal(url.host, reply);
    return outcome;
  } catch (error) {
    // The service is overloaded and did not contact the push service.
    if (error instanceof HttpError) throw error;
    fail(error);
    return noAnswer;
  }
}

/**
 * Logs why a push service rejects a push. Usually the service is the reason, not the device. For
 * example, Apple rejects pushes without an https address or a real e-mail address of the sender.
 */
function logRefusal(host: string, { status, reason }: PushReply): void {
  const hint = config.publicUrl.startsWith('https:')
    ? {}
    : { hint: 'Set PUBLIC_URL to the https address of the service: some push services, such as Apple, require it.' };
  log('error', 'a push service refused a push', { host, status, reason, ...hint });
}

// A thread, because encrypting a push takes about as long as answering a request, and a room may
// have a thousand devices.
const thread = new Thread<Push, PushReply | undefined>(new URL('./push-worker.ts', import.meta.url));

/** The delay before a retry if the push service does not state one. */
const pauseMs = 60_000;

/** The outcome of a push if the push service does not respond. */
export const noAnswer: Outcome & { kind: 'later' } = { kind: 'later', milliseconds: pauseMs, isSilent: true };

function outcomeOf({ status, retryAfter }: PushReply): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status !== 429 && status < 500) return { kind: 'refused' };
  return { kind: 'later', isSilent: false, milliseconds: Math.min(pushLife, Math.max(1, retryAfter ?? pauseMs / 1_000) * 1_000) };
}
