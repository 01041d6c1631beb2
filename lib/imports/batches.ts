import type { SourceMessage } from 'chat-service-import/source';
import { paragraphs } from 'chat-service-rules/formats/markdown';
import type { ObjectId } from 'mongodb';
import { type AttachedFile, type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { readMarkers } from '../collections/rooms/read-markers.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { isDuplicateKey } from '../database/failures.ts';
import { findMentions } from '../messages/mentions.ts';
import { tokensOf } from '../messages/search/tokens.ts';
import { noSuchRoom } from '../rooms/contexts.ts';
import { takePlace } from '../rooms/sequence.ts';
import { bringFiles, settleFiles } from './files.ts';
import type { Ids } from './ids.ts';
import { reactionsOf } from './reactions.ts';
import { messageTexts } from './texts.ts';
import { followThreads, noted, noteReplies, type Root } from './threads.ts';
import type { TargetRoom, WritingRun } from './writing.ts';

type Draft = Omit<MessageDocument, 'seq' | 'ordinal'>;
type StoredMessage = Pick<MessageDocument, '_id' | 'user' | 'thread' | 'repliers'>;

/**
 * Writes the missing messages of a batch to a room, in order. If the room does not exist yet, they
 * get the same `seq` in every run, so an interrupted run can be repeated. An existing room, which
 * people use, assigns its next `seq`.
 */
export async function writeBatch(batch: SourceMessage[], writing: WritingRun): Promise<void> {
  const divided: DividedMessage[] = [];
  for (const message of batch) {
    const { attached, lines } = await bringFiles(message, writing);
    const texts = messageTexts(paragraphs(message.text, lines));
    divided.push({ message, attached, texts: texts.length === 0 && attached.length > 0 ? [''] : texts });
  }
  const { drafts, replied } = await draftsOf(divided, writing);
  const { room, isDryRun } = writing;
  if (isDryRun) room.seq += drafts.length;
  if (drafts.length === 0 || isDryRun) return;
  const documents = await placed(room, drafts);
  const known = new Map(documents.map((document) => [document._id.toHexString(), document]));
  for (const { _id, ...replies } of replied)
    Object.assign(known.get(_id.toHexString()) ?? {}, { has_replies: true, ...noted(replies) });
  // All of this before the messages exist. So if the run is interrupted, replies are never
  // uncounted and old messages never appear as new.
  await noteReplies(replied.filter(({ _id }) => !known.has(_id.toHexString())));
  await followThreads(room, documents, replied);
  if (room.exists) await readOn(room, documents);
  await insert(documents);
  await settleFiles(documents);
  for (const { created_at } of documents) if (!room.lastAt || created_at > room.lastAt) room.lastAt = created_at;
  // Unless somebody has written since.
  if (room.exists) await rooms.updateOne({ _id: room._id, seq: room.seq }, { $set: { last_message_at: room.lastAt } });
}

type DividedMessage = { message: SourceMessage; attached: AttachedFile[]; texts: string[] };

/** The ids of the parts of a message: more than one if it is too long for one message. */
const partIds = (ids: Ids, { id, at }: SourceMessage, count: number): ObjectId[] =>
  Array.from({ length: count }, (_, part) => ids('message', part === 0 ? id : `${id} ${part}`, at));

async function draftsOf(batch: DividedMessage[], writing: WritingRun): Promise<{ drafts: Draft[]; replied: Root[] }> {
  const { ids, people, tally, isDryRun, room } = writing;
  const rootIdOf = ({ id, at }: { id: string; at: Date }) => room.roots.get(id) ?? ids('message', id, at);
  const stored = await findWithRoots([
    ...batch.flatMap(({ message, texts }) => partIds(ids, message, texts.length)),
    ...batch.flatMap(({ message: { thread } }) => (thread ? [rootIdOf(thread)] : [])),
  ]);
  /**
   * The first message of a thread. In the archive, this may be a message that is a reply here.
   * Threads have one level, so its replies go to the thread above.
   */
  const topOf = (message: StoredMessage) => (message.thread && stored.get(message.thread.toHexString())) || message;
  const roots = new Map<string, Root>();
  const remember = ({ _id, user }: Pick<StoredMessage, '_id' | 'user'>): Root => {
    const key = _id.toHexString();
    const root = roots.get(key) ?? { _id, user, repliers: stored.get(key)?.repliers ?? [] };
    roots.set(key, root);
    return root;
  };
  const drafts: Draft[] = [];
  const replied = new Set<Root>();
  for (const { message, attached, texts } of batch) {
    const { thread, author: writer, reactions, at } = message;
    tally.read('messages');
    tally.read('reactions', reactions.length);
    const all = partIds(ids, message, texts.length);
    const [own] = all;
    if (!own) {
      const hadFiles = message.files.some(({ gone }) => gone !== undefined);
      tally.leaveOut('messages', hadFiles ? 'without a text, and its files are gone' : 'without a text', message.raw);
      for (const reaction of reactions) tally.leaveOut('reactions', 'of a message that is left out', reaction);
      continue;
    }
    const author = await people.named(writer);
    const rootId = thread && rootIdOf(thread);
    const storedRoot = rootId && stored.get(rootId.toHexString());
    let root = rootId && (storedRoot ? remember(topOf(storedRoot)) : roots.get(rootId.toHexString()));
    // A reply that became the beginning of its thread in an earlier run.
    if (root?._id.equals(own)) root = undefined;
    if (!root) remember({ _id: own, user: author._id });
    if (thread && !root) room.roots.set(thread.id, own);

    const missing = all.flatMap((_id, part) => (stored.has(_id.toHexString()) ? [] : [{ _id, text: texts[part] ?? '', part }]));
    const written = { user: author._id, thread: root?._id ?? null };
    for (const _id of all) stored.set(_id.toHexString(), stored.get(_id.toHexString()) ?? { _id, ...written });
    if (missing.length === 0) tally.present('messages');
    else tally.written('messages');
    if (missing[0]?.part !== 0) tally.present('reactions', reactions.length);
    if (missing.length === 0) continue;
    if (thread && !root && !isDryRun) tally.note('replies that begin their thread, because its first message is missing');
    if (texts.length > 1) tally.note('messages that were too long, and became several');

    for (const { _id, text, part } of missing) {
      const isFirst = part === 0;
      const files = isFirst && attached.length > 0 ? attached : undefined;
      drafts.push({
        _id,
        room: room._id,
        user: author._id,
        text,
        ...(files && { files }),
        words: tokensOf({ text, files }, author._id),
        created_at: at,
        import: writing.importId,
        edited_at: message.editedAt ?? null,
        deleted_at: null,
        thread: root?._id ?? null,
        ...(root && message.isInRoom !== true && { is_folded: true as const }),
        mentions: mentionedIn(text, room),
        reactions: isFirst ? reactionsOf(message, writing) : [],
        pinned_at: (isFirst && message.pinnedAt) || null,
        ...(isFirst && message.pinnedAt && { is_pinned: true as const }),
      });
    }
    if (!root) continue;
    root.repliers = [...root.repliers.filter((one) => !one.equals(author._id)), author._id].slice(-mostRepliers);
    root.replied_at = at;
    replied.add(root);
  }
  return { drafts, replied: [...replied] };
}

const mostRepliers = 3;

/** Finds messages, and the messages that begin their threads. */
async function findWithRoots(wanted: ObjectId[]): Promise<Map<string, StoredMessage>> {
  const found = await findStored(wanted);
  const above = await findStored([...found.values()].flatMap(({ thread }) => thread ?? []));
  return new Map([...above, ...found]);
}

async function findStored(wanted: ObjectId[]): Promise<Map<string, StoredMessage>> {
  const options = { projection: { user: 1, thread: 1, repliers: 1 }, batchSize: wanted.length + 1 } as const;
  const found = await messages.unscoped.find<StoredMessage>({ _id: { $in: wanted } }, options).toArray();
  return new Map(found.map((message) => [message._id.toHexString(), message]));
}

/**
 * The members that a text mentions. Nobody is notified, and `@room` and `@here` mention nobody,
 * because the message is old.
 */
function mentionedIn(text: string, { named }: TargetRoom): ObjectId[] {
  if (!text.includes('@')) return [];
  const names = findMentions(text).flatMap((candidates) => candidates.find((name) => named.has(name)) ?? []);
  return [...new Set(names)].map((name) => named.get(name) as ObjectId);
}

/** Assigns `seq` and `ordinal` to the messages. */
async function placed(room: TargetRoom, drafts: Draft[]): Promise<MessageDocument[]> {
  const counted = drafts.filter(({ is_folded }) => !is_folded).length;
  if (room.exists) {
    const taken = await takePlace({ where: { _id: room._id } }, drafts.length, counted);
    if (!taken) throw noSuchRoom();
    room.seq = taken.seq - drafts.length;
    room.ordinal = taken.message_count - counted;
  }
  return drafts.map((draft) => {
    room.seq++;
    if (!draft.is_folded) room.ordinal++;
    return { ...draft, seq: room.seq, ordinal: room.ordinal };
  });
}

/**
 * Marks these messages as read for the members who had read everything before them: they are not
 * news.
 */
async function readOn({ _id: room, seq, ordinal }: TargetRoom, documents: MessageDocument[]): Promise<void> {
  const before = ordinal - documents.filter(({ is_folded }) => !is_folded).length;
  await readMarkers.updateMany({ '_id.room': room, ordinal: { $gte: before } }, { $max: { seq, ordinal } });
}

/**
 * Inserts messages in order. Each call has few enough for the database to index their words well
 * within its time limit.
 */
async function insert(documents: MessageDocument[]): Promise<void> {
  let some: MessageDocument[] = [];
  let weight = 0;
  for (const document of documents) {
    some.push(document);
    weight += document.words?.length ?? 0;
    if (weight < mostWords) continue;
    await insertSome(some);
    some = [];
    weight = 0;
  }
  if (some.length > 0) await insertSome(some);
}

/** In characters: a message of a few lines has some hundred in its words. */
const mostWords = 150_000;

async function insertSome(documents: MessageDocument[]): Promise<void> {
  try {
    await messages.unscoped.insertMany(documents, { ordered: true });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
    throw new Error('Another import wrote the same messages at the same time. Run this one again when that one is done.', {
      cause: error,
    });
  }
}
