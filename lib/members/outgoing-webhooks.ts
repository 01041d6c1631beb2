import type { ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate } from '../api/extended-json.ts';
import { about, flag, nameText, optional, sequence, type Values } from '../api/parameters.ts';
import { aCount, aText, described, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { attempt } from '../base/deadline.ts';
import { conflict, invalidParameter, type Refusal } from '../base/errors.ts';
import { webhookAccounts } from '../collections/accounts/users.ts';
import { type DeliveryDocument, type WebhookStateDocument, webhookStates } from '../collections/delivery/webhook-states.ts';
import { rooms, type WebhookDocument } from '../collections/rooms/rooms.ts';
import { insertUnlessStored } from '../database/writes.ts';
import type { Caller } from '../identity/caller.ts';
import { findPersons } from '../identity/persons.ts';
import { replaceSecret } from '../identity/signing-secrets.ts';
import { notify, notifyServers } from '../notices/notices.ts';
import { findContext } from '../rooms/contexts.ts';
import { requirePermission } from '../rooms/permissions.ts';
import { noSuchWebhook, showWebhook, type Webhook, type WithWebhooks, webhookFields, webhookRefusals } from './webhooks.ts';

const deliveryFields = {
  seq: described('The place of the event; 0 for a test.', aCount),
  type: described('The type of the event.', aText),
  at: described('The time of the attempt.', dateSchema),
  milliseconds: described('How long it took.', aCount),
  status: described('The status of the answer; null without an answer.', orNull(aCount)),
  answer: described('The first 200 characters of the answer, or why there was none.', aText),
};

/** The result of a delivery to the receiver. */
export const deliverySchema = record('WebhookDelivery', deliveryFields);
export type Delivery = Shown<typeof deliverySchema>;

/** The result of a delivery of an event of one of a bot's rooms. */
export const botDeliverySchema = record('BotWebhookDelivery', {
  ...deliveryFields,
  room: described('The room of the event.', idSchema),
});

/** The signing secret of a webhook, which only the response to its creation shows. */
export const aShownSecret = described('Shown only once, when it is created: `whsec_` and the key that signs requests.', aText);

/** An outgoing webhook and its delivery state. */
export const webhookDetailsSchema = record(
  'WebhookDetails',
  {
    ...webhookFields,
    seq: described('The last place of the room that was delivered or skipped.', aCount),
    failing_since: described('The start of the failures; null without failures.', orNull(dateSchema)),
    retry_at: described('The time of the next attempt; null if nothing failed.', orNull(dateSchema)),
    disabled_at: described('When it was switched off; null while it is on.', orNull(dateSchema)),
    deliveries: described('The last 20 attempts, oldest first.', listOf(deliverySchema)),
    secret: aShownSecret,
  },
  ['secret'],
);
export type WebhookDetails = Shown<typeof webhookDetailsSchema>;

export const newSecret = about(
  '`true` creates a new secret, shown only once. The old one stays valid for 24 hours.',
  optional(flag),
);

export const webhookChanges = {
  name: about('The name under which it posts, also what it has posted before.', optional(nameText(1, 64))),
  is_enabled: about('Whether it sends events; a receiver that fails for a day, or answers 410, switches it off.', optional(flag)),
  seq: about('The place of the room after which it sends everything, also what it has sent before.', optional(sequence)),
  new_secret: newSecret,
};

const notOutgoing: Refusal = () => conflict('webhook_incoming', 'This is an incoming webhook: it does not send events.');
export const outgoingRefusals = [...webhookRefusals, noSuchWebhook, notOutgoing];

/** True if the receiver has accepted the event. */
export const isAcknowledged = ({ status }: Pick<DeliveryDocument, 'status'>): boolean =>
  status !== null && status >= 200 && status < 300;

export const showDelivery = ({ at, ...delivery }: DeliveryDocument): Delivery => ({ ...delivery, at: showDate(at) });

const showDetails = (
  webhook: Webhook,
  since: number,
  { seq = since, failing_since = null, retry_at = null, disabled_at = null, deliveries = [] }: Partial<WebhookStateDocument>,
): WebhookDetails => ({
  ...webhook,
  seq,
  failing_since: failing_since && showDate(failing_since),
  retry_at: retry_at && showDate(retry_at),
  disabled_at: disabled_at && showDate(disabled_at),
  deliveries: deliveries.map(showDelivery),
});

/** The outgoing ones among a room's webhooks. */
export const outgoingOf = (webhooks: WebhookDocument[] = []) =>
  webhooks.flatMap(({ _id, outgoing, created_by }) => (outgoing ? [{ _id, outgoing, created_by }] : []));

/**
 * The stored outgoing webhook of a room, for moderators. Throws 404 if it is not found, and 409 if
 * it is an incoming one.
 */
export async function requireOutgoing(room: ObjectId, webhook: ObjectId, caller: Caller) {
  requirePermission(await findContext(room, caller), 'seeWebhooks');
  const found = await rooms.findOne<WithWebhooks>({ _id: room, 'webhooks._id': webhook }, { projection: { webhooks: 1 } });
  const one = found?.webhooks?.find(({ _id }) => _id.equals(webhook));
  if (!one) throw noSuchWebhook();
  if (!one.outgoing) throw notOutgoing();
  return { ...one, outgoing: one.outgoing };
}

/** An outgoing webhook of a room and its delivery state, for moderators. */
export async function findOutgoing(room: ObjectId, webhook: ObjectId, caller: Caller): Promise<WebhookDetails> {
  const [one, state, persons] = await Promise.all([
    requireOutgoing(room, webhook, caller),
    webhookStates.findOne({ _id: webhook }),
    findPersons([webhook]),
  ]);
  const name = persons.get(webhook.toHexString())?.name ?? '';
  return showDetails(showWebhook(room, one, name), one.outgoing.since, state ?? {});
}

/**
 * Changes the name or the secret of a webhook, switches it on or off, or rewinds it to an earlier
 * event. A process that is delivering for it stops.
 */
export async function changeOutgoing(
  room: ObjectId,
  webhook: ObjectId,
  { name, is_enabled, seq, new_secret }: Values<typeof webhookChanges>,
  caller: Caller,
): Promise<WebhookDetails> {
  const { seq: last } = requirePermission(await findContext(room, caller), 'seeWebhooks');
  const details = await findOutgoing(room, webhook, caller);
  if (seq !== undefined && seq > last) throw invalidParameter('seq', 'not be after the last place of the room');
  if (name !== undefined) await renameWebhook(webhook, name);
  const shown = new_secret ? await replaceSecretOf(room, webhook, caller) : {};
  if (is_enabled === undefined && seq === undefined) return { ...details, ...(name !== undefined && { name }), ...shown };
  await storeState({ _id: webhook, room, seq: details.seq });
  const goingOn = { failures: 0, failing_since: null, retry_at: '$$NOW', disabled_at: null };
  await webhookStates.updateOne({ _id: webhook }, [
    {
      $set: {
        holder: null,
        leased_until: new Date(0),
        ...(seq !== undefined && { seq }),
        ...(is_enabled === true && goingOn),
        ...(is_enabled === false && { retry_at: null, disabled_at: '$$NOW' }),
      },
    },
  ]);
  notify({ type: 'moved', room: room.toHexString(), seq: last });
  return { ...(await findOutgoing(room, webhook, caller)), ...shown };
}

/** Replaces a webhook's secret. Of two concurrent replacements, one follows the other. */
const replaceSecretOf = (room: ObjectId, webhook: ObjectId, caller: Caller): Promise<{ secret: string; hint: string }> =>
  attempt({ times: 10 }, async () => {
    const { outgoing } = await requireOutgoing(room, webhook, caller);
    const { secret, retired } = replaceSecret(outgoing);
    const hint = secret.slice(-4);
    const target = { _id: webhook, 'outgoing.secret': outgoing.secret };
    const { matchedCount } = await rooms.updateOne(
      { _id: room, webhooks: { $elemMatch: target } },
      {
        $set: {
          'webhooks.$[target].outgoing.secret': secret,
          'webhooks.$[target].outgoing.retired': retired,
          'webhooks.$[target].hint': hint,
        },
      },
      { arrayFilters: [{ 'target._id': webhook }] },
    );
    return matchedCount > 0 ? { secret, hint } : undefined;
  });

async function renameWebhook(_id: ObjectId, name: string): Promise<void> {
  await webhookAccounts.updateOne({ _id, webhook_of: { $exists: true } }, { $set: { name } });
  notifyServers({ type: 'person', user: _id.toHexString() });
}

/** The state of a webhook without a lease and without failures. */
export const freshState = { holder: null, leased_until: new Date(0), failures: 0, failing_since: null, retry_at: null };

/** The initial state of a webhook. */
export const newState = (where: Pick<WebhookStateDocument, '_id' | 'room' | 'seq' | 'bot'>): WebhookStateDocument => ({
  ...where,
  ...freshState,
  disabled_at: null,
  deliveries: [],
});

/** Stores the initial state of a webhook, unless it has a state. */
export const storeState = (where: Parameters<typeof newState>[0]): Promise<unknown> =>
  insertUnlessStored(webhookStates, newState(where));
