import { type Filter, ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import { about, nameText, optional, type Parameter, someOf, tokenOf, type Values, withDefault } from '../api/parameters.ts';
import { aText, aToken, aWord, described, isToken, listOf, orNull, record, type Shown } from '../api/schema.ts';
import { attempt } from '../base/deadline.ts';
import { conflict, HttpError, invalidParameter, notFound, permissionDenied, type Refusal } from '../base/errors.ts';
import { type WebhookAccount, webhookAccounts } from '../collections/accounts/users.ts';
import { webhookStates } from '../collections/delivery/webhook-states.ts';
import { sentEventTypes } from '../collections/rooms/events.ts';
import { type RoomDocument, rooms, type WebhookDocument } from '../collections/rooms/rooms.ts';
import { insertWithTimes } from '../database/writes.ts';
import { hashToken } from '../identity/authenticate.ts';
import { findMaker, type Maker } from '../identity/bot-rules.ts';
import { type Caller, webhookCaller } from '../identity/caller.ts';
import { findPersons, showPerson } from '../identity/persons.ts';
import { newSigningSecret } from '../identity/signing-secrets.ts';
import { aHint, randomToken } from '../identity/tokens.ts';
import { isNamed, isOuter } from '../net/outbound.ts';
import { findContext } from '../rooms/contexts.ts';
import { allowedTo, refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { aRoomId } from '../rooms/rooms.ts';
import { config } from '../settings/config.ts';
import { revokeMade } from './made.ts';

/** A webhook as moderators see it. */
export const webhookFields = {
  _id: described('The id, which is also the author of its messages.', idSchema),
  room: aRoomId,
  name: described('The name under which it posts.', aText),
  url: described('The receiver of the events; null for an incoming webhook.', orNull(aText)),
  events: described(
    'The types of the events that it sends; null for an incoming webhook.',
    orNull(listOf(aWord(...sentEventTypes))),
  ),
  hint: aHint,
  created_by: described('The user who created the webhook. It ends when they lose the role that it requires.', idSchema),
  created_at: described('The time of creation.', dateSchema),
};
export const webhookSchema = record('Webhook', webhookFields);
export type Webhook = Shown<typeof webhookSchema>;

/** A webhook as its creator sees it, once. */
export const newWebhookSchema = record('NewWebhook', {
  ...webhookFields,
  secret: described(
    'Shown only once: the 32 characters of its address `/api/webhooks/{secret}`, or `whsec_` and the key that signs requests.',
    aText,
  ),
  address: described(
    'The address where other programs post, shown only once; only its path without `PUBLIC_URL`; null for an outgoing webhook.',
    orNull(aText),
  ),
});
export type NewWebhook = Shown<typeof newWebhookSchema>;

/** The most webhooks of a room. */
const mostWebhooks = 50;

const address = '^https?://[!-~]{1,1990}$';
/** The URL of a program that receives requests from the service. */
export const receiver: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && new RegExp(address).test(sent) ? sent : undefined),
  rule: 'be an address that begins with https://',
  schema: { type: 'string', pattern: address },
};

export const webhookParameters = {
  name: about('The name under which it posts.', withDefault(nameText(1, 64), 'Webhook')),
  url: about("The receiver of the room's events; without it, the webhook is incoming.", optional(receiver)),
  events: about('The types of the events to send, by default `message.created`.', optional(someOf(sentEventTypes))),
};

export const noSuchWebhook: Refusal = () => notFound('webhook');
export const receiverRefused: Refusal = () =>
  permissionDenied(
    'webhook_receiver_refused',
    'The service sends requests to https addresses of the public internet, without a password, and to those that its operator names.',
  );
const tooMany: Refusal = () => conflict('too_many_webhooks', 'The room has too many webhooks.');
export const addWebhookRefusals = [...refusalsOf('addWebhook'), receiverRefused, tooMany];
export const webhookRefusals = refusalsOf('seeWebhooks');

/** The secret of a webhook, which is a part of its address. */
export const webhookSecret = about('The secret of the webhook, which its creator was shown.', {
  ...tokenOf('a webhook'),
  read: (sent: unknown) => (isToken(sent) ? sent : undefined),
  schema: aToken,
  refuse: noSuchWebhook,
});

/** True if requests may be sent to an address, judging by the address alone. */
export function isReceiver(address: string): boolean {
  const url = URL.parse(address);
  return url !== null && !url.username && !url.password && (isNamed(config.webhookHosts, url) || isOuter(url));
}

/**
 * Creates a webhook, for moderators. First it creates the account that authors the webhook's
 * messages. The account remains until the room is deleted, so that messages keep their author.
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
  const secret = url === undefined ? randomToken() : newSigningSecret();
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
    // After any other failure the webhook may exist. So the account remains, and is deleted with
    // the room.
    if (error instanceof HttpError && error.status < 500) await webhookAccounts.deleteOne({ _id: account._id });
    throw error;
  });
  const address = url === undefined ? `${config.publicUrl}/api/webhooks/${secret}` : null;
  return { ...showWebhook(room, created, name), secret, address };
}

function addAccount(room: ObjectId, name: string): Promise<WebhookAccount> {
  const _id = new ObjectId();
  // The username is unique. It is only shown together with the name.
  const account = { _id, username: `webhook-${_id.toHexString()}`, name, is_bot: true, webhook_of: room };
  return insertWithTimes(webhookAccounts, account, { created_at: '$$NOW' });
}

/** The webhooks of a room, in the order in which they were created; for moderators. */
export async function listWebhooks(room: ObjectId, caller: Caller): Promise<Webhook[]> {
  requirePermission(await findContext(room, caller), 'seeWebhooks');
  const found = await rooms.findOne<WithWebhooks>({ _id: room }, { projection: { webhooks: 1 } });
  const webhooks = found?.webhooks ?? [];
  const persons = await findPersons(webhooks.map(({ _id }) => _id));
  return webhooks.map((webhook) => showWebhook(room, webhook, persons.get(webhook._id.toHexString())?.name ?? ''));
}

/** Revokes a webhook immediately, for moderators. */
export async function revokeWebhook(room: ObjectId, webhook: ObjectId, caller: Caller): Promise<void> {
  await revokeMade('webhooks', { room, id: webhook, action: 'seeWebhooks', noSuch: noSuchWebhook }, caller);
  await webhookStates.deleteOne({ _id: webhook });
}

/**
 * The webhook with this secret as a caller, its room, and the account that is responsible for it;
 * 404 if it is not found. The look-up is by hash, so that its duration reveals nothing about the
 * secret.
 */
export async function findWebhook(secret: string): Promise<{ room: ObjectId; caller: Caller; maker: Maker }> {
  const hash = hashToken(secret);
  const found = await rooms.findOne<WithWebhooks>({ 'webhooks.hash': hash } as Filter<Omit<RoomDocument, '_id'>>, {
    projection: { webhooks: { $elemMatch: { hash } } },
  });
  const webhook = found?.webhooks?.[0];
  if (!found || !webhook) throw noSuchWebhook();
  const [maker, caller] = await Promise.all([findMaker(webhook.created_by), callerOfWebhook(webhook._id)]);
  // A process that deactivated the webhook's creator may have stopped before it removed the
  // webhook.
  if (!maker) throw noSuchWebhook();
  return { room: found._id, caller, maker };
}

/** A webhook as a caller, under its name. */
export async function callerOfWebhook(_id: ObjectId): Promise<Caller> {
  const persons = await findPersons([_id]);
  return webhookCaller({ _id, ...showPerson(persons.get(_id.toHexString())) });
}

export type WithWebhooks = Pick<RoomDocument, '_id' | 'webhooks'>;

export const showWebhook = (
  room: ObjectId,
  { _id, outgoing, hint, created_by, created_at }: WebhookDocument,
  name: string,
): Webhook => ({
  _id: showId(_id),
  room: showId(room),
  name,
  url: outgoing?.url ?? null,
  events: outgoing?.events ?? null,
  hint,
  created_by: showId(created_by),
  created_at: showDate(created_at),
});
