import type { ObjectId } from 'mongodb';
import { describeError, log } from '../base/log.ts';
import { messages } from '../collections/rooms/messages.ts';
import { type FollowedThreadDocument, followedThreads } from '../collections/rooms/threads.ts';
import { retryContended } from '../database/engines.ts';
import { config } from '../settings/config.ts';
import type { Place } from './sequence.ts';

/**
 * A reply that is about to be stored at its place: in which thread, who began that, and who is
 * mentioned.
 */
type Reply = { thread: ObjectId; beganBy: ObjectId; place: Place; user: ObjectId; mentions: ObjectId[] };

/**
 * Marks a thread as unread for its followers before a reply is stored, so that nobody misses one.
 * If the reply is then not stored, the followers find a thread without unread replies.
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
            update: { $set: { room }, $max: { seq, ...last }, $unset: { ...withoutUnread, is_left: '' } },
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

/** The fields that an update removes once the follower has read the thread. */
export const withoutUnread = { is_unread: '', may_be_read: '' } as const;

/**
 * Records for the followers of a thread that a reply is about to be deleted. It may be the only
 * unread one.
 */
export async function doubtUnread(thread: ObjectId): Promise<void> {
  await followedThreads.updateMany({ '_id.thread': thread, is_unread: true }, { $set: { may_be_read: true } });
}

/**
 * How many replies of others the follower of a thread has not read, deleted ones aside, up to a
 * number.
 */
export async function countUnreadReplies(row: FollowedThreadDocument, most: number): Promise<number> {
  const { room, _id, is_unread, may_be_read } = row;
  if (!is_unread) return 0;
  const news = { room, thread: _id.thread, seq: { $gt: firstUnread(row) }, user: { $ne: _id.user }, deleted_at: null };
  const count = await messages.countDocuments(news, { limit: most });
  if (count === 0 && may_be_read) void settle(row);
  return count;
}

// For a follower who has never read the thread, the replies since a mention count, or all.
const firstUnread = ({ seq, mentioned_seq: mentioned }: FollowedThreadDocument) => seq ?? (mentioned ?? 1) - 1;

/**
 * Marks a thread without unread replies as read, once no reply can arrive at or before its last
 * place. `tellFollowers()` runs before the reply exists. Nobody waits for this: if it fails, the
 * next reader tries again.
 */
async function settle({ _id, replied_seq, replied_at }: FollowedThreadDocument): Promise<void> {
  if (replied_at.getTime() > Date.now() - 2 * config.feedPatience) return;
  try {
    await followedThreads.updateOne({ _id, replied_seq, may_be_read: true }, { $unset: withoutUnread });
  } catch (error) {
    log('debug', 'a thread was not marked as read', { error: describeError(error) });
  }
}

/** True if a thread that is marked as unread has an unread reply. */
export const isReallyUnread = async (row: FollowedThreadDocument): Promise<boolean> =>
  !row.may_be_read || (await countUnreadReplies(row, 1)) > 0;

/** How many unread threads of a user are counted at most, in all rooms together. */
const mostUnreadThreads = 1_000;

/** The most threads with a deleted reply that one count reads. Further ones count as unread. */
const mostDoubted = 100;

/** How many threads with unread replies a user follows in each room, by its id in hexadecimal. */
export async function countUnreadThreads(user: ObjectId): Promise<Map<string, number>> {
  const options = { limit: mostUnreadThreads, batchSize: mostUnreadThreads };
  const marked = await followedThreads.find({ '_id.user': user, is_unread: true }, options).toArray();
  const doubted = marked.filter(({ may_be_read }) => may_be_read).slice(0, mostDoubted);
  const areUnread = await Promise.all(doubted.map(isReallyUnread));
  const read = new Set(doubted.filter((_, index) => !areUnread[index]));
  const counts = new Map<string, number>();
  for (const row of marked) {
    const room = row.room.toHexString();
    if (!read.has(row)) counts.set(room, (counts.get(room) ?? 0) + 1);
  }
  return counts;
}

/** Forgets which threads a user follows. */
export async function forgetThreads(user: ObjectId): Promise<void> {
  await followedThreads.deleteMany({ '_id.user': user });
}
