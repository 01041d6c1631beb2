import { toObjectId } from '../../api/extended-json.ts';
import { keyPattern, keyRule } from '../../api/idempotency.ts';
import { about, dateTime, flag, id, optional, type Parameter } from '../../api/parameters.ts';
import { aFlag, aText, described, record } from '../../api/schema.ts';
import { invalidParameter, missingEvery } from '../../base/errors.ts';
import { type Caller, requireScope } from '../../identity/caller.ts';
import { editMessage as changeMessage, deleteMessage as removeMessage } from '../../messages/edit.ts';
import { messageText, readMessage, requireContent } from '../../messages/messages.ts';
import type { SentQuestion } from '../../messages/questions/question.ts';
import { addReaction, formerEmoji, removeReaction } from '../../messages/reactions.ts';
import { saveMessage } from '../../messages/saved.ts';
import { keyOfMessage } from '../../messages/sending/replay.ts';
import { sendMessage as send } from '../../messages/sending/send.ts';
import { openConversation } from '../../rooms/conversations.ts';
import { findRoomId, personParameter, roomParameter } from '../places.ts';
import { keyOfRepeatedText } from '../repeated-texts.ts';
import { messageSchema, showForAgent } from '../shown.ts';
import { tool } from '../tool.ts';

const message = about('The message.', id);

export const idempotencyKey: Parameter<string> = {
  read: (sent) => (typeof sent === 'string' && keyPattern.test(sent) ? sent : undefined),
  about:
    'A text of your own for this message, such as a UUID. A repeated call with the same key sends nothing and returns the first message. Without a key, the same text to the same place within 60 seconds counts as repeated.',
  rule: keyRule,
  schema: { type: 'string', pattern: keyPattern.source },
};

export const sentSchema = record('Sent', {
  message: messageSchema,
  is_repeated: described('Whether an earlier call sent this message, and this call sent nothing.', aFlag),
});

/** The parameters for the place of a message: exactly one of them. */
export const placeParameters = {
  room: optional(roomParameter),
  person: about('The person or bot to write to directly: an id or a username.', optional(personParameter)),
  thread: about('The message to reply to.', optional(id)),
};

export const sendMessage = tool({
  name: 'send_message',
  title: 'Send a message',
  description:
    'Send a message to a room, to a person as a direct message, or as a reply to a message in its thread. Markdown is shown as such; `@name` mentions a member.',
  effect: { isReadOnly: false, isDestructive: false, isIdempotent: false },
  scopes: ['messages:write'],
  input: {
    ...placeParameters,
    text: messageText,
    also_in_room: about('Whether a reply also stands in the room; without it, in its thread alone.', optional(flag)),
    key: optional(idempotencyKey),
  },
  output: sentSchema,
  run: ({ text, also_in_room: is_in_room, key, ...place }, caller) => sendOnce({ place, text, is_in_room, key }, caller),
});

type SentCall = {
  place: AskedPlace;
  text: string;
  key: string | undefined;
  is_in_room?: boolean | undefined;
  question?: SentQuestion | undefined;
};

/** Sends a message, or finds the one that an earlier call with the same key or text sent. */
export async function sendOnce({ place, key, ...rest }: SentCall, caller: Caller) {
  requireContent(rest.text);
  const { room, thread } = await findPlace(place, caller);
  const sent = { room, files: [], thread, ...rest };
  const used = key ?? (await keyOfRepeatedText(sent, caller));
  const { value, isReplay } = await send(sent, keyOfMessage({ 'idempotency-key': used }, sent), caller);
  const shown = showForAgent(value, caller.user._id);
  const wasRepeated = `This message was sent before, as ${shown.id} at ${shown.sent_at}. Nothing was sent now.`;
  return {
    structured: { message: shown, is_repeated: isReplay },
    text: isReplay
      ? `${wasRepeated}${key === undefined ? ' To send the same text again, pass a new key.' : ''}`
      : `Sent as message ${shown.id}, seq ${shown.seq}, in room ${shown.room}.`,
  };
}

type AskedPlace = {
  room: Parameters<typeof findRoomId>[0] | undefined;
  person: Parameters<typeof openConversation>[0][number] | undefined;
  thread: Parameters<typeof readMessage>[0] | undefined;
};

/** The room, and the thread, that a message is for. */
async function findPlace({ room, person, thread }: AskedPlace, caller: Caller) {
  if ([room, person, thread].filter((one) => one !== undefined).length > 1)
    throw invalidParameter(thread ? 'thread' : 'person', "be the only one of 'room', 'person' and 'thread'");
  if (room !== undefined) return { room: await findRoomId(room, caller), thread: undefined };
  if (thread !== undefined) return { room: toObjectId((await readMessage(thread, caller)).room), thread };
  if (person === undefined) throw missingEvery(['room', 'person', 'thread']);
  // `POST /api/conversations` requires the same scope.
  requireScope(caller, 'rooms:write');
  return { room: toObjectId((await openConversation([person], caller))._id), thread: undefined };
}

const changed = record('Changed', { message: messageSchema });

export const editMessage = tool({
  name: 'edit_message',
  title: 'Edit a message',
  description: "Replace the text of one of the account's own messages.",
  effect: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  scopes: ['messages:write'],
  input: { message, text: messageText },
  output: changed,
  run: async ({ message, text }, caller) => {
    const shown = showForAgent(await changeMessage(message, text, caller), caller.user._id);
    return { structured: { message: shown }, text: `Edited message ${shown.id}.` };
  },
});

export const deleteMessage = tool({
  name: 'delete_message',
  title: 'Delete a message',
  description: 'Delete a message for everyone: its text and its files are gone. Moderators can delete those of others.',
  effect: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  scopes: ['messages:write'],
  input: { message },
  output: record('Deleted', { id: described('The id of the deleted message.', aText) }),
  run: async ({ message }, caller) => {
    await removeMessage(message, caller);
    return { structured: { id: message.toHexString() }, text: `Deleted message ${message.toHexString()}.` };
  },
});

export const react = tool({
  name: 'react',
  title: 'React to a message',
  description: 'Add a reaction of the account to a message, or remove it with `remove`.',
  effect: { isReadOnly: false, isDestructive: true, isIdempotent: true },
  scopes: ['messages:write'],
  input: {
    message,
    emoji: about('An emoji, or a word such as `+1`.', formerEmoji),
    remove: about('Whether to remove the reaction.', optional(flag)),
  },
  output: changed,
  run: async ({ message, emoji, remove }, caller) => {
    const reacted = await (remove ? removeReaction : addReaction)(message, emoji, caller);
    const shown = showForAgent(reacted, caller.user._id);
    return {
      structured: { message: shown },
      text: `Message ${shown.id} has the reactions: ${shown.reactions?.join(', ') ?? 'none'}.`,
    };
  },
});

export const remindMe = tool({
  name: 'remind_me',
  title: 'Set a reminder',
  description:
    'Save a message for the account and remind its user of it at a time, on all devices. A later call moves the reminder.',
  effect: { isReadOnly: false, isDestructive: false, isIdempotent: true },
  scopes: ['messages:write'],
  input: { message, at: about('When to remind.', dateTime) },
  output: record('Reminder', {
    message: described('The id of the message.', aText),
    remind_at: described('The time of the reminder, as ISO 8601 in UTC.', aText),
  }),
  run: async ({ message, at }, caller) => {
    const { remind_at } = await saveMessage(message, { remind_at: at }, caller);
    const shown = { message: message.toHexString(), remind_at: remind_at?.$date ?? '' };
    return { structured: shown, text: `The user will be reminded of message ${shown.message} at ${shown.remind_at}.` };
  },
});
