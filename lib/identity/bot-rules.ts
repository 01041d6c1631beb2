import type { ObjectId } from 'mongodb';
import { conflict, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { commands } from '../collections/delivery/commands.ts';
import { webhookStates } from '../collections/delivery/webhook-states.ts';
import { deleteTokensOf } from './tokens.ts';

/*
 * What a bot does is answered for by its owner: its tokens, commands and webhook end with the owner's account, and when it gets another
 * owner, because the earlier one knows their secrets.
 */

export const accountIsBot: Refusal = () =>
  conflict('account_is_bot', 'The account is a bot: it has no password or address, and cannot be an administrator.');

/** Ends what a bot can do on its own, and what it is asked and sent. */
export const silenceBot = async (bot: ObjectId): Promise<void> =>
  void (await Promise.all([deleteTokensOf(bot), commands.deleteMany({ bot }), forgetBotWebhook(bot)]));

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

/** Ends what the bots of an account can do, which is deactivated; of one that is deleted they belong to the administrators. */
export async function silenceBotsOf(owner: ObjectId, { isDeleted }: { isDeleted: boolean }): Promise<void> {
  const bots = await users.find({ owner }, { projection: { _id: 1 } }).toArray();
  await Promise.all(bots.map(({ _id }) => silenceBot(_id)));
  if (isDeleted) await users.unscoped.updateMany({ owner }, { $unset: { owner: '' } });
}

/** Whether the owner of a bot, if it has one, may still answer for it. */
export const hasActiveOwner = async ({ owner }: { owner?: ObjectId }): Promise<boolean> =>
  owner === undefined || (await users.findOne({ _id: owner, is_active: true }, { projection: { _id: 1 } })) !== null;

/** Whether a bot has the owner that it had, who may still answer for it. */
export async function isStillOwned({ _id, owner }: Pick<UserDocument, '_id' | 'owner'>): Promise<boolean> {
  const now = await users.findOne<Pick<UserDocument, 'owner'>>({ _id }, { projection: { owner: 1 } });
  return now !== null && String(now.owner) === String(owner) && (await hasActiveOwner(now));
}
