import { ObjectId } from 'mongodb';
import { checkRoom, members as membersOnly } from './access.ts';
import { fulfilled, together } from './batches.ts';
import { isDuplicateKey, writtenTogether } from './database.ts';
import { notFound } from './errors.ts';
import { settle } from './holes.ts';
import { replay, type SentOnce } from './idempotency.ts';
import { findMentioned, membersAmong, mentionedNames } from './mentions.ts';
import { countReplies, type Message, type MessageDocument, messages, repliedTo, showMessage } from './messages.ts';
import type { Answer } from './operation.ts';
import { takeMessagePlace } from './sequence.ts';
import type { Caller } from './tokens.ts';

/** What someone wants to say, where, and in reply to which message. */
export type Sending = { room: ObjectId; text: string; thread: ObjectId | undefined };

/**
 * Sends a message: one update takes the room's next `seq` and proves membership, then the message is inserted with it.
 * A key is looked for first, because most of those who come again find their message there and no `seq` is taken in vain.
 */
export async function sendMessage(
  caller: Caller,
  sending: Sending,
  once: Required<SentOnce> | undefined,
): Promise<Message | Answer<Message>> {
  const { room, thread = null, text } = sending;
  const [first, parent] = await Promise.all([
    once && findSent(caller, once),
    thread && messages.findOne({ _id: thread }, { projection: { room: 1, has_replies: 1 } }),
  ]);
  if (first && once) return replaySent(caller, first, once);
  if (thread && !parent?.room.equals(room)) {
    await checkRoom(membersOnly, room, caller);
    throw notFound('message');
  }

  for (;;) {
    const [{ place, members }, mentioned] = await Promise.all([
      takeMessagePlace(room, caller, mentionedNames(text).length > 0),
      findMentioned(text),
    ]);
    // Before there is the first reply, so that nobody sees it uncounted, and after its sender has proved to be a member.
    if (parent && !parent.has_replies) await messages.updateOne({ _id: parent._id }, { $set: { has_replies: true } });
    const message: MessageDocument = {
      _id: new ObjectId(),
      room,
      seq: place.seq,
      ordinal: place.ordinal,
      user: caller.user._id,
      text,
      created_at: place.at,
      edited_at: null,
      deleted_at: null,
      thread,
      mentions: membersAmong(mentioned, members),
      reactions: [],
      pinned_at: null,
      ...once,
    };
    if (await insertMessage(message)) return showMessage(message, caller.user.username, 0);
    const sent = once && (await findSent(caller, once));
    if (sent) {
      // The same request was here at the same time, and its message is the one.
      await settle({ ...place, isMessage: true });
      return replaySent(caller, sent, once);
    }
    // Frozen for longer than a feed waits, and the feed has given the place up: the message goes where readers have yet to come.
  }
}

/** Inserts the message; false when its key or its place is no longer free. */
async function insertMessage(message: MessageDocument): Promise<boolean> {
  try {
    await insertTogether(message);
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The driver sends an insert again when its connection broke, and then finds its own.
    return (await messages.countDocuments({ _id: message._id }, { limit: 1 })) === 1;
  }
}

const insertTogether = together(async (sent: MessageDocument[]) => {
  const [first, ...others] = sent;
  if (first && others.length === 0) return [fulfilled(void (await messages.insertOne(first)))];
  return writtenTogether(sent.length, messages.insertMany(sent, { ordered: false }));
});

const findSent = ({ user }: Caller, { idempotency_key }: SentOnce) =>
  messages.findOne<MessageDocument & SentOnce>({ user: user._id, idempotency_key });

async function replaySent({ user }: Caller, first: MessageDocument & SentOnce, once: SentOnce): Promise<Answer<Message>> {
  const replies = await countReplies(first.room, repliedTo(first));
  return replay(first, once, showMessage(first, user.username, replies.get(first._id.toHexString()) ?? 0));
}
