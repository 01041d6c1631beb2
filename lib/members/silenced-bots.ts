import type { ObjectId } from 'mongodb';
import { users } from '../collections/accounts/users.ts';
import { commands } from '../collections/delivery/commands.ts';
import { forgetBotWebhook } from '../identity/bot-rules.ts';
import { deleteTokensOf } from '../identity/tokens.ts';
import { forgetMadeBy } from './made.ts';

/*
 * A bot's owner answers for the bot. Everything that lets others act as the bot ends with the owner's account, and when
 * the bot gets another owner, because the earlier one knows the secrets: tokens, commands, and the webhooks and
 * invitations of the bot.
 */

/** Ends what a bot can do on its own, and what it is asked and sent. */
export const silenceBot = async (bot: ObjectId): Promise<void> =>
  void (await Promise.all([deleteTokensOf(bot), commands.deleteMany({ bot }), forgetBotWebhook(bot), forgetMadeBy(bot, 'all')]));

/** Ends what the bots of a deactivated account can do; those of a deleted account then belong to the administrators. */
export async function silenceBotsOf(owner: ObjectId, { isDeleted }: { isDeleted: boolean }): Promise<void> {
  const bots = await users.find({ owner }, { projection: { _id: 1 } }).toArray();
  await Promise.all(bots.map(({ _id }) => silenceBot(_id)));
  if (isDeleted) await users.unscoped.updateMany({ owner }, { $unset: { owner: '' } });
}
