import { ObjectId } from 'mongodb';
import { replay, type SentOnce } from '../api/idempotency.ts';
import { andThen, fulfilled, orThrow, togetherBy } from '../database/batching.ts';
import { isDuplicateKey, writtenTogether } from '../database/client.ts';
import { notFound } from '../errors.ts';
import type { Answer } from '../http/operation.ts';
import type { Caller } from '../identity/tokens.ts';
import { checkRoom, members as membersOnly } from '../rooms/access.ts';
import { type Place, type Sender, type Taken, takeMessagePlaces } from '../rooms/sequence.ts';
import { settle } from './gaps.ts';
import { findMentioned, membersAmong, mentionedNames } from './mentions.ts';
import { countReplies, type Message, type MessageDocument, messages, repliedTo, showMessage } from './messages.ts';

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

  const draft: Draft = {
    room,
    caller,
    withMembers: mentionedNames(text).length > 0,
    parent,
    compose: ({ place, members }, mentioned) => ({
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
    }),
    mentioned: Promise.allSettled([findMentioned(text)]),
  };
  for (;;) {
    const { place, message, stored } = await sendTogether(room.toHexString(), draft);
    if (await isStored(message, stored)) return showMessage(message, caller.user.username, 0);
    const sent = once && (await findSent(caller, once));
    if (sent) {
      // The same request was here at the same time, and its message is the one.
      await settle({ ...place, isMessage: true });
      return replaySent(caller, sent, once);
    }
    // Frozen for longer than a feed waits, and the feed has given the place up: the message goes where readers have yet to come.
  }
}

/** A message that has no place yet, what it waits for meanwhile, and the one that it replies to. */
type Draft = Sender & {
  compose: (taken: Taken, mentioned: ObjectId[]) => MessageDocument;
  mentioned: Promise<[PromiseSettledResult<ObjectId[]>]>;
  parent: Pick<MessageDocument, '_id' | 'has_replies'> | null | undefined;
};

type Written = { place: Place; message: MessageDocument };

/** Those who send to a room at the same time take their places together, and their messages are inserted together. */
const sendTogether = togetherBy(async (drafts: Draft[]): Promise<PromiseSettledResult<Written & { stored: Stored }>[]> => {
  const places = await takeMessagePlaces(drafts);
  const written = await Promise.allSettled(drafts.map(async (draft, at) => write(draft, places[at] as (typeof places)[number])));
  return andThen(written, async (ready) => {
    const stored = await insert(ready.map(({ message }) => message));
    return ready.map((one, at) => fulfilled({ ...one, stored: stored[at] as Stored }));
  });
});

async function write({ parent, mentioned, compose }: Draft, result: PromiseSettledResult<Taken>): Promise<Written> {
  const taken = orThrow(result);
  // Before there is the first reply, so that nobody sees it uncounted, and after its sender has proved to be a member.
  if (parent && !parent.has_replies) await messages.updateOne({ _id: parent._id }, { $set: { has_replies: true } });
  const [names] = await mentioned;
  return { place: taken.place, message: compose(taken, orThrow(names)) };
}

type Stored = PromiseSettledResult<void>;

async function insert(sent: MessageDocument[]): Promise<Stored[]> {
  const [first, ...others] = sent;
  if (first && others.length === 0) return Promise.allSettled([messages.insertOne(first).then(() => undefined)]);
  return writtenTogether(sent.length, messages.insertMany(sent, { ordered: false }));
}

/** Whether the message was stored; false when its key or its place was no longer free. */
async function isStored({ _id }: MessageDocument, stored: Stored): Promise<boolean> {
  if (stored.status === 'fulfilled') return true;
  if (!isDuplicateKey(stored.reason)) throw stored.reason;
  // The driver sends an insert again when its connection broke, and then finds its own.
  return (await messages.countDocuments({ _id }, { limit: 1 })) === 1;
}

const findSent = ({ user }: Caller, { idempotency_key }: SentOnce) =>
  messages.findOne<MessageDocument & SentOnce>({ user: user._id, idempotency_key });

async function replaySent({ user }: Caller, first: MessageDocument & SentOnce, once: SentOnce): Promise<Answer<Message>> {
  const replies = await countReplies(first.room, repliedTo(first));
  return replay(first, once, showMessage(first, user.username, replies.get(first._id.toHexString()) ?? 0));
}
