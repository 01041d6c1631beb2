import { type Filter, ObjectId } from 'mongodb';
import { dateSchema, idSchema, showDate, showId } from '../api/extended-json.ts';
import { about, nameText, tokenOf, type Values, withDefault } from '../api/parameters.ts';
import { aText, aToken, described, isToken, record, type Shown } from '../api/schema.ts';
import { type RoomDocument, rooms, type WebhookDocument } from '../collections/rooms.ts';
import { type WebhookAccount, webhookAccounts } from '../collections/users.ts';
import { insertWithTimes } from '../database/writes.ts';
import { attempt } from '../deadline.ts';
import { conflict, HttpError, notFound, type Refusal } from '../errors.ts';
import { hashToken } from '../identity/authenticate.ts';
import { type Caller, webhookCaller } from '../identity/caller.ts';
import { findPersons, showPerson } from '../identity/persons.ts';
import { aHint, randomToken } from '../identity/tokens.ts';
import { allowedTo, findContext, refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { aRoomId } from '../rooms/rooms.ts';
import { revokeMade } from './made.ts';

/** A webhook as moderators see it. */
const fields = {
  _id: described('The id, which is also the author of its messages.', idSchema),
  room: aRoomId,
  name: described('The name under which it posts.', aText),
  hint: aHint,
  created_by: described('The user who created the webhook, and with whose role it ends.', idSchema),
  created_at: described('The time of creation.', dateSchema),
};
export const webhookSchema = record('Webhook', fields);
export type Webhook = Shown<typeof webhookSchema>;

/** A webhook as it is shown to its creator, this once. */
export const newWebhookSchema = record('NewWebhook', {
  ...fields,
  secret: described('The 32 characters of its address `/api/webhooks/{secret}`, shown only once.', aToken),
});
export type NewWebhook = Shown<typeof newWebhookSchema>;

/** How many webhooks a room has at most. */
const mostWebhooks = 50;

export const webhookParameters = {
  name: about('The name under which it posts; it cannot be changed.', withDefault(nameText(1, 64), 'Webhook')),
};

export const noSuchWebhook: Refusal = () => notFound('webhook');
const tooMany: Refusal = () => conflict('too_many_webhooks', 'The room has too many webhooks.');
export const addWebhookRefusals = [...refusalsOf('addWebhook'), tooMany];
export const webhookRefusals = refusalsOf('seeWebhooks');

/** The secret of a webhook, in its address: anything else leads to no webhook. */
export const webhookSecret = about('The secret of the webhook, which its creator was shown.', {
  ...tokenOf('a webhook'),
  read: (sent: unknown) => (isToken(sent) ? sent : undefined),
  schema: aToken,
  refuse: noSuchWebhook,
});

/**
 * Creates a webhook, as a moderator, and before it the account by which it speaks. That stays when the webhook is
 * gone, as long as the room does: its messages keep their author.
 */
export async function addWebhook(
  room: ObjectId,
  { name }: Values<typeof webhookParameters>,
  caller: Caller,
): Promise<NewWebhook> {
  requirePermission(await findContext(room, caller), 'addWebhook');
  const secret = randomToken();
  const account = await addAccount(room, name);
  const created = {
    _id: account._id,
    hash: hashToken(secret),
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
export const revokeWebhook = (room: ObjectId, webhook: ObjectId, caller: Caller): Promise<void> =>
  revokeMade('webhooks', { room, id: webhook, action: 'seeWebhooks', noSuch: noSuchWebhook }, caller);

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

type WithWebhooks = Pick<RoomDocument, '_id' | 'webhooks'>;

const show = (room: ObjectId, { _id, hint, created_by, created_at }: WebhookDocument, name: string): Webhook => ({
  _id: showId(_id),
  room: showId(room),
  name,
  hint,
  created_by: showId(created_by),
  created_at: showDate(created_at),
});
