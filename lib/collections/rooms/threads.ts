import type { IndexDescription, ObjectId } from 'mongodb';
import { collection } from '../../database/bounded.ts';

/** A thread that a user follows: began, replied in, was mentioned in, or chose. */
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
  /**
   * Only there, and true, while there are replies of others that the user has not read: for an
   * index that holds nothing else.
   */
  is_unread?: true;
  /**
   * Only there, and true, if a reply was deleted while `is_unread` was set, which may be out of
   * date then.
   */
  may_be_read?: true;
  /**
   * Only there, and true, when the user wants to hear of the thread no longer, until somebody
   * mentions them there.
   */
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
