import { ObjectId } from 'mongodb';
import type { CreationResult, IdempotencyKey } from '../../api/idempotency.ts';
import { attempt } from '../../base/deadline.ts';
import { invalidParameter } from '../../base/errors.ts';
import { type MassMention, type MessageDocument, messages } from '../../collections/rooms/messages.ts';
import { rooms } from '../../collections/rooms/rooms.ts';
import { orThrow } from '../../database/batching.ts';
import { noFiles } from '../../files/store.ts';
import type { Caller } from '../../identity/caller.ts';
import { findContext, noSuchRoom } from '../../rooms/contexts.ts';
import { tellFollowers } from '../../rooms/followed-threads.ts';
import { refusalsOf, requirePermission } from '../../rooms/permissions.ts';
import type { Place } from '../../rooms/sequence.ts';
import {
  type Attachments,
  attachRefusals,
  fileTaken,
  findAttachments,
  settleFiles,
  takeFiles,
} from '../attachments/attachments.ts';
import { type Content, contentRefusals, resolveContent } from '../content.ts';
import { fillGap } from '../gaps.ts';
import { findMentioned, findMentions, forAllIn, type Mentions, membersAmong, mostForAll } from '../mentions.ts';
import { type Message, noSuchMessage, showMessage } from '../messages.ts';
import { tokensOf } from '../search/tokens.ts';
import { beginning, requireStream } from '../streaming/start.ts';
import { botsAlone, requireRecentPerson } from './bot-turns.ts';
import { nobodyLeft, type Sender, type TakenPlace, takeMessagePlace } from './places.ts';
import { findSent, type KeyedRequest, replay } from './replay.ts';
import { isStored, storeMessage } from './store.ts';

/** A new message. */
type NewMessage = KeyedRequest & {
  /**
   * True if names in the text must not be treated as mentions: it quotes people who wrote
   * elsewhere.
   */
  isReport?: boolean;
  /** True if a person has requested it with a command. */
  isAsked?: boolean;
};

export const sendRefusals = [
  ...refusalsOf('send'),
  ...contentRefusals,
  botsAlone,
  nobodyLeft,
  noSuchRoom,
  noSuchMessage,
  noFiles,
  ...attachRefusals,
];

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
  const content = await resolveContent(sent, text, caller);
  if (sent.isStreaming) await requireStream(caller);
  const attachments = files.length > 0 ? await findAttachments(files, room, caller) : undefined;

  // A streamed message mentions its readers when its text is complete.
  const mentions = sent.isReport || sent.isStreaming ? [] : findMentions(text);
  const draft: Draft = {
    room,
    text,
    content,
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
    if (hasFiles && (await storeMessage(message))) {
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
type Draft = Pick<NewMessage, 'room' | 'text' | 'thread' | 'isStreaming'> &
  Sender & {
    content: Content;
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
    ...draft.content,
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
