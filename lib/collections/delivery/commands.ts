import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import type { SigningSecret } from '../rooms/signing-secrets.ts';

/** A slash command of a bot, by its name without the slash: no two bots have one of the same name. */
export type CommandDocument = SigningSecret & {
  _id: string;
  bot: ObjectId;
  /** Where the bot is asked. */
  url: string;
  description: string;
  /** What may follow the name. */
  usage: string;
  created_at: Date;
};

export const commandIndexes: IndexDescription[] = [{ key: { bot: 1 }, name: 'bot' }];

/** The slash commands of all bots. */
export const commands = collection<CommandDocument>('commands');
