import type { ObjectId } from 'mongodb';
import { dateSchema, showDate } from '../api/extended-json.ts';
import { about, type Parameter, trimmedText, type Values, withDefault } from '../api/parameters.ts';
import { aFlag, aText, described, eitherOf, listOf, record, type Shown } from '../api/schema.ts';
import { attempt } from '../base/deadline.ts';
import { conflict, notFound, type Refusal } from '../base/errors.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { botWebhooks } from '../collections/delivery/bot-webhooks.ts';
import { type CommandDocument, commandIdsOf, commandNameOf, commands } from '../collections/delivery/commands.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { isStillOwned, webhookOf } from '../identity/bot-rules.ts';
import type { Caller } from '../identity/caller.ts';
import { newSigningSecret, replaceSecret } from '../identity/signing-secrets.ts';
import { aHint } from '../identity/tokens.ts';
import { isReceiver, receiver, receiverRefused } from '../members/webhooks.ts';
import { noSuchBot, requireBot, shownBot } from './bots.ts';

/** The name of a command, without its slash. */
export const commandName: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && new RegExp(namePattern).test(sent) ? sent : undefined),
  rule: 'be 1 to 32 lower-case letters, digits, underscores or hyphens, and begin with a letter or a digit',
  schema: { type: 'string', pattern: '^[a-z0-9][a-z0-9_-]{0,31}$' },
};
const namePattern = '^[a-z0-9][a-z0-9_-]{0,31}$';

/** Names that clients may use for commands of their own. */
const reserved: ReadonlySet<string> = new Set(
  'away ban help invite join kick leave me msg mute nick remind search settings shrug status topic who'.split(' '),
);

/** The fields of a command, for the bot's owner and administrators. */
const commandFields = {
  name: described('The name, without the slash.', aText),
  url: described('The address of the bot.', aText),
  description: described('The purpose of the command, shown to members while they type.', aText),
  usage: described('The arguments after the name; empty without arguments.', aText),
  hint: aHint,
  created_at: described('The time of registration.', dateSchema),
};
const commandSchema = record('BotCommand', commandFields);

/** A command with its secret, which is shown only once, after the registration. */
export const newCommandSchema = record('NewBotCommand', {
  ...commandFields,
  secret: described('Shown only once: `whsec_` and the key that signs the calls.', aText),
});

/** A bot with its commands, and a flag for its webhook. */
export const botDetailsSchema = record(
  'BotDetails',
  {
    ...shownBot.fields,
    commands: described('The commands of the bot, by name.', listOf(commandSchema)),
    has_webhook: described('Whether the bot has a webhook.', aFlag),
  },
  ['name', 'avatar'],
);

export const commandParameters = {
  url: about('The address of the bot.', receiver),
  description: about('The purpose of the command, shown to members while they type.', trimmedText(100)),
  usage: about('The arguments after the name, such as `<environment>`.', withDefault(usageText(), '')),
};

function usageText(): Parameter<string> {
  const line = trimmedText(100);
  return {
    ...line,
    read: (sent) => (sent === '' ? '' : line.read(sent)),
    rule: `be empty, or ${line.rule}`,
    schema: eitherOf({ const: '' }, line.schema),
  };
}

/** The most commands of a bot. */
const mostCommands = 50;

export const noSuchCommand: Refusal = () => notFound('command');
const commandTaken: Refusal = () => conflict('command_taken', 'Clients may have a command of this name.');
const tooManyCommands: Refusal = () => conflict('too_many_commands', 'The bot has too many commands.');
export const registerRefusals = [noSuchBot, receiverRefused, commandTaken, tooManyCommands];
export const unregisterRefusals = [noSuchBot, noSuchCommand];

/**
 * The bot with this id and its commands, for its owner and administrators; 404 for everybody else.
 */
export async function findBotDetails(id: ObjectId, caller: Caller): Promise<Shown<typeof botDetailsSchema>> {
  const bot = await requireBot(id, caller);
  const [found, webhook] = await Promise.all([
    commands.find({ bot: id }, { sort: { _id: 1 }, limit: mostCommands, batchSize: mostCommands + 1 }).toArray(),
    botWebhooks.findOne(webhookOf(bot), { projection: { _id: 1 } }),
  ]);
  return { ...shownBot.show(bot), commands: found.map(show).sort(byName), has_webhook: webhook !== null };
}

const byName = (one: { name: string }, other: { name: string }) => (one.name < other.name ? -1 : 1);

const show = ({ _id, url, description, usage, secret, created_at }: CommandDocument): Shown<typeof commandSchema> => ({
  name: commandNameOf({ _id }),
  url,
  description,
  usage,
  hint: secret.slice(-4),
  created_at: showDate(created_at),
});

/**
 * Registers or replaces a command of a bot, for the bot itself, its owner and administrators. 409
 * for a name that clients may use.
 *
 * Each call creates a new secret, so that a program can register when it starts. The old secret
 * stays valid for a day, because another process of the program may still use it.
 */
export async function registerCommand(
  { bot: id, command: name }: { bot: ObjectId; command: string },
  { url, description, usage }: Values<typeof commandParameters>,
  caller: Caller,
): Promise<Shown<typeof newCommandSchema>> {
  const bot = await requireCommander(id, caller);
  if (!isReceiver(url)) throw receiverRefused();
  if (reserved.has(name)) throw commandTaken();
  const stored = await attempt({ times: 10 }, () => storeCommand(name, id, { url, description, usage }));
  // Checked after the command exists, so that concurrent calls cannot exceed the limit or outlive
  // the owner's account.
  const isMany = (await commands.countDocuments({ bot: id }, { limit: mostCommands + 1 })) > mostCommands;
  const isAnswered = await isStillOwned(bot);
  if (!isMany && isAnswered) return { ...show(stored), secret: stored.secret };
  await commands.deleteOne({ _id: stored._id, bot: id });
  throw isAnswered ? tooManyCommands() : noSuchBot();
}

/** Stores a command with a new secret; undefined if its secret has changed meanwhile. */
async function storeCommand(
  name: string,
  bot: ObjectId,
  command: Pick<CommandDocument, 'url' | 'description' | 'usage'>,
): Promise<CommandDocument | undefined> {
  const ids = commandIdsOf(bot, name);
  const earlier = await commands.findOne({ _id: { $in: ids }, bot });
  const secrets = earlier ? replaceSecret(earlier) : { secret: newSigningSecret(), retired: [] };
  // A plain update, not a pipeline: in an expression, a text that begins with `$` would be a field
  // path.
  const change = { $set: { ...command, ...secrets }, $currentDate: { created_at: true } } as const;
  try {
    const where = { _id: earlier?._id ?? ids[0], bot, ...(earlier && { secret: earlier.secret }) };
    return (await commands.findOneAndUpdate(where, change, { upsert: !earlier, returnDocument: 'after' })) ?? undefined;
  } catch (error) {
    // A concurrent call has registered it.
    if (isDuplicateKey(error)) return undefined;
    throw error;
  }
}

/** Removes a command of a bot, for the bot itself, its owner and administrators. */
export async function unregisterCommand({ bot, command }: { bot: ObjectId; command: string }, caller: Caller): Promise<void> {
  await requireCommander(bot, caller);
  const { deletedCount } = await commands.deleteOne({ _id: { $in: commandIdsOf(bot, command) }, bot });
  if (deletedCount === 0) throw noSuchCommand();
}

async function requireCommander(id: ObjectId, caller: Caller): Promise<UserDocument> {
  if (!id.equals(caller.user._id)) return requireBot(id, caller);
  const itself = await users.findOne({ _id: id, is_bot: true });
  if (!itself) throw noSuchBot();
  return itself;
}
