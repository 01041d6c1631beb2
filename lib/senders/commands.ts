import { isObject } from 'chat-service-rules/objects';
import { ObjectId } from 'mongodb';
import { showDate, showId } from '../api/extended-json.ts';
import { idempotencyKeyOf } from '../api/idempotency.ts';
import {
  about,
  id,
  oneOf,
  optional,
  type Parameter,
  readParameters,
  textUpTo,
  type Values,
  withDefault,
} from '../api/parameters.ts';
import { aText, described, orNull, record, type Shown } from '../api/schema.ts';
import { regardlessOfDeadline } from '../base/deadline.ts';
import { conflict, HttpError, invalidParameter, missingParameter, type Refusal, tooManyRequests } from '../base/errors.ts';
import { commandName, noSuchCommand } from '../bots/bot-commands.ts';
import { type UserDocument, users } from '../collections/accounts/users.ts';
import { type CommandDocument, commandIdsOf, commandNameOf, commands } from '../collections/delivery/commands.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { hasActiveOwner } from '../identity/bot-rules.ts';
import { botCaller, type Caller } from '../identity/caller.ts';
import { failClosed, keyOf, minute, takeSlot } from '../identity/slots.ts';
import { shownOtherUser } from '../identity/users.ts';
import { countWrite } from '../identity/write-rate.ts';
import { type Message, messageText, noSuchMessage, shownMessage } from '../messages/messages.ts';
import { questionIn, questionParameters, type SentQuestion } from '../messages/questions/question.ts';
import { sendMessage } from '../messages/sending/send.ts';
import { findContext } from '../rooms/contexts.ts';
import { refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { config } from '../settings/config.ts';
import { sendSigned } from './send-signed.ts';

/*
 * Slash commands: a member of a room asks a bot that is in it, which answers at once, for all or
 * for the caller alone.
 */

/** A command as members of a room with its bot see it. */
export const roomCommandSchema = record('RoomCommand', {
  name: described('The name, without the slash.', aText),
  description: described('The purpose of the command.', aText),
  usage: described('The arguments after the name; empty without arguments.', aText),
  bot: described('The bot that is asked.', shownOtherUser.schema),
});

/** The result of a call. */
export const commandResultSchema = record('CommandResult', {
  message: described('The public answer of the bot, as a message in the room; null without one.', orNull(shownMessage.schema)),
  text: described('The private answer of the bot, which is not stored; null without one.', orNull(aText)),
});

const callId: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && /^[\w-]{1,64}$/.test(sent) ? sent : undefined),
  rule: 'be 1 to 64 letters, digits, underscores or hyphens',
  schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{1,64}$' },
};

export const callParameters = {
  command: about('The name of the command, without the slash.', commandName),
  text: about('The text after the name.', withDefault(textUpTo(4_000), '')),
  thread: about('The message whose thread the command is called in.', optional(id)),
  id: about(
    'An id chosen by the caller. Repeated calls with the same id in a room have the same `webhook-id`, and the answer is posted once.',
    optional(callId),
  ),
};

const commandFailed = (why = 'The bot did not answer in time, or cannot be reached.') => conflict('command_failed', why);
export const listRefusals = refusalsOf('read');
export const callRefusals: Refusal[] = [
  ...refusalsOf('send'),
  noSuchCommand,
  noSuchMessage,
  () => commandFailed(),
  tooManyRequests,
];

/** How many commands of a room are shown. */
const mostShown = 500;

/** How many commands somebody may call in a minute. */
const perMinute = 30;

type RoomCommand = Shown<typeof roomCommandSchema>;
type CommandResult = Shown<typeof commandResultSchema>;

/**
 * The commands of the bots that are in a room, by name; for its members. If several bots have a
 * command of the same name, it calls the bot that came first: a later one must not take it over.
 */
export async function listRoomCommands(room: ObjectId, caller: Caller): Promise<RoomCommand[]> {
  requirePermission(await findContext(room, caller), 'read');
  const found = await rooms.findOne<{ members: { user: ObjectId }[] }>({ _id: room }, { projection: { 'members.user': 1 } });
  const members = (found?.members ?? []).map(({ user }) => user);
  const bot = { $in: members };
  const listed = await commands.find({ bot }, { sort: { _id: 1 }, limit: mostShown, batchSize: mostShown + 1 }).toArray();
  if (listed.length === 0) return [];
  const where = { _id: { $in: listed.map((one) => one.bot) }, is_active: true };
  const bots = await users.find(where, { projection: shownOtherUser.reads }).toArray();
  const byId = new Map(bots.map((one) => [one._id.toHexString(), shownOtherUser.show(one)]));
  const byName = new Map<string, RoomCommand>();
  for (const command of listed.sort(byArrival(members))) {
    const { description, usage, bot: id } = command;
    const [name, shown] = [commandNameOf(command), byId.get(id.toHexString())];
    if (shown && !byName.has(name)) byName.set(name, { name, description, usage, bot: shown });
  }
  return [...byName.values()].sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** The order in which the bots of commands came into a room. */
function byArrival(members: ObjectId[]) {
  const places = new Map(members.map((user, at) => [user.toHexString(), at]));
  const placeOf = ({ bot }: CommandDocument) => places.get(bot.toHexString()) ?? 0;
  return (one: CommandDocument, other: CommandDocument) => placeOf(one) - placeOf(other);
}

/**
 * Calls a command, for a caller who may write in the room: asks its bot, and posts its public
 * answer. If the bot is slow, unreachable or answers nonsense, it throws a 409 with a sentence, and
 * nothing changes.
 */
export async function callCommand(room: ObjectId, call: Values<typeof callParameters>, caller: Caller): Promise<CommandResult> {
  const { name, seq } = requirePermission(await findContext(room, caller), 'send');
  const { command, bot } = await findCommand(room, call.command);
  await countCall(caller);
  const callId = callIdOf(room, command, call.id, caller);
  const { user } = caller;
  const asked = {
    seq,
    type: 'command.called',
    at: showDate(new Date()),
    command: commandNameOf(command),
    text: call.text,
    room: { _id: showId(room), name },
    user: { _id: showId(user._id), username: user.username, ...(user.name !== undefined && { name: user.name }) },
    thread: call.thread ? showId(call.thread) : null,
  };
  const { status, answered } = await sendSigned(command, callId, asked);
  if (status === null) throw commandFailed();
  if (status < 200 || status > 299) throw commandFailed(`The bot answered with an error (${status}).`);
  const answer = readAnswer(answered);
  if (!answer?.text) return { message: null, text: null };
  if (answer.visible_to === 'caller') return { message: null, text: answer.text };
  return {
    message: await regardlessOfDeadline(() =>
      say(bot, { room, text: answer.text, question: answer.question, thread: call.thread }, callId),
    ),
    text: null,
  };
}

/** Identifies one call for the bot and its answer. An id of the caller counts only in its room. */
const callIdOf = (room: ObjectId, command: CommandDocument, id: string | undefined, { user }: Caller): string =>
  [user._id.toHexString(), room.toHexString(), commandNameOf(command), id ?? new ObjectId().toHexString()].join(':');

/**
 * A command whose bot is in a room, and the bot; 404 if not found. Of several bots with a command
 * of this name, the one that came first.
 */
async function findCommand(room: ObjectId, name: string): Promise<{ command: CommandDocument; bot: UserDocument }> {
  const found = await rooms.findOne<{ members: { user: ObjectId }[] }>({ _id: room }, { projection: { 'members.user': 1 } });
  const members = (found?.members ?? []).map(({ user }) => user);
  const ids = [...members.map((user) => commandIdsOf(user, name)[0]), name];
  const named = await commands.find({ _id: { $in: ids }, bot: { $in: members } }).toArray();
  for (const command of named.sort(byArrival(members))) {
    const bot = await users.findOne({ _id: command.bot, is_bot: true, is_active: true });
    // A process may have died after it deactivated the owner, before the command ended.
    if (bot && (await hasActiveOwner(bot))) return { command, bot };
  }
  throw noSuchCommand();
}

async function countCall({ user }: Caller): Promise<void> {
  if (!config.limits.areOn) return;
  const limit = { most: perMinute, window: minute, isSettled: true } as const;
  await failClosed(() => takeSlot(keyOf('commands of', user._id.toHexString()), new ObjectId(), limit));
}

const answerParameters = {
  text: withDefault(messageText, ''),
  visible_to: withDefault(oneOf('room', 'caller'), 'caller'),
  ...questionParameters,
};

const unreadableAnswer = ({ message }: HttpError) => commandFailed(`The bot's answer cannot be read: ${message}`);

/** Reads the answer of a bot; undefined if it is empty, which is allowed. */
function readAnswer(answered: string): BotAnswer | undefined {
  if (answered.trim() === '') return undefined;
  try {
    const body: unknown = JSON.parse(answered);
    if (isObject(body)) {
      const { text, visible_to, ...rest } = readParameters(answerParameters, body);
      const question = questionIn(rest);
      if (question && visible_to === 'caller') throw invalidParameter('visible_to', "be 'room' with 'actions'");
      if (question && text === '') throw missingParameter('text');
      return { text, visible_to, question };
    }
  } catch (error) {
    if (error instanceof HttpError) throw unreadableAnswer(error);
  }
  throw commandFailed("The bot's answer is not a JSON object of at most 64 kB.");
}

type BotAnswer = { text: string; visible_to: 'room' | 'caller'; question: SentQuestion | undefined };

type BotReply = { room: ObjectId; text: string; question: SentQuestion | undefined; thread: ObjectId | undefined };

/** Posts as a bot, once for each id. */
async function say(bot: UserDocument, { room, text, question, thread }: BotReply, id: string): Promise<Message> {
  const caller = botCaller(bot);
  await countWrite(caller.user);
  // It may repeat the words of somebody who may not mention everyone.
  const message = { room, text, files: [], isReport: true, isAsked: true, question, ...(thread && { thread }) };
  try {
    const { value } = await sendMessage(message, idempotencyKeyOf({ 'idempotency-key': `command:${id}` }), caller);
    return value;
  } catch (error) {
    // The caller of the command did not send these actions.
    if (question && error instanceof HttpError && [400, 404].includes(error.status)) throw unreadableAnswer(error);
    throw error;
  }
}
