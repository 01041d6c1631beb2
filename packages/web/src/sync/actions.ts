import { normaliseText } from 'chat-service-rules/texts';
import { me } from '../account/session.ts';
import { tell } from '../device/tabs.ts';
import { ask, chat, type Message } from '../service/api.ts';
import { idOf } from '../service/ids.ts';
import { knownEpoch } from '../store/epoch.ts';
import type { UnsentFile } from '../store/kept.ts';
import { askToNotify } from '../store/notify-question.ts';
import { markUnread, roomOf } from '../store/rooms/rooms.ts';
import { isSaved, noteSaved, savedLast } from '../store/saved.ts';
import { intentOf } from '../store/scroll-intent.ts';
import { knownTimeline } from '../store/timelines.ts';
import { discardDraft, dropDraft, placeOf, placeOfEdit } from '../store/unsent/drafts.ts';
import { addToOutbox } from '../store/unsent/outbox.ts';
import { isSameReaction } from '../store/unsent/pending.ts';
import { sendOutbox } from './sender.ts';
import { sync } from './sync.ts';

/* The user's changes of messages. Each is stored first, and then sent as soon as possible. */

/**
 * Sends a message to a room or a thread (`isInRoom`: to both), and drops its draft. Resolves when
 * it is stored.
 */
export async function sendMessage(written: WrittenMessage): Promise<void> {
  await send(written, (text) => dropDraft(placeOf(written.room, written.thread), text));
  askToNotify();
}

/** Sends a message to a room without touching its draft; resolves when it is stored. */
export const sendBesides = (room: string, typed: string): Promise<void> => send({ room, typed }, () => []);

type WrittenMessage = {
  room: string;
  typed: string;
  files?: readonly UnsentFile[];
  thread?: string | undefined;
  isInRoom?: boolean | undefined;
};

async function send(
  { room, typed, files = [], thread, isInRoom = false }: WrittenMessage,
  drop: (text: string) => string[],
): Promise<void> {
  // As the service stores it: by its text a message is known again that came with the feed first.
  const text = normaliseText(typed);
  const timeline = knownTimeline(room);
  // Any of the three may be the newest.
  const places = [timeline?.place.at, timeline?.window.value.messages.at(-1)?.seq, roomOf(room)?.seq];
  const after = Math.max(...places.map((known) => known ?? 0));
  const message = { text, files, thread: thread ?? null, isInRoom, after, epoch: knownEpoch() };
  await addToOutbox(room, { kind: 'send', ...message }, drop(text));
  start(room);
}

/**
 * Changes the text of a message, and drops the draft of the edit. `base` was the text when the edit
 * began.
 */
export async function editMessage(message: Message, typed: string, base: string): Promise<void> {
  const text = normaliseText(typed);
  const place = placeOfEdit(message);
  if (text === base) return discardDraft(place);
  await addToOutbox(message.room.$oid, { kind: 'edit', message: message._id.$oid, text, base }, dropDraft(place, text));
  start(message.room.$oid);
}

/** Deletes a message. */
export async function deleteMessage(message: Message): Promise<void> {
  await addToOutbox(message.room.$oid, { kind: 'delete', message: message._id.$oid });
  start(message.room.$oid);
}

/** Adds or removes my reaction. */
export async function toggleReaction(message: Message, emoji: string): Promise<void> {
  const mine = me()._id.$oid;
  const on = !message.reactions.some(
    (reaction) => isSameReaction(reaction.emoji, emoji) && reaction.users.some(({ $oid }) => $oid === mine),
  );
  await addToOutbox(message.room.$oid, { kind: 'react', message: message._id.$oid, emoji, on });
  start(message.room.$oid);
}

/** Pins or unpins a message. */
export async function togglePin(message: Message): Promise<void> {
  await addToOutbox(message.room.$oid, { kind: 'pin', message: message._id.$oid, on: message.pinned_at === null });
  start(message.room.$oid);
}

/** Saves a message to be found again, or removes it from those that are; throws a `Failure`. */
export async function toggleSaved(message: Message): Promise<void> {
  const id = idOf(message);
  const params = { path: { message: id } };
  const wasSaved = isSaved(id);
  const note = (on: boolean) => (on ? noteSaved([id]) : noteSaved([], [id]));
  note(!wasSaved);
  try {
    if (wasSaved) await ask(chat.DELETE('/api/messages/{message}/save', { params }));
    else await ask(chat.PUT('/api/messages/{message}/save', { params, body: {} }));
  } catch (failure) {
    note(wasSaved);
    throw failure;
  }
  if (!wasSaved) savedLast.value = id;
}

/** Marks a message, and what came after it, as unread; throws a `Failure`. */
export async function markUnreadFrom({ room: { $oid: room }, seq }: Message): Promise<void> {
  const timeline = knownTimeline(room);
  const intent = timeline && intentOf(timeline);
  intent?.keepUnread(seq);
  try {
    await markUnread(room, seq);
    tell({ type: 'rooms' });
  } catch (failure) {
    if (intent) intent.isKeptUnread.value = false;
    throw failure;
  }
}

function start(room: string): void {
  void sendOutbox();
  sync.wake(room);
}
