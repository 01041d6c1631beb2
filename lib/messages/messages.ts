import { type IndexDescription, ObjectId } from 'mongodb';
import { dateSchema, showDate } from '../api/dates.ts';
import { type Id, idSchema, showId } from '../api/extended-json.ts';
import type { SentOnce } from '../api/idempotency.ts';
import { text } from '../api/parameters.ts';
import { aCount, aText, listOf, orNull, record } from '../api/schema.ts';
import { shared } from '../database/batching.ts';
import { database } from '../database/client.ts';
import { notFound } from '../errors.ts';
import type { Caller } from '../identity/tokens.ts';
import { deletedUsername } from '../identity/users.ts';
import { type RoomState, stateFields } from '../rooms/access.ts';
import type { EventType } from '../rooms/event-log.ts';

/** A message. Its place in the room's order is its `seq`; its `_id` orders only to the second. */
export type MessageDocument = {
  _id: ObjectId;
  room: ObjectId;
  seq: number;
  /** Which message of the room it is, counting from 1: what read markers and unread counts are made of. */
  ordinal: number;
  user: ObjectId;
  text: string;
  created_at: Date;
  edited_at: Date | null;
  deleted_at: Date | null;
  /** The message that it replies to. */
  thread: ObjectId | null;
  mentions: ObjectId[];
  reactions: { emoji: string; user: ObjectId }[];
  pinned_at: Date | null;
  /** Only there, and true, while it is pinned: for an index that holds nothing else. */
  is_pinned?: true;
  /** Only there, and true, when there may be replies to it: those to all others need not be counted. */
  has_replies?: true;
  /** The latest change, written with it, so that a feed can make its event when the function that should have died. */
  changed?: { seq: number; ordinal: number; type: EventType; at: Date; actor: ObjectId };
} & Partial<SentOnce>;

/** Not a message: stands at a `seq` that a feed has given up, so that no message can take it any more. */
export type Tombstone = Pick<MessageDocument, '_id' | 'room' | 'seq'> & { ordinal?: number; is_void: true };

/** A message as the API shows it. */
export type Message = ReturnType<typeof showMessage>;

export const messageSchema = record<Message>('Message', {
  _id: idSchema,
  room: idSchema,
  seq: aCount,
  user: idSchema,
  username: aText,
  text: aText,
  created_at: dateSchema,
  edited_at: orNull(dateSchema),
  deleted_at: orNull(dateSchema),
  thread: orNull(idSchema),
  reply_count: aCount,
  mentions: listOf(idSchema),
  reactions: listOf(record<Message['reactions'][number]>('Reaction', { emoji: aText, users: listOf(idSchema) })),
  pinned_at: orNull(dateSchema),
});

// What an equality with an id is surely a part of: a planner does not see that it implies a type.
const anyId = { $gte: new ObjectId('0'.repeat(24)) };

export const messageIndexes: IndexDescription[] = [
  { key: { room: 1, seq: 1 }, name: 'room, seq', unique: true },
  {
    key: { user: 1, idempotency_key: 1 },
    name: 'user, idempotency_key',
    unique: true,
    partialFilterExpression: { idempotency_key: { $exists: true } },
  },
  { key: { room: 1, thread: 1, seq: 1 }, name: 'room, thread, seq of replies', partialFilterExpression: { thread: anyId } },
  { key: { room: 1, user: 1, seq: 1 }, name: 'room, user, seq' },
  {
    key: { room: 1, mentions: 1, seq: 1 },
    name: 'room, mentions, seq of mentions',
    partialFilterExpression: { mentions: anyId },
  },
  { key: { room: 1, is_pinned: 1, seq: 1 }, name: 'room, is_pinned, seq', partialFilterExpression: { is_pinned: true } },
  {
    key: { room: 1, 'changed.seq': 1 },
    name: 'room, changed.seq',
    partialFilterExpression: { 'changed.seq': { $exists: true } },
  },
  // People of one room may write in many languages: words are taken as they are, without one language's endings or stop words.
  { key: { room: 1, text: 'text' }, name: 'room, text', default_language: 'none' },
];

/** What a message says. */
export const messageText = text(1, 10_000);

/** The messages of all rooms. */
export const messages = database.collection<Omit<MessageDocument, '_id'> & { is_void?: true }>('messages');

/** The places among them that no message can take any more. */
export const tombstones = database.collection<Omit<Tombstone, '_id'>>('messages');

/** The part of a filter that leaves those out. */
export const isMessage = { is_void: { $ne: true } } as const;

/** A message with its author's account, as `withAuthor` finds them. */
export type AuthoredMessage = MessageDocument & { authors: string[] };

/** The end of an aggregation over messages: brings the name of each author along. */
export const withAuthor = [
  { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'authors' } },
  { $set: { authors: '$authors.username' } },
];

/** A message that the caller may read, and its room in the caller's eyes; for everyone else there is no such message: 404. */
export async function findMessage(id: ObjectId, caller: Caller) {
  const [found] = await messages
    .aggregate<AuthoredMessage & { rooms: RoomState[] }>([
      { $match: { ...isMessage, _id: id } },
      { $lookup: { from: 'rooms', localField: 'room', foreignField: '_id', as: 'rooms' } },
      { $set: { rooms: { $map: { input: '$rooms', as: 'room', in: stateFields([caller.user._id], '$$room.') } } } },
      ...withAuthor,
    ])
    .toArray();
  const room = found?.rooms[0];
  if (!found || !room || room.deleting_at || (!caller.user.is_admin && room.members.length === 0)) throw notFound('message');
  return { message: found, room };
}

/** The message, for those who may read it. */
export async function readMessage(id: ObjectId, caller: Caller): Promise<Message> {
  const { message } = await findMessage(id, caller);
  return showAuthored(message, await countReplies(message.room, repliedTo(message)));
}

/** The message's id, if there may be replies to it. */
export const repliedTo = ({ _id, has_replies }: MessageDocument): ObjectId[] => (has_replies ? [_id] : []);

/** How many replies each of these messages of a room has, deleted ones included: they keep their place. */
export const countReplies = async (room: ObjectId, ids: ObjectId[]): Promise<Map<string, number>> =>
  ids.length === 0 ? new Map() : sharedCounts(`${room} ${ids}`, () => readCounts(room, ids));

const sharedCounts = shared<Map<string, number>>();

async function readCounts(room: ObjectId, ids: ObjectId[]): Promise<Map<string, number>> {
  const counts = await messages
    .aggregate<{ _id: ObjectId; count: number }>([
      { $match: { room, thread: { $in: ids } } },
      { $group: { _id: '$thread', count: { $sum: 1 } } },
    ])
    .toArray();
  return new Map(counts.map(({ _id, count }) => [_id.toHexString(), count]));
}

/** The message as the API shows it. */
export const showMessage = (message: MessageDocument, username: string, replies: number) => ({
  _id: showId(message._id),
  room: showId(message.room),
  seq: message.seq,
  user: showId(message.user),
  username,
  text: message.text,
  created_at: showDate(message.created_at),
  edited_at: message.edited_at && showDate(message.edited_at),
  deleted_at: message.deleted_at && showDate(message.deleted_at),
  thread: message.thread && showId(message.thread),
  reply_count: replies,
  mentions: message.mentions.map(showId),
  reactions: groupReactions(message.reactions),
  pinned_at: message.pinned_at && showDate(message.pinned_at),
});

/** The same from what was found with its author and the reply counts of its room. */
export const showAuthored = (message: AuthoredMessage, replies: Map<string, number>): Message =>
  showMessage(message, message.authors[0] ?? deletedUsername, replies.get(message._id.toHexString()) ?? 0);

// In the order in which each emoji, and each user for it, first came.
function groupReactions(reactions: MessageDocument['reactions']): { emoji: string; users: Id[] }[] {
  const users = new Map<string, Id[]>();
  for (const { emoji, user } of reactions) users.set(emoji, [...(users.get(emoji) ?? []), showId(user)]);
  return [...users].map(([emoji, ids]) => ({ emoji, users: ids }));
}
