import { createHmac } from 'node:crypto';
import { beginningOf } from 'chat-service-rules/shortened';
import { HttpError } from '../base/errors.ts';
import { payerOfRequest, waitOutside } from '../base/outside.ts';
import type { SigningSecret } from '../collections/rooms/signing-secrets.ts';
import { secretsOf } from '../identity/signing-secrets.ts';
import { InnerAddressError, isNamed, post } from '../net/outbound.ts';
import { inTurn } from '../net/per-host.ts';
import { config } from '../settings/config.ts';

/**
 * Sends a payload signed as Standard Webhooks 1.0 defines: an HMAC-SHA-256 of the id, the time in
 * seconds and the body, with each valid secret. `payer` is the account whose limits apply, by
 * default that of the request.
 */
export async function sendSigned(
  to: SigningSecret & { url: string },
  id: string,
  event: object & { seq: number; type: string },
  payer = payerOfRequest(),
) {
  const at = new Date();
  const began = performance.now();
  const seconds = String(Math.floor(at.getTime() / 1_000));
  const body = JSON.stringify(event);
  const signatures = secretsOf(to).map((secret) => {
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${seconds}.${body}`).digest('base64')}`;
  });
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'user-agent': 'chat-service',
    'webhook-id': id,
    'webhook-timestamp': seconds,
    'webhook-signature': signatures.join(' '),
  };
  const { seq, type } = event;
  const took = () => Math.round(performance.now() - began);
  try {
    const url = new URL(to.url);
    const mayBeInner = isNamed(config.webhookHosts, url);
    const longest = config.patienceMs.receiver;
    const send = () => inTurn(url.host, () => post(url, { headers, body: Buffer.from(body), mayBeInner, longest, payer }));
    const reply = await waitOutside('receiver', send);
    const answered = reply.body.toString();
    const { status, retryAfter } = reply;
    return { seq, type, at, milliseconds: took(), status, answer: firstOf(answered), answered, retryAfter };
  } catch (error) {
    // The service is busy, and the receiver was not asked.
    if (error instanceof HttpError) throw error;
    return { seq, type, at, milliseconds: took(), status: null, answer: whyNone(error), answered: '' };
  }
}

/** The reason why no answer came. Addresses of this network are for the operator alone. */
function whyNone(error: unknown): string {
  if (error instanceof InnerAddressError) return 'The address is not one of the public internet.';
  const { code, syscall, message } = error as NodeJS.ErrnoException;
  // The message of a failed system call has both ends of the connection.
  if (syscall !== undefined || !message) return `The connection failed (${code ?? 'unknown'}).`;
  return firstOf(message);
}

/** The beginning of a text from elsewhere, as it can be stored and shown. */
const firstOf = (text: string) => beginningOf(text.replace(/\p{C}+/gu, ' ').trim(), 200).toWellFormed();
