import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { webhookStates } from '../collections/delivery/webhook-states.ts';
import { commandLine } from './caller.ts';

export const accountIsBot: Refusal = () =>
  conflict('account_is_bot', 'The account is a bot: it cannot have a password or an address, or be an administrator.');

/**
 * Removes the webhook of a bot, or only one that was stored under this owner. Returns true if there
 * was one.
 */
export async function forgetBotWebhook(bot: ObjectId, stored?: { owner: ObjectId | null }): Promise<boolean> {
  // A webhook of an earlier version lacks `owner`. The equality with null would also match it.
  const ofOwner = stored && { $and: [{ owner: { $exists: true } }, { owner: { $eq: stored.owner } }] };
  const { deletedCount } = await botWebhooks.deleteOne({ _id: bot, ...ofOwner });
  if (deletedCount > 0 || !stored) await webhookStates.deleteMany({ bot });
  return deletedCount > 0;
}

/**
 * A filter for the bot's webhook under its current owner. A webhook of an earlier owner may be left
 * over from a process that died. It is neither shown nor does it send anything.
 */
export const webhookOf = ({ _id, owner }: OwnedBot) => ({
  _id,
  $or: [{ owner: { $eq: owner ?? null } }, { owner: { $exists: false } }],
});

type OwnedBot = Pick<UserDocument, '_id' | 'owner'>;

/** Returns true if a bot's owner is active, or if it lacks an owner. */
export const hasActiveOwner = async ({ owner }: { owner?: ObjectId }): Promise<boolean> =>
  owner === undefined || (await users.findOne({ _id: owner, is_active: true }, { projection: { _id: 1 } })) !== null;

/** The account that is responsible for what an account made: itself, or the owner of a bot. */
export type Maker = Pick<UserDocument, '_id' | 'writes_per_second'>;

/**
 * Finds the account that is responsible for the webhooks and invitations of an account. Undefined
 * if these must not act any longer: it is inactive, or a bot whose owner is.
 */
export async function findMaker(_id: ObjectId): Promise<Maker | undefined> {
  if (_id.equals(commandLine.user._id)) return commandLine.user;
  const find = (id: ObjectId) =>
    users.findOne<Maker & Pick<UserDocument, 'owner'>>(
      { _id: id, is_active: true },
      { projection: { owner: 1, writes_per_second: 1 } },
    );
  const found = await find(_id);
  return (found?.owner ? await find(found.owner) : found) ?? undefined;
}

/** Returns true if an account's webhooks and invitations may still act. */
export const mayAct = async (_id: ObjectId): Promise<boolean> => (await findMaker(_id)) !== undefined;

/** Returns true if a bot still has the same owner, and the owner is active. */
export async function isStillOwned({ _id, owner }: Pick<UserDocument, '_id' | 'owner'>): Promise<boolean> {
  const now = await users.findOne<Pick<UserDocument, 'owner'>>({ _id }, { projection: { owner: 1 } });
  return now !== null && String(now.owner) === String(owner) && (await hasActiveOwner(now));
}
