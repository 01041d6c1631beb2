import type { ObjectId } from 'mongodb';
import { users } from '../collections/accounts/users.ts';
import { commands } from '../collections/delivery/commands.ts';
import { forgetBotWebhook } from '../identity/bot-rules.ts';
import { deleteTokensOf } from '../identity/tokens.ts';
import { forgetMadeBy } from './made.ts';

/*
 * A bot's owner is responsible for the bot, and knows its secrets. So all access to the bot ends
 * when the owner's account ends or the bot gets another owner. This includes tokens, commands, and
 * the bot's webhooks and invitations.
 */

/** Revokes a bot's access and stops commands and events to it. */
export const silenceBot = async (bot: ObjectId): Promise<void> =>
  void (await Promise.all([deleteTokensOf(bot), commands.deleteMany({ bot }), forgetBotWebhook(bot), forgetMadeBy(bot, 'all')]));

/**
 * Silences the bots of a deactivated account. The bots of a deleted account then belong to the
 * administrators.
 */
export async function silenceBotsOf(owner: ObjectId, { isDeleted }: { isDeleted: boolean }): Promise<void> {
  const bots = await users.find({ owner }, { projection: { _id: 1 } }).toArray();
  await Promise.all(bots.map(({ _id }) => silenceBot(_id)));
  if (isDeleted) await users.unscoped.updateMany({ owner }, { $unset: { owner: '' } });
}
