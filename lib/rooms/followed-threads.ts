import type { ObjectId } from 'mongodb';
import { followedThreads } from '../collections/rooms/threads.ts';
import { retryContended } from '../database/writes.ts';
import type { Place } from './sequence.ts';

/** A reply that is about to be stored at its place: in which thread, who began that, and who is mentioned. */
type Reply = { thread: ObjectId; beganBy: ObjectId; place: Place; user: ObjectId; mentions: ObjectId[] };

/**
 * Tells those who follow a thread of a reply, before it exists, so that nobody misses one. If the reply then comes to
 * nothing, its followers find a thread without unread replies.
 */
export async function tellFollowers({ thread, beganBy, place, user, mentions }: Reply): Promise<void> {
  const { room, seq, at } = place;
  const last = { replied_seq: seq, replied_at: at };
  await retryContended(() =>
    followedThreads.bulkWrite(
      [
        {
          updateOne: {
            filter: { _id: { thread, user } },
            update: { $set: { room }, $max: { seq, ...last }, $unset: { is_unread: '', is_left: '' } },
            upsert: true,
          },
        },
        ...(beganBy.equals(user)
          ? []
          : [{ updateOne: { filter: { _id: { thread, user: beganBy } }, update: { $set: { room } }, upsert: true } }]),
        ...mentions.filter((one) => !one.equals(user)).map((one) => mention({ thread, room, seq, user: one })),
        {
          updateMany: {
            filter: { '_id.thread': thread, '_id.user': { $ne: user }, is_left: { $exists: false } },
            update: { $max: last, $set: { is_unread: true as const } },
          },
        },
      ],
      { ordered: true },
    ),
  );
}

type Mention = { thread: ObjectId; room: ObjectId; seq: number; user: ObjectId };

const mention = ({ thread, room, seq, user }: Mention) => ({
  updateOne: {
    filter: { _id: { thread, user } },
    update: { $set: { room }, $max: { mentioned_seq: seq }, $unset: { is_left: '' as const } },
    upsert: true,
  },
});

/** Has users whom an edit mentions in a reply at a `seq` follow its thread. */
export async function followMentioned(
  { thread, room, seq, at }: { thread: ObjectId; room: ObjectId; seq: number; at: Date },
  mentions: ObjectId[],
): Promise<void> {
  if (mentions.length === 0) return;
  const unread = {
    updateMany: {
      filter: {
        '_id.thread': thread,
        '_id.user': { $in: mentions },
        $or: [{ seq: { $exists: false } }, { seq: { $lt: seq } }],
      },
      update: { $max: { replied_seq: seq, replied_at: at }, $set: { is_unread: true as const } },
    },
  };
  const all = [...mentions.map((user) => mention({ thread, room, seq, user })), unread];
  await retryContended(() => followedThreads.bulkWrite(all, { ordered: true }));
}

/** How many unread threads of a user are counted at most, in all rooms together. */
const mostUnreadThreads = 1_000;

/** How many threads with unread replies a user follows in each room, by its id in hexadecimal. */
export async function countUnreadThreads(user: ObjectId): Promise<Map<string, number>> {
  const found = await followedThreads
    .find(
      { '_id.user': user, is_unread: true },
      { projection: { room: 1 }, limit: mostUnreadThreads, batchSize: mostUnreadThreads },
    )
    .toArray();
  const counts = new Map<string, number>();
  for (const { room } of found) counts.set(room.toHexString(), (counts.get(room.toHexString()) ?? 0) + 1);
  return counts;
}

/** Forgets which threads a user follows. */
export async function forgetThreads(user: ObjectId): Promise<void> {
  await followedThreads.deleteMany({ '_id.user': user });
}
