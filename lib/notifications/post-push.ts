import webPush from 'web-push';
import { InnerAddressError, post } from '../net/outbound.ts';
import { type KeyPair, senderHeader } from './sender-header.ts';

/** A push for a device, and its sender. */
export type Push = {
  to: { endpoint: string; keys: { p256dh: string; auth: string } };
  from: KeyPair;
  payload: string;
  /** How long the push service keeps it for a device that is offline, in seconds. */
  life: number;
  /**
   * A push replaces an earlier one of the same topic that waits for the device. At most 32
   * characters.
   */
  topic?: string;
  mayBeInner: boolean;
  /** The timeout of the request, in milliseconds. */
  longest: number;
};

/**
 * The response of a push service: the status, the seconds of its `Retry-After`, and the reason of a
 * refusal.
 */
export type PushReply = { status: number; retryAfter: number | undefined; reason: string };

/**
 * Encrypts a push and sends it. Returns undefined if its address is on an internal network. Rejects
 * without a response.
 */
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
