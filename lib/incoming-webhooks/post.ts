import { type CreationResult, type IdempotencyKey, idempotencyKeyOf } from '../api/idempotency.ts';
import { type Refusal, tooManyRequests } from '../base/errors.ts';
import { countWebhookWrite, countWrite } from '../identity/write-rate.ts';
import { findWebhook, noSuchWebhook } from '../members/webhooks.ts';
import type { Message } from '../messages/messages.ts';
import { sendMessage } from '../messages/sending/send.ts';
import { roomArchived } from '../rooms/permissions.ts';
import { decodeForeign } from './body.ts';
import { readSent, type Sent } from './shapes.ts';

/**
 * The result of a request to a webhook, and the request's shape. `message` is undefined if nothing
 * was posted.
 */
export type PostResult = Pick<Sent, 'shape'> & { message: CreationResult<Message> | undefined };

export const postRefusals: Refusal[] = [noSuchWebhook, roomArchived, tooManyRequests];

/**
 * Posts a request of another program to a webhook's address. Throws 404 if the webhook is unknown.
 * Throws 429 above the rate limit of an account, or above that of all webhooks of their creator. A
 * delivery that is repeated under the same id is posted once.
 */
export async function post(
  secret: string,
  { bytes, headers }: { bytes: Uint8Array; headers: Record<string, string | undefined> },
): Promise<PostResult> {
  const { room, caller, maker } = await findWebhook(secret);
  await countWrite(caller.user);
  await countWebhookWrite(maker);
  const { shape, text, display, isReport } = readSent(await decodeForeign(bytes, headers), headers);
  if (text === undefined) return { shape, message: undefined };
  const key = shape === 'own' ? idempotencyKeyOf(headers, text) : deliveryOf(headers);
  const message = await sendMessage({ room, text, display, files: [], ...(isReport && { isReport }) }, key, caller);
  return { shape, message };
}

/** The id of a delivery. A retry has the same id; its body is not compared with the first one. */
function deliveryOf(headers: Record<string, string | undefined>): IdempotencyKey | undefined {
  // `x-gitlab-event-uuid` comes last: events that follow from each other share it.
  const sent = ['idempotency-key', 'x-github-delivery', 'x-gitlab-event-uuid'].map((name) => headers[name]);
  return idempotencyKeyOf({ 'idempotency-key': sent.find((id) => id !== undefined) });
}
