import type { Message } from '../service/api.ts';
import type { Person } from './people/names.ts';

/** One of my rooms. */
export type MyRoom = {
  id: string;
  /** My membership's own id. */
  member: string;
  name: string;
  /** The version of its picture, if it has one. */
  avatar: string | undefined;
  /** True for a direct conversation, which is named after its members. */
  isDirect: boolean;
  /**
   * True if anyone can join it. Unknown for a room stored by an earlier version, and false for a
   * conversation.
   */
  isOpen?: boolean | undefined;
  role: 'owner' | 'moderator' | 'member';
  /** The last place that was taken in the room. */
  seq: number;
  lastRead: number;
  unread: number;
  mentions: number;
  /** How many threads that I follow have unread replies. */
  threads: number;
  isMuted: boolean;
  /** The notification setting on all the user's devices; null if each device decides. */
  notifyOf?: 'all' | 'mentions' | null | undefined;
  isFavourite: boolean;
  /** The position among the favourites, if the user has chosen one. */
  place?: number | undefined;
  /** The others in a conversation. */
  people: readonly (Person & { id: string })[];
  /** Its place among all rooms: those with lower numbers were active later. */
  order: number;
};

/**
 * A file of an unsent message, stored with it. `key` is the idempotency key of its announcement;
 * `uploaded` is its id, once the service has its bytes.
 */
export type UnsentFile = Omit<Message['files'][number], '_id'> & {
  key: string;
  bytes: Blob;
  sha256: string;
  preview?: { bytes: Blob; sha256: string } | undefined;
  uploaded?: string | undefined;
};

/**
 * A change that is retried until it succeeds. All but `send` are safe to repeat; `send` has a key.
 */
export type Change =
  | {
      kind: 'send';
      text: string;
      files?: readonly UnsentFile[] | undefined;
      thread: string | null;
      /** For a reply: true if it is also shown in the room. */
      isInRoom?: boolean;
      /**
       * The last known place in the room when the message was written. The message itself must have
       * a later one.
       */
      after: number;
      /** The epoch of that number. */
      epoch?: string | undefined;
    }
  /**
   * `base` is the text that was changed: an edit does not replace one that its author has not seen.
   */
  | { kind: 'edit'; message: string; text: string; base?: string | undefined }
  | { kind: 'delete'; message: string }
  | { kind: 'react'; message: string; emoji: string; on: boolean }
  | { kind: 'pin'; message: string; on: boolean };

/**
 * A change that the service has not confirmed. `waiting` is retried automatically until it
 * succeeds; `refused` waits for the user, with the reason. `key` is the idempotency key: stored
 * before the first attempt, and the same in every attempt.
 */
export type Entry = Change & {
  id: number;
  key: string;
  room: string;
  madeAt: number;
  state: 'waiting' | 'refused';
  attempts: number;
  /** Why the last attempt did not succeed. */
  reason?: Reason | undefined;
  /**
   * When to try again, in milliseconds since 1970, and how long that was from the last attempt:
   * clocks are set back.
   */
  retryAt: number;
  pause?: number | undefined;
};

/**
 * Out of reach, rate limited, edited elsewhere, an edit of a deleted message, or a refusal by the
 * service.
 */
export type Reason = { kind: 'unreachable' | 'limited' | 'changed' | 'gone' } | { kind: 'said'; sentence: string };

/** How far a room's feed is applied to the stored messages, and when the room was last opened. */
export type Cursor = { room: string; cursor: number; epoch?: string | undefined; openedAt: number };

/** The unsent text in a room or a thread. */
export type Draft = { place: string; text: string };

/** A read marker that the service does not know yet. */
export type Marker = { room: string; seq: number; epoch?: string | undefined };

/**
 * The stored content of a room: its newest messages, the cursor that they are complete to, and the
 * epoch of the cursor.
 */
export type KeptRoom = { messages: Message[]; cursor: number; epoch: string | undefined };
