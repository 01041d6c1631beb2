import { setTimeout as sleep } from 'node:timers/promises';
import webPush from 'web-push';
import type { PushPayload } from '../../packages/client/src/push-payload.ts';
import type { PushSubscriptionDocument } from '../collections/push-subscriptions.ts';
import { config } from '../config.ts';
import { describeError, log } from '../log.ts';
import { InnerAddressError, isNamed, post } from '../net/outbound.ts';
import { privateKeyOf } from './keys.ts';
import { senderHeader } from './sender-header.ts';

/** What became of a push: taken, not now, not this one, or never again. */
export type Outcome =
  | { kind: 'sent' | 'refused' | 'gone' }
  /** `isSilent`: the push service gave no answer. */
  | { kind: 'later'; milliseconds: number; isSilent: boolean };

/** For how many milliseconds a push is kept for a device that is off, and messages are told of at all. */
export const pushLife = 3_600_000;

/** For how many milliseconds a reminder is kept for a device that is off. */
const reminderLife = 86_400_000;

/** The push services of the browsers that people have. */
const known =
  /^(fcm\.googleapis\.com|([\w-]+\.)?push\.services\.mozilla\.com|[\w-]+\.notify\.windows\.com|web\.push\.apple\.com)$/;

/** Whether this is an address at a push service that the browsers or the operator name. */
export function isPushAddress(address: string): boolean {
  const url = URL.parse(address);
  return (
    url !== null &&
    url.username === '' &&
    (isNamed(config.pushHosts, url) || (url.protocol === 'https:' && url.port === '' && known.test(url.hostname)))
  );
}

/** What became of the pushes of this process since it started. */
export const outcomes: Record<Outcome['kind'], number> = { sent: 0, later: 0, refused: 0, gone: 0 };

/** Sends a push, encrypted for its device. Never fails. */
export async function sendPush(to: PushSubscriptionDocument, payload: PushPayload): Promise<Outcome> {
  const outcome = await trySending(to, payload);
  outcomes[outcome.kind]++;
  return outcome;
}

async function trySending(to: PushSubscriptionDocument, payload: PushPayload): Promise<Outcome> {
  const url = URL.parse(to.endpoint);
  if (!url || !isPushAddress(to.endpoint)) return { kind: 'gone' };
  let privateKey: string | undefined;
  try {
    privateKey = await privateKeyOf(to.key);
  } catch (error) {
    // That is about this key alone: the push service was not asked, and takes what others send.
    log('info', 'a push was not sent', { host: url.host, error: describeError(error) });
    return { ...noAnswer, isSilent: false };
  }
  if (privateKey === undefined) return { kind: 'gone' };
  const keys = { publicKey: to.key, privateKey };
  const encrypt = () =>
    webPush.generateRequestDetails(
      { endpoint: to.endpoint, keys: { p256dh: to.p256dh, auth: to.auth } },
      JSON.stringify(payload),
      {
        headers: { Authorization: senderHeader(url.origin, keys) },
        TTL: (payload.type === 'reminder' ? reminderLife : pushLife) / 1_000,
        urgency: 'high',
        contentEncoding: webPush.supportedContentEncodings.AES_128_GCM,
        // A later one of the same room takes the place of one that waits for the device: 32 characters at most.
        ...(payload.type === 'messages' && { topic: payload.thread ?? payload.room }),
      },
    );
  try {
    const { headers, body } = await inTurn(encrypt);
    const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
    return outcomeOf(await post(url, { headers: texts, body, mayBeInner: isNamed(config.pushHosts, url) }));
  } catch (error) {
    if (error instanceof InnerAddressError) return { kind: 'gone' };
    log('info', 'a push was not sent', { host: url.host, error: describeError(error) });
    return noAnswer;
  }
}

/** Which part of the time encryption may take, and for how many milliseconds the next one waits at most. */
const share = 1 / 4;
const longestTurn = 6;

/**
 * Does an encryption in its turn, and leaves most of the time between two of them to others: all requests wait for each,
 * and many pushes are under way together. A thousand devices are told within some seconds even so.
 */
function inTurn<T>(encrypt: () => T): Promise<T> {
  const begun = lastTurn.then(() => performance.now());
  const done = begun.then(encrypt);
  const endTurn = async () => sleep(Math.min(longestTurn, (performance.now() - (await begun)) / share));
  lastTurn = done.then(endTurn, endTurn);
  return done;
}

let lastTurn: Promise<void> = Promise.resolve();

/** After how many milliseconds one tries again where the push service does not say. */
const pause = 60_000;

/** What becomes of a push to a service that gives no answer. */
export const noAnswer: Outcome & { kind: 'later' } = { kind: 'later', milliseconds: pause, isSilent: true };

function outcomeOf({ status, retryAfter }: { status: number; retryAfter: number | undefined }): Outcome {
  if (status >= 200 && status < 300) return { kind: 'sent' };
  if (status === 404 || status === 410) return { kind: 'gone' };
  if (status !== 429 && status < 500) return { kind: 'refused' };
  return { kind: 'later', isSilent: false, milliseconds: Math.min(pushLife, Math.max(1, retryAfter ?? pause / 1_000) * 1_000) };
}
