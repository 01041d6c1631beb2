import { type Filter, ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import {
  about,
  flag,
  nameText,
  optional,
  type Parameter,
  sequence,
  someOf,
  tokenOf,
  type Values,
  withDefault,
} from '../api/parameters.ts';
import { aCount, aText, aToken, aWord, described, isToken, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { sentEventTypes } from '../collections/events.ts';
import { type RoomDocument, rooms, type WebhookDocument } from '../collections/rooms.ts';
import { type WebhookAccount, webhookAccounts } from '../collections/users.ts';
import { type DeliveryDocument, type WebhookStateDocument, webhookStates } from '../collections/webhook-states.ts';
import { config } from '../config.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { insertWithTimes } from '../database/writes.ts';
import { attempt } from '../deadline.ts';
import { conflict, HttpError, invalidParameter, notFound, permissionDenied, type Refusal } from '../errors.ts';
import { hashToken } from '../identity/authenticate.ts';
import { type Caller, webhookCaller } from '../identity/caller.ts';
import { findPersons, showPerson } from '../identity/persons.ts';
import { aHint, randomToken } from '../identity/tokens.ts';
import { isNamed, isOuter } from '../net/outbound.ts';
import { notify } from '../notices.ts';
import { allowedTo, findContext, refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { aRoomId } from '../rooms/rooms.ts';
import { revokeMade } from './made.ts';

/** A webhook as moderators see it. */
const fields = {
  _id: described('The id, which is also the author of its messages.', idSchema),
  room: aRoomId,
  name: described('The name under which it posts.', aText),
  url: described('To where it sends events; null for one that takes messages in.', orNull(aText)),
  events: described(
    'The types of the events that it sends; null for one that takes messages in.',
    orNull(listOf(aWord(...sentEventTypes))),
  ),
  hint: aHint,
  created_by: described('The user who created the webhook, and with whose role it ends.', idSchema),
  created_at: described('The time of creation.', dateSchema),
};
export const webhookSchema = record('Webhook', fields);
export type Webhook = Shown<typeof webhookSchema>;

/** A webhook as it is shown to its creator, this once. */
export const newWebhookSchema = record('NewWebhook', {
  ...fields,
  secret: described(
    'Shown only once: the 32 characters of its address `/api/webhooks/{secret}`, or `whsec_` and the key with which what it sends is signed.',
    aText,
  ),
});
export type NewWebhook = Shown<typeof newWebhookSchema>;

/** What became of an event at the receiver. */
export const deliverySchema = record('WebhookDelivery', {
  seq: described('The place of the event; 0 for a test.', aCount),
  type: described('The type of the event.', aText),
  at: described('The time of the attempt.', dateSchema),
  milliseconds: described('How long it took.', aCount),
  status: described('The status of the answer; null where none came.', orNull(aCount)),
  answer: described('The first 200 characters of the answer, or why there was none.', aText),
});
export type Delivery = Shown<typeof deliverySchema>;

/** An outgoing webhook, and how far it is. */
export const webhookDetailsSchema = record('WebhookDetails', {
  ...fields,
  seq: described('The last place of the room that its receiver has acknowledged, or did not want.', aCount),
  failing_since: described('Since when the next event fails; null if it does not.', orNull(dateSchema)),
  retry_at: described('When it is tried again; null if nothing failed.', orNull(dateSchema)),
  disabled_at: described('When it was switched off; null while it is on.', orNull(dateSchema)),
  deliveries: described('The last 20 attempts, oldest first.', listOf(deliverySchema)),
});
export type WebhookDetails = Shown<typeof webhookDetailsSchema>;

export const webhookChanges = {
  is_enabled: about('Whether it sends events; a receiver that fails for a day, or answers 410, switches it off.', optional(flag)),
  seq: about('The place of the room after which it sends everything, also what it has sent before.', optional(sequence)),
};

/** How many webhooks a room has at most. */
const mostWebhooks = 50;

const address = '^https?://[!-~]{1,1990}$';
const receiver: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && new RegExp(address).test(sent) ? sent : undefined),
  rule: 'be an address that begins with https://',
  schema: { type: 'string', pattern: address },
};

export const webhookParameters = {
  name: about('The name under which it posts; it cannot be changed.', withDefault(nameText(1, 64), 'Webhook')),
  url: about('To where to send the events of the room; without it, the webhook takes messages in.', optional(receiver)),
  events: about('The types of the events to send, by default `message.created`.', optional(someOf(sentEventTypes))),
};

export const noSuchWebhook: Refusal = () => notFound('webhook');
const notOutgoing: Refusal = () => conflict('webhook_incoming', 'The webhook takes messages in: it sends nothing.');
const receiverRefused: Refusal = () =>
  permissionDenied(
    'webhook_receiver_refused',
    'The service sends events to https addresses of the public internet, without a password, and to those that its operator names.',
  );
const tooMany: Refusal = () => conflict('too_many_webhooks', 'The room has too many webhooks.');
export const addWebhookRefusals = [...refusalsOf('addWebhook'), receiverRefused, tooMany];
export const webhookRefusals = refusalsOf('seeWebhooks');
export const outgoingRefusals = [...webhookRefusals, noSuchWebhook, notOutgoing];

/** The secret of a webhook, in its address: anything else leads to no webhook. */
export const webhookSecret = about('The secret of the webhook, which its creator was shown.', {
  ...tokenOf('a webhook'),
  read: (sent: unknown) => (isToken(sent) ? sent : undefined),
  schema: aToken,
  refuse: noSuchWebhook,
});

/** Whether events may be sent to an address, as far as it shows. */
function isReceiver(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && !url.username && !url.password && (isNamed(config.webhookHosts, url) || isOuter(url));
}

/**
 * Creates a webhook, as a moderator, and before it the account by which it speaks. That stays when the webhook is
 * gone, as long as the room does: its messages keep their author.
 */
export async function addWebhook(
  room: ObjectId,
  { name, url, events }: Values<typeof webhookParameters>,
  caller: Caller,
): Promise<NewWebhook> {
  if (events && url === undefined) throw invalidParameter('events', "be left out without 'url'");
  if (events?.length === 0) throw invalidParameter('events', 'have at least one type');
  const { seq } = requirePermission(await findContext(room, caller), 'addWebhook');
  if (url !== undefined && !isReceiver(url)) throw receiverRefused();
  // The libraries of Standard Webhooks read it as the base64 of 24 bytes.
  const secret = url === undefined ? randomToken() : `whsec_${randomToken()}`;
  const account = await addAccount(room, name);
  const created: WebhookDocument = {
    _id: account._id,
    ...(url === undefined
      ? { hash: hashToken(secret) }
      : { outgoing: { url, events: events ?? ['message.created'], secret, since: seq } }),
    hint: secret.slice(-4),
    created_by: caller.user._id,
    created_at: account.created_at,
  };
  await attempt({ times: 10 }, async () => {
    const hasSpace = { [`webhooks.${mostWebhooks - 1}`]: { $exists: false } };
    const where = { $and: [{ _id: room }, allowedTo('addWebhook', caller), hasSpace] };
    const { matchedCount } = await rooms.updateOne(where, { $push: { webhooks: created } });
    if (matchedCount > 0) return true;
    requirePermission(await findContext(room, caller), 'addWebhook');
    if (!(await rooms.findOne({ _id: room, ...hasSpace }, { projection: { _id: 1 } }))) throw tooMany();
    return undefined;
  }).catch(async (error) => {
    // After any other failure, the room may have it: it keeps its name, and goes with the room.
    if (error instanceof HttpError && error.status < 500) await webhookAccounts.deleteOne({ _id: account._id });
    throw error;
  });
  return { ...show(room, created, name), secret };
}

function addAccount(room: ObjectId, name: string): Promise<WebhookAccount> {
  const _id = new ObjectId();
  // No other has this username; it is seen only beside the name.
  const account = { _id, username: `webhook-${_id.toHexString()}`, name, is_bot: true, webhook_of: room };
  return insertWithTimes(webhookAccounts, account, { created_at: '$$NOW' });
}

/** The webhooks of a room, in the order in which they were created; for moderators. */
export async function listWebhooks(room: ObjectId, caller: Caller): Promise<Webhook[]> {
  requirePermission(await findContext(room, caller), 'seeWebhooks');
  const found = await rooms.findOne<WithWebhooks>({ _id: room }, { projection: { webhooks: 1 } });
  const webhooks = found?.webhooks ?? [];
  const persons = await findPersons(webhooks.map(({ _id }) => _id));
  return webhooks.map((webhook) => show(room, webhook, persons.get(webhook._id.toHexString())?.name ?? ''));
}

/** Revokes a webhook at once, as a moderator. */
export async function revokeWebhook(room: ObjectId, webhook: ObjectId, caller: Caller): Promise<void> {
  await revokeMade('webhooks', { room, id: webhook, action: 'seeWebhooks', noSuch: noSuchWebhook }, caller);
  await webhookStates.deleteOne({ _id: webhook });
}

/** The webhook with this secret as a caller, and its room; 404 if not found. It is found by a hash: its time tells nothing of a secret. */
export async function findWebhook(secret: string): Promise<{ room: ObjectId; caller: Caller }> {
  const hash = hashToken(secret);
  const found = await rooms.findOne<WithWebhooks>({ 'webhooks.hash': hash } as Filter<Omit<RoomDocument, '_id'>>, {
    projection: { webhooks: { $elemMatch: { hash } } },
  });
  const _id = found?.webhooks?.[0]?._id;
  if (!found || !_id) throw noSuchWebhook();
  const persons = await findPersons([_id]);
  return { room: found._id, caller: webhookCaller({ _id, ...showPerson(persons.get(_id.toHexString())) }) };
}

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

/** The outgoing webhooks among those of a room. */
export const outgoingOf = (webhooks: WebhookDocument[] = []) =>
  webhooks.flatMap(({ _id, outgoing }) => (outgoing ? [{ _id, outgoing }] : []));

/** An outgoing webhook of a room, for moderators, as it is stored: 404 if not found, 409 for an incoming one. */
export async function requireOutgoing(room: ObjectId, webhook: ObjectId, caller: Caller) {
  requirePermission(await findContext(room, caller), 'seeWebhooks');
  const found = await rooms.findOne<WithWebhooks>({ _id: room, 'webhooks._id': webhook }, { projection: { webhooks: 1 } });
  const one = found?.webhooks?.find(({ _id }) => _id.equals(webhook));
  if (!one) throw noSuchWebhook();
  if (!one.outgoing) throw notOutgoing();
  return { ...one, outgoing: one.outgoing };
}

/** An outgoing webhook of a room, for moderators, and how far it is. */
export async function findOutgoing(room: ObjectId, webhook: ObjectId, caller: Caller): Promise<WebhookDetails> {
  const [one, state, persons] = await Promise.all([
    requireOutgoing(room, webhook, caller),
    webhookStates.findOne({ _id: webhook }),
    findPersons([webhook]),
  ]);
  const name = persons.get(webhook.toHexString())?.name ?? '';
  return showDetails(show(room, one, name), one.outgoing.since, state ?? {});
}

/**
 * Switches a webhook on or off, or has it send again what came after a place; a process that is at it stops.
 */
export async function changeOutgoing(
  room: ObjectId,
  webhook: ObjectId,
  { is_enabled, seq }: Values<typeof webhookChanges>,
  caller: Caller,
): Promise<WebhookDetails> {
  const { seq: last } = requirePermission(await findContext(room, caller), 'seeWebhooks');
  const details = await findOutgoing(room, webhook, caller);
  if (seq !== undefined && seq > last) throw invalidParameter('seq', 'not be after the last place of the room');
  if (is_enabled === undefined && seq === undefined) return details;
  await webhookStates.insertOne(newState({ _id: webhook, room, seq: details.seq })).catch(ifExists);
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
  return findOutgoing(room, webhook, caller);
}

const ifExists = (error: unknown) => {
  if (!isDuplicateKey(error)) throw error;
};

/** The state of a webhook that has sent nothing yet. */
export const newState = (where: Pick<WebhookStateDocument, '_id' | 'room' | 'seq'>): WebhookStateDocument => ({
  ...where,
  holder: null,
  leased_until: new Date(0),
  failures: 0,
  failing_since: null,
  retry_at: null,
  disabled_at: null,
  deliveries: [],
});

type WithWebhooks = Pick<RoomDocument, '_id' | 'webhooks'>;

const show = (room: ObjectId, { _id, outgoing, hint, created_by, created_at }: WebhookDocument, name: string): Webhook => ({
  _id: showId(_id),
  room: showId(room),
  name,
  url: outgoing?.url ?? null,
  events: outgoing?.events ?? null,
  hint,
  created_by: showId(created_by),
  created_at: showDate(created_at),
});
