import { ObjectId } from 'mongodb';
import {
  type CreationResult,
  type IdempotencyFields,
  type IdempotencyKey,
  idempotencyKeyOf,
  requireSameRequest,
} from '../api/idempotency.ts';
import { attempt, regardlessOfDeadline } from '../base/deadline.ts';
import { invalidParameter } from '../base/errors.ts';
import { type Display, type MassMention, type MessageDocument, messages } from '../collections/rooms/messages.ts';
import type { QuestionDocument } from '../collections/rooms/questions.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { batchWrites, orThrow } from '../database/batching.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { insertEach } from '../database/writes.ts';
import { noFiles } from '../files/store.ts';
import type { Caller } from '../identity/caller.ts';
import { foresee, notify } from '../notices/notices.ts';
import { findContext, noSuchRoom } from '../rooms/contexts.ts';
import { tellFollowers } from '../rooms/followed-threads.ts';
import { noteMessages } from '../rooms/notes.ts';
import { findReadableRoom, refusalsOf, requirePermission } from '../rooms/permissions.ts';
import type { Place } from '../rooms/sequence.ts';
import {
  type Attachments,
  attachRefusals,
  fileTaken,
  findAttachments,
  settleFiles,
  takeFiles,
} from './attachments/attachments.ts';
import { botsAlone, requireRecentPerson } from './bot-turns.ts';
import { fillGap } from './gaps.ts';
import { findMentioned, findMentions, forAllIn, type Mentions, membersAmong, mostForAll } from './mentions.ts';
import { type Message, noSuchMessage, showMessage } from './messages.ts';
import { nobodyLeft, type Sender, type TakenPlace, takeMessagePlace } from './places.ts';
import { questionRefusals, resolveQuestion, type SentQuestion } from './questions/question.ts';
import { countReplies } from './replies.ts';
import { tokensOf } from './search/tokens.ts';
import { beginning, requireStream } from './streaming/start.ts';

/**
 * A new message: its text, its files, its room, the message that it replies to, and whether a reply
 * is also shown in the room.
 */
type NewMessage = {
  room: ObjectId;
  text: string;
  files: ObjectId[];
  thread?: ObjectId | undefined;
  is_in_room?: boolean | undefined;
  /**
   * True if names in the text must not be treated as mentions: it quotes people who wrote
   * elsewhere.
   */
  isReport?: boolean;
  /** True if a person has requested it with a command. */
  isAsked?: boolean;
  /** True if the text is the beginning of one that streams. */
  isStreaming?: boolean | undefined;
  /** How another program wants it to look. */
  display?: Display | undefined;
  /** The question of a bot or an agent. */
  question?: SentQuestion | undefined;
};

export const sendRefusals = [
  ...refusalsOf('send'),
  ...questionRefusals,
  botsAlone,
  nobodyLeft,
  noSuchRoom,
  noSuchMessage,
  noFiles,
  ...attachRefusals,
];

/** The idempotency key of a request to send a message, if it has one. */
export function keyOfMessage(
  headers: Record<string, string | undefined>,
  { room, text, thread, is_in_room, files, question, isStreaming }: NewMessage,
): IdempotencyKey | undefined {
  // Absent fields of later versions do not count: a key of an earlier one finds its message.
  const later = [
    ...(is_in_room === undefined ? [] : [is_in_room]),
    ...(files.length > 0 ? [files] : []),
    ...(question ? [question] : []),
    ...(isStreaming ? ['streaming'] : []),
  ];
  return idempotencyKeyOf(headers, room, text, thread ?? null, ...later);
}

/**
 * Sends a message. One update reserves the room's next place and proves membership, then the
 * message is inserted at that place. A key is looked up first: most retries find their message
 * there, and do not waste a place.
 */
export async function sendMessage(
  sent: NewMessage,
  key: IdempotencyKey | undefined,
  caller: Caller,
): Promise<CreationResult<Message>> {
  const { room, thread, files, text, is_in_room } = sent;
  if (is_in_room !== undefined && !thread) throw invalidParameter('is_in_room', "be left out without 'thread'");
  const [first, parent] = await Promise.all([key && findSent(caller, key), thread && findRoot(thread)]);
  if (first && key) return replay(first, key, caller);
  if (thread && !parent?.room.equals(room)) {
    requirePermission(await findContext(room, caller), 'send');
    throw noSuchMessage();
  }
  if (!sent.isAsked) await requireRecentPerson({ room, thread: parent?._id, caller });
  const question = sent.question && (await resolveQuestion(sent.question, text, caller));
  if (sent.isStreaming) await requireStream(caller);
  const attachments = files.length > 0 ? await findAttachments(files, room, caller) : undefined;

  // A streamed message mentions its readers when its text is complete.
  const mentions = sent.isReport || sent.isStreaming ? [] : findMentions(text);
  const draft: Draft = {
    room,
    text,
    display: sent.display,
    question,
    isStreaming: sent.isStreaming,
    attachments,
    // Threads have one level: a reply to a reply joins the thread of the first message.
    thread: parent?._id,
    isFolded: parent !== undefined && is_in_room !== true,
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
      return { value: showMessage(message, caller.user, 0), isReplay: false };
    }
    const earlier = key && (await findSent(caller, key));
    // This process was frozen past FEED_PATIENCE, and a reader has closed its place: take a later
    // one.
    if (!earlier && hasFiles && !(await isStored(message))) return undefined;
    // A concurrent request with the same key has stored the message, or another message has taken
    // the files.
    await fillGap({ ...taken.place, isCounted: !draft.isFolded });
    if (!earlier) throw fileTaken();
    return replay(earlier, key, caller);
  });
}

/**
 * Finds the root of a thread. Earlier versions allowed replies to replies, so the parent may be a
 * reply itself.
 */
async function findRoot(id: ObjectId): Promise<Parent | undefined> {
  let found = await findParent(id);
  for (let level = 0; found?.thread && level < mostLevels; level++) found = (await findParent(found.thread)) ?? found;
  return found ?? undefined;
}

type Parent = Pick<MessageDocument, '_id' | 'room' | 'user' | 'thread' | 'repliers'>;
const mostLevels = 20;

const findParent = (_id: ObjectId) =>
  messages.findOne<Parent>({ _id }, { projection: { room: 1, user: 1, thread: 1, repliers: 1 } });

/** A message without a place, the lookups that it waits for, and the message that it replies to. */
type Draft = Omit<NewMessage, 'files' | 'question'> &
  Sender & {
    question: QuestionDocument | undefined;
    attachments: Attachments | undefined;
    key: IdempotencyKey | undefined;
    mentions: Mentions;
    mentioned: Promise<[PromiseSettledResult<Map<string, ObjectId>>]>;
    parent: Parent | undefined;
  };

/**
 * Makes the document of a message at its place. Before that, the reply is recorded in the root
 * message and for the followers of the thread.
 */
async function compose(draft: Draft, taken: TakenPlace): Promise<MessageDocument> {
  const { parent, mentioned, attachments } = draft;
  const files = attachments && { files: attachments.files };
  const { place, members } = taken;
  const [accounts] = await mentioned;
  const named = membersAmong(draft.mentions, orThrow(accounts), members);
  // Before the reply exists, so that nobody sees it uncounted, and after its sender has been proven
  // to be a member.
  if (parent) await noteReply(parent, draft.caller.user._id, place, named);
  const kind = draft.isFolded ? undefined : await addressAll(forAllIn(draft.mentions), taken);
  return {
    _id: attachments?.message ?? new ObjectId(),
    room: draft.room,
    seq: place.seq,
    ordinal: place.ordinal,
    user: draft.caller.user._id,
    ...(draft.caller.token.agent !== undefined && { via: draft.caller.token.agent }),
    text: draft.text,
    ...(draft.display && { display: draft.display }),
    ...(draft.question && { question: draft.question }),
    ...files,
    ...(draft.isStreaming
      ? beginning(draft.text, place.at)
      : { words: tokensOf({ text: draft.text, ...files }, draft.caller.user._id) }),
    created_at: place.at,
    edited_at: null,
    deleted_at: null,
    thread: draft.thread ?? null,
    ...(draft.isFolded && { is_folded: true as const }),
    mentions: kind === 'room' ? members : named,
    ...(kind && { for_all: { kind, named } }),
    reactions: [],
    pinned_at: null,
    ...draft.key,
  };
}

/**
 * Decides whether a message may address everyone, and how. All members of a room are addressed at
 * most once a minute, because each of them bears the cost.
 */
async function addressAll(
  kind: MassMention | undefined,
  { place, members, mayAddressAll }: TakenPlace,
): Promise<MassMention | undefined> {
  if (!kind || !mayAddressAll || members.length > mostForAll) return undefined;
  if (kind === 'here') return kind;
  const recently = new Date(place.at.getTime() - 60_000);
  const isDue = { $or: [{ for_all_at: { $exists: false } }, { for_all_at: { $lte: recently } }] };
  const { matchedCount } = await rooms.updateOne({ _id: place.room, ...isDue }, { $set: { for_all_at: place.at } });
  return matchedCount > 0 ? kind : undefined;
}

/** Records a reply in the root message of its thread, and for the followers of the thread. */
async function noteReply({ _id, user: beganBy, repliers = [] }: Parent, user: ObjectId, place: Place, mentions: ObjectId[]) {
  // Of two concurrent replies, one author may be missing among the faces until the next reply.
  const last = [...repliers.filter((one) => !one.equals(user)), user].slice(-mostRepliers);
  await Promise.all([
    messages.updateOne({ _id }, { $set: { has_replies: true, repliers: last }, $max: { replied_at: place.at } }),
    tellFollowers({ thread: _id, beganBy, place, user, mentions }),
  ]);
}

const mostRepliers = 3;

/** Inserts the messages of all rooms that are ready at the same time together. */
const insertTogether = batchWrites(async (sent: MessageDocument[]): Promise<PromiseSettledResult<void>[]> => {
  const isWanted = foresee();
  const [stored] = await regardlessOfDeadline(() =>
    Promise.all([insert(sent), noteMessages(sent.filter(({ is_folded }) => !is_folded))]),
  );
  for (const [room, some] of Map.groupBy(sent, ({ room }) => room.toHexString()))
    notify({ type: 'moved', room, seq: Math.max(...some.map(({ seq }) => seq)) }, isWanted);
  return stored;
});

async function insert(sent: MessageDocument[]): Promise<PromiseSettledResult<void>[]> {
  const [first, ...others] = sent;
  if (first && others.length === 0) return Promise.allSettled([messages.unscoped.insertOne(first).then(() => undefined)]);
  return insertEach(messages.unscoped, sent);
}

/** Stores a message; false if its key or its place is taken. */
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
 * The first message with this key, as it is now. A caller who may no longer read it is refused like
 * for any other message.
 */
async function replay(
  first: MessageDocument & Partial<IdempotencyFields>,
  key: IdempotencyKey,
  caller: Caller,
): Promise<CreationResult<Message>> {
  if (caller.isWebhook) return replayAsSent(first, key, caller);
  await findReadableRoom(first.room, caller);
  requireSameRequest(first, key);
  const replies = await countReplies(first.room, [first]);
  return { value: showMessage(first, caller.user, replies.get(first._id.toHexString()) ?? 0), isReplay: true };
}

/**
 * The message that a webhook sent first, as it was then: it may post, and not read what became of
 * that.
 */
function replayAsSent(
  first: MessageDocument & Partial<IdempotencyFields>,
  key: IdempotencyKey,
  caller: Caller,
): CreationResult<Message> {
  requireSameRequest(first, key);
  const { repliers: _, replied_at: __, ...sent } = first;
  return { value: showMessage({ ...sent, reactions: [], pinned_at: null }, caller.user, 0), isReplay: true };
}
