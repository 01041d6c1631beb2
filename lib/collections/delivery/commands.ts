import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';
import type { SigningSecret } from '../rooms/signing-secrets.ts';

/** A slash command of a bot. */
export type CommandDocument = SigningSecret & {
  /** The bot's id and the name. Commands of an earlier version have only the name. */
  _id: string;
  bot: ObjectId;
  /** The address that is called. */
  url: string;
  description: string;
  /** The arguments after the name. */
  usage: string;
  created_at: Date;
};

/** The name of a command, without the slash. */
export const commandNameOf = ({ _id }: Pick<CommandDocument, '_id'>): string => _id.slice(_id.indexOf('/') + 1);

/** The ids that the command of a bot can have; new ones get the first. */
export const commandIdsOf = (bot: ObjectId, name: string): [string, string] => [`${bot.toHexString()}/${name}`, name];

export const commandIndexes: IndexDescription[] = [{ key: { bot: 1 }, name: 'bot' }];

/** The slash commands of all bots. */
export const commands = collection<CommandDocument>('commands');
