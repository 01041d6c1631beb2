import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { webhookStates } from '../collections/delivery/webhook-states.ts';
import { commandLine } from './caller.ts';

export const accountIsBot: Refusal = () =>
  conflict('account_is_bot', 'The account is a bot: it cannot have a password or an address, or be an administrator.');

/** Ends the webhook of a bot, or only what was stored under an owner; returns whether there was one. */
export async function forgetBotWebhook(bot: ObjectId, stored?: { owner: ObjectId | null }): Promise<boolean> {
  // One of an earlier version, without an owner, is nobody's who is named here: null alone would match it.
  const ofOwner = stored && { $and: [{ owner: { $exists: true } }, { owner: { $eq: stored.owner } }] };
  const { deletedCount } = await botWebhooks.deleteOne({ _id: bot, ...ofOwner });
  if (deletedCount > 0 || !stored) await webhookStates.deleteMany({ bot });
  return deletedCount > 0;
}

/**
 * The webhook that a bot has under the owner that it has now. One that the earlier owner stored just when the bot got another
 * may be left, of a process that died before it could look: nobody is shown it, and it sends nothing.
 */
export const webhookOf = ({ _id, owner }: OwnedBot) => ({
  _id,
  $or: [{ owner: { $eq: owner ?? null } }, { owner: { $exists: false } }],
});

type OwnedBot = Pick<UserDocument, '_id' | 'owner'>;

/** Whether the owner of a bot, if it has one, may still answer for it. */
export const hasActiveOwner = async ({ owner }: { owner?: ObjectId }): Promise<boolean> =>
  owner === undefined || (await users.findOne({ _id: owner, is_active: true }, { projection: { _id: 1 } })) !== null;

/** Whether an account may still act by what it has made: it is active, and so is its owner if it is a bot's. */
export async function mayAct(_id: ObjectId): Promise<boolean> {
  if (_id.equals(commandLine.user._id)) return true;
  const found = await users.findOne<Pick<UserDocument, 'owner'>>({ _id, is_active: true }, { projection: { owner: 1 } });
  return found !== null && (await hasActiveOwner(found));
}

/** Whether a bot has the owner that it had, who may still answer for it. */
export async function isStillOwned({ _id, owner }: Pick<UserDocument, '_id' | 'owner'>): Promise<boolean> {
  const now = await users.findOne<Pick<UserDocument, 'owner'>>({ _id }, { projection: { owner: 1 } });
  return now !== null && String(now.owner) === String(owner) && (await hasActiveOwner(now));
}
