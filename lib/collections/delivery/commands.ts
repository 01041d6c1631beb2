import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import type { SigningSecret } from '../rooms/signing-secrets.ts';

/** A slash command of a bot. `_id` is its name without the slash, which is unique across bots. */
export type CommandDocument = SigningSecret & {
  _id: string;
  bot: ObjectId;
  /** The address that is called. */
  url: string;
  description: string;
  /** The arguments after the name. */
  usage: string;
  created_at: Date;
};

export const commandIndexes: IndexDescription[] = [{ key: { bot: 1 }, name: 'bot' }];

/** The slash commands of all bots. */
export const commands = collection<CommandDocument>('commands');
