import { type CreationResult, type IdempotencyKey, idempotencyKeyOf } from '../api/idempotency.ts';
import { type Refusal, tooManyRequests } from '../base/errors.ts';
import { countWrite } from '../identity/write-rate.ts';
import { findWebhook, noSuchWebhook } from '../members/webhooks.ts';
import type { Message } from '../messages/messages.ts';
import { sendMessage } from '../messages/send.ts';
import { roomArchived } from '../rooms/permissions.ts';
import { decodeForeign } from './body.ts';
import { readSent, type Sent } from './shapes.ts';

/** What became of what a program sent, and the shape that it came in; nothing was posted where there is no message. */
export type Posted = Pick<Sent, 'shape'> & { message: CreationResult<Message> | undefined };

export const postRefusals: Refusal[] = [noSuchWebhook, roomArchived, tooManyRequests];

/**
 * Posts what another program has sent to the address of a webhook: 404 for an unknown one, and 429 for more than the
 * rate that it has, as an account has. What was sent twice under one id is posted once.
 */
export async function post(
  secret: string,
  { bytes, headers }: { bytes: Uint8Array; headers: Record<string, string | undefined> },
): Promise<Posted> {
  const { room, caller } = await findWebhook(secret);
  await countWrite(caller.user);
  const { shape, text, display, isReport } = readSent(await decodeForeign(bytes, headers), headers);
  if (text === undefined) return { shape, message: undefined };
  const key = shape === 'own' ? idempotencyKeyOf(headers, text) : deliveryOf(headers);
  const message = await sendMessage({ room, text, display, files: [], ...(isReport && { isReport }) }, key, caller);
  return { shape, message };
}

/** The id under which other programs send something, also again; what they send is not compared. */
function deliveryOf(headers: Record<string, string | undefined>): IdempotencyKey | undefined {
  // GitLab's own may be that of several events, which follow from each other.
  const sent = ['idempotency-key', 'x-github-delivery', 'x-gitlab-event-uuid'].map((name) => headers[name]);
  return idempotencyKeyOf({ 'idempotency-key': sent.find((id) => id !== undefined) });
}
