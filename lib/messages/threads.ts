import type { ObjectId } from 'mongodb';
import type { ListPage, Page } from '../api/pages.ts';
import { about, flag, optional, sequence, type Values } from '../api/parameters.ts';
import { aCount, aFlag, described, record, type Shown } from '../api/schema.ts';
import { invalidParameter } from '../base/errors.ts';
import { messages } from '../collections/rooms/messages.ts';
import { type FollowedThreadDocument, followedThreads } from '../collections/rooms/threads.ts';
import { retryContended } from '../database/engines.ts';
import type { Caller } from '../identity/caller.ts';
import { notify } from '../notices/notices.ts';
import { countUnreadReplies, isReallyUnread, withoutUnread } from '../rooms/followed-threads.ts';
import { type AuthoredMessage, findAuthored, findMessage, noSuchMessage, showAuthored, shownMessage } from './messages.ts';
import { countReplies } from './replies.ts';
import { comingAfter, type Moment, readAcross, writeMoment } from './search/across-rooms.ts';
import { activityText, tellActivity } from './streaming/activity.ts';

/** How many unread replies of a thread are counted at most. */
const mostUnread = 100;

/** A thread as the one who asks follows it. */
export const threadSchema = record('Thread', {
  message: described('The first message of the thread.', shownMessage.schema),
  is_followed: described('Whether the caller follows the thread.', aFlag),
  last_read: described('The last `seq` of the replies that the caller has read.', aCount),
  unread: described(`The replies of others after it that are not deleted, at most ${mostUnread}.`, {
    ...aCount,
    maximum: mostUnread,
  }),
});
export type Thread = Shown<typeof threadSchema>;

/** The changes that can be made to a thread. */
export const threadChanges = {
  last_read: about('The last `seq` of the replies that the caller has read. The marker only moves forward.', optional(sequence)),
  is_followed: about(
    'Whether the caller follows the thread. Users follow threads that they started, replied in or were mentioned in.',
    optional(flag),
  ),
  activity: optional(activityText),
};

export const threadRefusals = [noSuchMessage];

type ThreadsPage = Page<Moment> & { unread?: 'true' | undefined };

/** The threads that the caller follows and may read, the one with the latest reply first. */
export async function listThreads({ limit, after, unread }: ThreadsPage, caller: Caller): Promise<ListPage<Thread>> {
  const mine = { '_id.user': caller.user._id, is_left: { $exists: false }, ...(unread && { is_unread: true as const }) };
  const find = async (last: FollowedPlace | undefined, count: number) => {
    const rows = await followedThreads
      .find(
        { ...mine, ...(last && comingAfter('replied_at', '_id.thread', last)) },
        { sort: { replied_at: -1, '_id.thread': -1 }, limit: count, batchSize: count + 1 },
      )
      .toArray();
    // Deleted messages too: their threads continue.
    const roots = await findAuthored<AuthoredMessage>({ _id: { $in: rows.map(({ _id }) => _id.thread) } }, []);
    const byId = new Map(roots.map((root) => [root._id.toHexString(), root]));
    const isWanted = async (row: FollowedThreadDocument) => !unread || isReallyUnread(row);
    return Promise.all(
      rows.map(async (row) => {
        const { thread: id } = row._id;
        const message = (await isWanted(row)) ? byId.get(id.toHexString()) : undefined;
        return { place: { at: row.replied_at, id, row }, message };
      }),
    );
  };
  const { shown, next } = await readAcross<FollowedPlace>(find, after, limit, caller);
  const items = shown.map(async ({ place, message }) => ({ message, ...(await readingOf(place.row)) }));
  return { items: await Promise.all(items), next: next && writeMoment(next) };
}

type FollowedPlace = Moment & { row?: FollowedThreadDocument };

/** The thread that begins with a message, as the caller follows it or not. */
export async function findThread(thread: ObjectId, caller: Caller): Promise<Thread> {
  const { message } = await findMessage(thread, caller);
  return show(message, await followedThreads.findOne({ _id: { thread, user: caller.user._id } }));
}

/**
 * Changes how far the caller has read a thread, and whether the caller follows it. The caller's
 * other devices are notified. `activity` is for the other members, and is not stored.
 */
export async function changeThread(
  thread: ObjectId,
  { last_read, is_followed, activity }: Partial<Values<typeof threadChanges>>,
  caller: Caller,
): Promise<Thread> {
  const { message, room } = await findMessage(thread, caller);
  if (message.thread) throw invalidParameter('message', 'be the first message of a thread, not a reply');
  if (last_read !== undefined && last_read > room.seq)
    throw invalidParameter('last_read', `be from 0 to ${room.seq}, the room's 'seq'`);
  const _id = { thread, user: caller.user._id };
  if (activity !== undefined) tellActivity(message, room, activity, caller);
  if (last_read === undefined && is_followed === undefined) return show(message, await followedThreads.findOne({ _id }));
  if (is_followed === true) await follow(_id, message);
  if (is_followed === false) await followedThreads.updateOne({ _id }, { $set: { is_left: true }, $unset: withoutUnread });
  if (last_read !== undefined) {
    await followedThreads.updateOne({ _id }, { $max: { seq: last_read } });
    await followedThreads.updateOne({ _id, replied_seq: { $lte: last_read } }, { $unset: withoutUnread });
  }
  const row = await followedThreads.findOne({ _id });
  const ids = { room: message.room.toHexString(), user: _id.user.toHexString(), thread: thread.toHexString() };
  notify({ type: 'thread', ...ids, seq: row?.seq ?? 0, is_followed: isFollowed(row) });
  return show(message, row);
}

/** Earlier replies count as read. */
async function follow(_id: FollowedThreadDocument['_id'], { room, seq, replied_at, created_at }: AuthoredMessage): Promise<void> {
  const last = await messages.findOne({ room, thread: _id.thread }, { sort: { seq: -1 }, projection: { seq: 1 } });
  const place = last?.seq ?? seq;
  await retryContended(() =>
    followedThreads.updateOne(
      { _id },
      {
        $set: { room },
        $max: { seq: place, replied_seq: place, replied_at: replied_at ?? created_at },
        $unset: { is_left: '' },
      },
      { upsert: true },
    ),
  );
}

const isFollowed = (row: FollowedThreadDocument | null | undefined): boolean => Boolean(row && !row.is_left);

async function show(root: AuthoredMessage, row: FollowedThreadDocument | null): Promise<Thread> {
  const [replies, reading] = await Promise.all([countReplies(root.room, [root]), readingOf(row)]);
  return { message: showAuthored(root, replies), ...reading };
}

/** How far the caller has read a thread. */
async function readingOf(row: FollowedThreadDocument | null | undefined) {
  const unread = row && isFollowed(row) ? await countUnreadReplies(row, mostUnread) : 0;
  return { is_followed: isFollowed(row), last_read: row?.seq ?? 0, unread };
}
