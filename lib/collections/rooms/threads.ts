import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A thread that a user started, replied in, was mentioned in, or chose to follow. */
export type FollowedThreadDocument = {
  _id: { thread: ObjectId; user: ObjectId };
  room: ObjectId;
  /** The place of the last reply that the user has read; absent if none. */
  seq?: number;
  /** The place of the last reply that mentions the user. */
  mentioned_seq?: number;
  /** The place of the last reply, and when it was sent. */
  replied_seq: number;
  replied_at: Date;
  /** True while replies of others are unread, otherwise absent, for a partial index. */
  is_unread?: true;
  /**
   * True if a reply was deleted while `is_unread` was set, otherwise absent. `is_unread` may be
   * outdated then.
   */
  may_be_read?: true;
  /** True if the user unfollowed the thread, until a mention there; otherwise absent. */
  is_left?: true;
};

export const threadIndexes: IndexDescription[] = [
  { key: { '_id.thread': 1 }, name: '_id.thread' },
  { key: { '_id.user': 1, replied_at: -1 }, name: '_id.user, replied_at' },
  {
    key: { '_id.user': 1, is_unread: 1, replied_at: -1 },
    name: '_id.user, is_unread, replied_at',
    partialFilterExpression: { is_unread: true },
  },
  { key: { room: 1 }, name: 'room' },
];

/** The threads that users follow. */
export const followedThreads = collection<FollowedThreadDocument>('threads');
