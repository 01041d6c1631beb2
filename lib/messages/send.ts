import { ObjectId } from 'mongodb';
import { type Created, type IdempotencyFields, type IdempotencyKey, requireSameRequest } from '../api/idempotency.ts';
import { type MessageDocument, messages } from '../collections/messages.ts';
import { batch, orThrow } from '../database/batching.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { outcomesOf } from '../database/writes.ts';
import { attempt, regardlessOfDeadline } from '../deadline.ts';
import { noFiles } from '../files/store.ts';
import type { Caller } from '../identity/caller.ts';
import { foresee, notify } from '../notices.ts';
import { noteMessages } from '../rooms/notes.ts';
import { findContext, findReadableRoom, noSuchRoom, refusalsOf, requirePermission } from '../rooms/permissions.ts';
import { type Attachments, attachRefusals, fileTaken, findAttachments, settleFiles, takeFiles } from './attachments.ts';
import { fillGap } from './gaps.ts';
import { findMentioned, findMentions, type Mentions, membersAmong } from './mentions.ts';
import { type Message, noSuchMessage, showMessage } from './messages.ts';
import { nobodyLeft, type Sender, type Taken, takeMessagePlace } from './places.ts';
import { countReplies } from './replies.ts';
import { tokensOf } from './tokens.ts';

/** A new message: its text, its files, its room, and the message that it replies to. */
export type NewMessage = { room: ObjectId; text: string; files: ObjectId[]; thread?: ObjectId | undefined };

export const sendRefusals = [...refusalsOf('send'), nobodyLeft, noSuchRoom, noSuchMessage, noFiles, ...attachRefusals];

/**
 * Sends a message: one update takes the room's next place and proves membership, then the message is inserted at that place.
 * A key is looked up first, because most retries find their message there, and no place is taken in vain.
 */
export async function sendMessage(sent: NewMessage, key: IdempotencyKey | undefined, caller: Caller): Promise<Created<Message>> {
  const { room, thread, files, text } = sent;
  const [first, parent] = await Promise.all([key && findSent(caller, key), thread && findRoot(thread)]);
  if (first && key) return replay(first, key, caller);
  if (thread && !parent?.room.equals(room)) {
    requirePermission(await findContext(room, caller), 'send');
    throw noSuchMessage();
  }
  const attachments = files.length > 0 ? await findAttachments(files, room, caller) : undefined;

  const mentions = findMentions(text);
  const draft: Draft = {
    room,
    text,
    attachments,
    // Threads have one level: a reply to a reply stands where all who read the thread see it.
    thread: parent?._id,
    key,
    caller,
    parent,
    mentions,
    withMembers: mentions.length > 0,
    mentioned: Promise.allSettled([findMentioned(mentions)]),
  };
  return attempt({ times: 10 }, async () => {
    const taken = await takeMessagePlace(draft);
    const hasFiles = !attachments || (await takeFiles(attachments));
    const message = await compose(draft, taken);
    if (hasFiles && (await store(message))) {
      if (attachments) await settleFiles(attachments);
      return { value: showMessage(message, caller.user.username, 0), isReplay: false };
    }
    const earlier = key && (await findSent(caller, key));
    // This process was frozen past FEED_PATIENCE, and a reader has closed its place: take a later one.
    if (!earlier && hasFiles && !(await isStored(message))) return undefined;
    // The same request ran at the same time, and its message is the one; or another has taken the files.
    await fillGap({ ...taken.place, isMessage: true });
    if (!earlier) throw fileTaken();
    return replay(earlier, key, caller);
  });
}

/** The message with which the thread of this one began, which in earlier versions may have been a reply itself. */
async function findRoot(id: ObjectId): Promise<Parent | undefined> {
  let found = await findParent(id);
  for (let level = 0; found?.thread && level < mostLevels; level++) found = (await findParent(found.thread)) ?? found;
  return found ?? undefined;
}

type Parent = Pick<MessageDocument, '_id' | 'room' | 'thread' | 'has_replies'>;
const mostLevels = 20;

const findParent = (_id: ObjectId) => messages.findOne<Parent>({ _id }, { projection: { room: 1, thread: 1, has_replies: 1 } });

/** A message that has no place yet, what it waits for meanwhile, and the message that it replies to. */
type Draft = Omit<NewMessage, 'files'> &
  Sender & {
    attachments: Attachments | undefined;
    key: IdempotencyKey | undefined;
    mentions: Mentions;
    mentioned: Promise<[PromiseSettledResult<Map<string, ObjectId>>]>;
    parent: Pick<MessageDocument, '_id' | 'has_replies'> | undefined;
  };

/** The message as it is to be stored at its place; the message that it replies to says by then that it has replies. */
async function compose(draft: Draft, { place, members }: Taken): Promise<MessageDocument> {
  const { parent, mentioned, attachments } = draft;
  const files = attachments && { files: attachments.files };
  // Before the first reply exists, so that nobody sees it uncounted, and after its sender has proved to be a member.
  if (parent && !parent.has_replies) await messages.updateOne({ _id: parent._id }, { $set: { has_replies: true } });
  const [accounts] = await mentioned;
  return {
    _id: attachments?.message ?? new ObjectId(),
    room: draft.room,
    seq: place.seq,
    ordinal: place.ordinal,
    user: draft.caller.user._id,
    text: draft.text,
    ...files,
    words: tokensOf({ text: draft.text, ...files }, draft.caller.user._id),
    created_at: place.at,
    edited_at: null,
    deleted_at: null,
    thread: draft.thread ?? null,
    mentions: membersAmong(draft.mentions, orThrow(accounts), members),
    reactions: [],
    pinned_at: null,
    ...draft.key,
  };
}

/** Inserts the messages of all rooms that are ready at the same time together. */
const insertTogether = batch(async (sent: MessageDocument[]): Promise<PromiseSettledResult<void>[]> => {
  const isWanted = foresee();
  const [stored] = await regardlessOfDeadline(() => Promise.all([insert(sent), noteMessages(sent)]));
  for (const [room, some] of Map.groupBy(sent, ({ room }) => room.toHexString()))
    notify({ type: 'moved', room, seq: Math.max(...some.map(({ seq }) => seq)) }, isWanted);
  return stored;
});

async function insert(sent: MessageDocument[]): Promise<PromiseSettledResult<void>[]> {
  const [first, ...others] = sent;
  if (first && others.length === 0) return Promise.allSettled([messages.unscoped.insertOne(first).then(() => undefined)]);
  return outcomesOf(sent.length, messages.unscoped.insertMany(sent, { ordered: false }));
}

/** Stores a message; false when its key or its place is no longer free. */
async function store(message: MessageDocument): Promise<boolean> {
  try {
    await insertTogether(message);
    return true;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    // The driver sends an insert again when its connection breaks, and then finds its own.
    return isStored(message, { seq: message.seq });
  }
}

const isStored = async ({ _id }: MessageDocument, where: { seq?: number } = {}): Promise<boolean> =>
  (await messages.countDocuments({ _id, ...where }, { limit: 1 })) === 1;

const findSent = ({ user }: Caller, { idempotency_key }: IdempotencyKey) => messages.findOne({ user: user._id, idempotency_key });

/**
 * The message that was sent first, as it is now: for those who may still read it, others are refused as with every
 * other message.
 */
async function replay(
  first: MessageDocument & Partial<IdempotencyFields>,
  key: IdempotencyKey,
  caller: Caller,
): Promise<Created<Message>> {
  await findReadableRoom(first.room, caller);
  requireSameRequest(first, key);
  const replies = await countReplies(first.room, [first]);
  return { value: showMessage(first, caller.user.username, replies.get(first._id.toHexString()) ?? 0), isReplay: true };
}
