import type { ObjectId } from 'mongodb';
import { type MessageDocument, messages } from '../collections/rooms/messages.ts';
import { type FollowedThreadDocument, followedThreads } from '../collections/rooms/threads.ts';
import { retryContended } from '../database/engines.ts';
import { outcomesOf } from '../database/writes.ts';
import type { TargetRoom } from './writing.ts';

/** The message that begins a thread, and the fields that its new replies change. */
export type Root = { _id: ObjectId; user: ObjectId; repliers: ObjectId[]; replied_at?: Date };

/** The fields of a message about its replies. */
export const noted = ({ repliers, replied_at }: Pick<Root, 'repliers' | 'replied_at'>) => ({
  repliers,
  ...(replied_at && { replied_at }),
});

/** Records the replies of stored messages. */
export async function noteReplies(roots: Root[]): Promise<void> {
  const updates = roots.map(({ _id, repliers, replied_at }) => ({
    updateOne: {
      filter: { _id },
      update: { $set: { has_replies: true as const, repliers }, ...(replied_at && { $max: { replied_at } }) },
    },
  }));
  if (updates.length > 0) await messages.unscoped.bulkWrite(updates, { ordered: false });
}

/**
 * Makes the author of a thread, its repliers and the people they mention follow the thread, with
 * everything read.
 */
export async function followThreads(room: TargetRoom, documents: MessageDocument[], roots: Root[]): Promise<void> {
  const beganBy = new Map(roots.map(({ _id, user }) => [_id.toHexString(), user]));
  const followers = new Map<string, { _id: FollowedThreadDocument['_id']; seq: number; at: Date }>();
  const follow = (thread: ObjectId, user: ObjectId, { seq, created_at: at }: MessageDocument) =>
    followers.set(`${thread} ${user}`, { _id: { thread, user }, seq, at });
  for (const reply of documents) {
    const { thread, user, mentions } = reply;
    if (!thread) continue;
    for (const one of [beganBy.get(thread.toHexString()) ?? user, user, ...mentions]) follow(thread, one, reply);
  }
  const all = [...followers.values()];
  if (all.length === 0) return;
  // Most are new, and an insert needs a third of the time of an upsert.
  const inserted = await outcomesOf(
    all.length,
    followedThreads.insertMany(
      all.map(({ _id, seq, at }) => ({ _id, room: room._id, seq, replied_seq: seq, replied_at: at })),
      { ordered: false },
    ),
  );
  const known = all.filter((_, index) => inserted[index]?.status === 'rejected');
  const updates = known.map(({ _id, seq, at }) => ({
    updateOne: {
      filter: { _id },
      update: { $set: { room: room._id }, $max: { seq, replied_seq: seq, replied_at: at } },
      upsert: true,
    },
  }));
  if (updates.length > 0) await retryContended(() => followedThreads.bulkWrite(updates, { ordered: false }));
}
