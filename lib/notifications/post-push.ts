import webPush from 'web-push';
import { InnerAddressError, post } from '../net/outbound.ts';
import { type KeyPair, senderHeader } from './sender-header.ts';

/** A push for a device, and who sends it. */
export type Push = {
  to: { endpoint: string; keys: { p256dh: string; auth: string } };
  from: KeyPair;
  payload: string;
  /** For how many seconds the push service keeps it for a device that is off. */
  life: number;
  /** Of what it takes the place of an earlier push that waits for the device: at most 32 characters. */
  topic?: string;
  mayBeInner: boolean;
  /** For how many milliseconds the push service may let the service wait. */
  longest: number;
};

/** What a push service answers: a status, after how many seconds to try again if it says so, and why it refuses a push. */
export type PushReply = { status: number; retryAfter: number | undefined; reason: string };

/** Encrypts a push and sends it; undefined where it would go to an inner network. Rejects where no answer comes. */
export async function postPush({ to, from, payload, life, topic, mayBeInner, longest }: Push): Promise<PushReply | undefined> {
  const url = new URL(to.endpoint);
  const { headers, body } = webPush.generateRequestDetails(to, payload, {
    headers: { Authorization: senderHeader(url.origin, from) },
    TTL: life,
    urgency: 'high',
    contentEncoding: webPush.supportedContentEncodings.AES_128_GCM,
    ...(topic !== undefined && { topic }),
  });
  const texts = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]));
  try {
    const { status, retryAfter, body: answer } = await post(url, { headers: texts, body, mayBeInner, longest });
    return { status, retryAfter, reason: status < 300 ? '' : answer.toString('utf8', 0, 500) };
  } catch (error) {
    if (error instanceof InnerAddressError) return undefined;
    throw error;
  }
}
