import type { Filter, ObjectId } from 'mongodb';
import type { MessageDocument } from '../collections/rooms/messages.ts';
import { type NotificationDocument, notifications } from '../collections/rooms/notifications.ts';
import { type FollowedThreadDocument, followedThreads } from '../collections/rooms/threads.ts';
import type { Caller } from '../identity/caller.ts';
import { type AuthoredMessage, findAuthored } from '../messages/messages.ts';
import { newestFirst, type Place } from '../messages/search/find-matches.ts';

/** A row of the list, before the caller's permission is checked. */
export type Row = { place: Place } & (
  | { kind: 'mention'; message: AuthoredMessage }
  | { kind: 'reply'; thread: FollowedThreadDocument }
  | { kind: 'noted'; noted: NotificationDocument }
);

type ListQuery = { since: Date; after?: Place | undefined; count: number; isUnread?: true };

/** The first rows after a cursor, from all sources of the list. */
export async function findRows({ since, after, count, isUnread }: ListQuery, { user: { _id: me } }: Caller): Promise<Row[]> {
  const options = { limit: count, batchSize: count + 1 };
  const [mentions, threads, noted] = await Promise.all([
    findAuthored<AuthoredMessage>(
      { mentions: me, user: { $ne: me }, deleted_at: null, ...within<MessageDocument>('created_at', 'seq', since, after) },
      [{ $sort: { created_at: -1, room: -1, seq: -1 } }, { $limit: count }],
    ),
    followedThreads
      .find(
        {
          '_id.user': me,
          is_left: { $exists: false },
          ...(isUnread && { is_unread: true as const }),
          ...within<FollowedThreadDocument>('replied_at', 'replied_seq', since, after),
        },
        { ...options, sort: { replied_at: -1, room: -1, replied_seq: -1 } },
      )
      .toArray(),
    notifications
      .find(
        { '_id.user': me, ...within<NotificationDocument>('at', 'seq', since, after) },
        { ...options, sort: { at: -1, room: -1, seq: -1 } },
      )
      .toArray(),
  ]);
  const rows: Row[] = [
    ...mentions.map((message) => ({ kind: 'mention' as const, place: placeOf(message, message.created_at), message })),
    ...threads.map((thread) => ({
      kind: 'reply' as const,
      place: placeOf({ room: thread.room, seq: thread.replied_seq }, thread.replied_at),
      thread,
    })),
    ...noted.map((one) => ({ kind: 'noted' as const, place: placeOf(one, one.at), noted: one })),
  ];
  return rows.sort((one, other) => newestFirst(one.place, other.place)).slice(0, count);
}

const placeOf = ({ room, seq }: { room: ObjectId; seq: number }, created_at: Date): Place => ({ created_at, room, seq });

/**
 * The condition for entries since a time and after a cursor. The bound lets the index be used; the
 * rest orders entries of the same time.
 */
const within = <T>(time: string, seq: string, since: Date, after: Place | undefined): Filter<T> =>
  ({
    [time]: { $gte: since, ...(after && { $lte: after.created_at }) },
    ...(after && {
      $or: [
        { [time]: { $lt: after.created_at } },
        { room: { $lt: after.room } },
        { room: after.room, [seq]: { $lt: after.seq } },
      ],
    }),
  }) as Filter<T>;
