import { type IndexDescription, ObjectId } from 'mongodb';
import type { IdempotencyFields } from '../../api/idempotency.ts';
import { collection } from '../../database/bounded.ts';
import { scoped } from '../../database/scoped.ts';
import type { EventType } from './events.ts';
import type { QuestionDocument } from './questions.ts';

/** How a message addresses everyone in its room: all members, or the connected members. */
export const forAll = ['room', 'here'] as const;
export type MassMention = (typeof forAll)[number];

/** A file as its message stores it: what a reader of the message sees of it. */
export type AttachedFile = {
  _id: ObjectId;
  name: string;
  /**
   * The media type. For files that are shown in place, the bytes confirm it; otherwise it is the
   * sender's word.
   */
  type: string;
  size: number;
  width: number | null;
  height: number | null;
  /** In seconds. */
  duration: number | null;
  has_preview: boolean;
  /** A description of the picture, if the sender wrote one. */
  alt?: string;
};

/** A field of a card. Short ones are side by side. */
export type CardField = { title: string; value: string; is_short: boolean };

/** A card as another program has sent it, with texts in Markdown. */
export type Card = {
  /** As `#rrggbb`. */
  color?: string;
  author?: string;
  title?: string;
  url?: string;
  text?: string;
  fields: CardField[];
  image_url?: string;
  footer?: string;
  at?: Date;
};

/**
 * How another program wants its message to look: its name, its icon, and cards. `text` is shown
 * above the cards. The text of the message includes the text of the cards.
 */
export type Display = { name?: string; icon?: string; text?: string; cards: Card[] };

/**
 * A message: its text, its files, or both. Its place in the room's order is its `seq`; its `_id`
 * orders only to the second.
 */
export type MessageDocument = {
  _id: ObjectId;
  room: ObjectId;
  seq: number;
  /**
   * The number of the message among those shown in the room, from 1. Read markers and unread counts
   * use it. A reply that is shown only in its thread has the number of the message before it.
   */
  ordinal: number;
  user: ObjectId;
  /** The name of the agent's token that has sent it. */
  via?: string;
  text: string;
  /** The cards of a webhook's message, if it has some. */
  display?: Display;
  /** The buttons or the select of a program's message, and their presses. */
  question?: QuestionDocument;
  /** Absent if the message lacks files; an edit never changes them. */
  files?: AttachedFile[];
  /** The words that the search index uses: `search/tokens.ts`. */
  words?: string;
  created_at: Date;
  edited_at: Date | null;
  deleted_at: Date | null;
  /** The message that it replies to. */
  thread: ObjectId | null;
  /** True for a reply that is only in its thread; otherwise absent. The room does not count it. */
  is_folded?: true;
  mentions: ObjectId[];
  /**
   * Set if the message addresses everyone: all members (they are in `mentions` then), or the
   * connected ones. `named` are the users that the text names besides.
   */
  for_all?: { kind: MassMention; named: ObjectId[] };
  /**
   * The mentioned users whom an edit added after they had read the message, each with the edit's
   * place. The mention is unread until they have read up to that place.
   */
  late_mentions?: { user: ObjectId; seq: number }[];
  reactions: { emoji: string; user: ObjectId }[];
  pinned_at: Date | null;
  /** True if the message is deleted, otherwise absent, for a partial index. */
  is_deleted?: true;
  /** True if replies may be deleted, which are not counted; otherwise absent. */
  has_deleted_replies?: true;
  /** True while the message is pinned, otherwise absent, for a partial index. */
  is_pinned?: true;
  /** True if there may be replies, otherwise absent: then nothing needs counting. */
  has_replies?: true;
  /** The last three users who replied, the latest at the end, and the time of the last reply. */
  repliers?: ObjectId[];
  replied_at?: Date;
  /** The import that created the message. */
  import?: ObjectId;
  /** The number of replies up to a place. No new reply can appear before that place. */
  counted_replies?: { count: number; seq: number };
  /**
   * Set while the message streams: the stored characters of its text, and the time of the last
   * write, by the database's clock.
   */
  streaming?: { length: number; stored_at: Date };
  /** The end of a streamed message: by its author, or after silence. */
  streamed?: 'complete' | 'interrupted';
  /**
   * The latest change, written together with it, so that a feed can record the event of a function
   * that died before it could.
   */
  changed?: { seq: number; ordinal: number; type: EventType; at: Date; actor: ObjectId | null };
} & Partial<IdempotencyFields>;

/** Not a message: closes a `seq` that a feed has passed, so that no message can take it later. */
type Tombstone = { _id: ObjectId; room: ObjectId; seq: number; ordinal?: number; is_void: true };

// Part of every equality with an id: a planner does not see that such an equality implies a type.
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
  {
    key: { mentions: 1, created_at: 1, room: 1, seq: 1 },
    name: 'mentions, created_at of all rooms',
    partialFilterExpression: { mentions: anyId },
  },
  {
    key: { room: 1, 'late_mentions.user': 1 },
    name: 'room, late_mentions.user',
    partialFilterExpression: { 'late_mentions.user': { $exists: true } },
  },
  { key: { room: 1, is_deleted: 1, seq: 1 }, name: 'room, is_deleted, seq', partialFilterExpression: { is_deleted: true } },
  {
    key: { room: 1, thread: 1, is_deleted: 1 },
    name: 'room, thread, is_deleted',
    partialFilterExpression: { thread: anyId, is_deleted: true },
  },
  { key: { room: 1, is_pinned: 1, seq: 1 }, name: 'room, is_pinned, seq', partialFilterExpression: { is_pinned: true } },
  {
    key: { room: 1, 'changed.seq': 1 },
    name: 'room, changed.seq',
    partialFilterExpression: { 'changed.seq': { $exists: true } },
  },
  {
    key: { 'streaming.stored_at': 1 },
    name: 'streaming.stored_at',
    partialFilterExpression: { 'streaming.stored_at': { $exists: true } },
  },
  { key: { room: 1, words: 'text' }, name: 'room, words', default_language: 'none' },
];

/** The messages of all rooms. */
export const messages = scoped(collection<Omit<MessageDocument, '_id'>>('messages'), { is_void: { $ne: true } });

/** The closed places among the messages. */
export const tombstones = collection<Omit<Tombstone, '_id'>>('messages');
