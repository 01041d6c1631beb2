import { ObjectId } from 'mongodb';
import { limits } from '../api/limits.ts';
import { withDeadline } from '../base/deadline.ts';
import { unexpiredWithin } from '../collections/accounts/tokens.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { serverNotices } from '../collections/service/server-notices.ts';
import { servers } from '../collections/service/servers.ts';
import { insertWithTimes, retryContended } from '../database/writes.ts';
import type { ServerNotice } from '../notices/notices.ts';

/*
 * How servers that share a database hear of each other: each registers in it, and those on which somebody is
 * connected read there how far their rooms have come, which is stored with every message anyway, and what the others
 * have noted for them besides.
 */

/**
 * For how many milliseconds a server counts after it has registered last: it does not say when it ends, but serves on
 * for a while.
 */
const presence = 30_000;

/** For how many milliseconds a notice can be read. */
const noticeLife = 60_000;

/**
 * The milliseconds by which a change may be seen later than its date, which is when its update began. The sweep finds
 * changes that come later still.
 */
const latestArrival = 5_000;

/** Registers a process of a server. Returns the database's time and how many processes of other servers there are. */
export const register = (_id: string, server: string): Promise<{ now: Date; others: number }> =>
  inTime(async () => {
    const present = [{ $set: { server, expires_at: { $add: ['$$NOW', presence] } } }];
    const [own, others] = await Promise.all([
      retryContended(() => servers.findOneAndUpdate({ _id }, present, { upsert: true, returnDocument: 'after' })),
      servers.countDocuments({ server: { $ne: server }, ...unexpiredWithin(presence) }),
    ]);
    return { now: new Date((own?.expires_at.getTime() ?? 0) - presence), others };
  });

/** How far those of these rooms are that have moved since a time, by the database's clock, and some that moved shortly before. */
export const readMovedSince = (time: Date, ids: string[]): Promise<Map<string, number>> =>
  inTime(async () => {
    const found = await rooms
      .find<{ _id: ObjectId; seq: number }>(
        { _id: { $in: ids.map((id) => new ObjectId(id)) }, changed_at: { $gt: new Date(time.getTime() - latestArrival) } },
        { projection: { seq: 1 }, batchSize: ids.length + 1 },
      )
      .toArray();
    return new Map(found.map(({ _id, seq }) => [_id.toHexString(), seq]));
  });

/** Notes what the other servers are to be told. */
export const storeNotices = (server: string, notices: ServerNotice[]): Promise<unknown> =>
  inTime(() =>
    insertWithTimes(serverNotices, { server, notices: JSON.stringify(notices) }, { expires_at: { $add: ['$$NOW', noticeLife] } }),
  );

/** The notices of other servers since a time, by the database's clock, and some that they noted shortly before. */
export const readNoticesSince = (time: Date, server: string): Promise<{ id: string; notices: ServerNotice[] }[]> =>
  inTime(async () => {
    const since = new Date(time.getTime() + noticeLife - latestArrival);
    const found = await serverNotices
      .find({ expires_at: { $gt: since }, server: { $ne: server } }, { sort: { expires_at: 1 } })
      .toArray();
    return found.map(({ _id, notices }) => ({ id: _id.toHexString(), notices: JSON.parse(notices) }));
  });

// Nobody's request, but no call may take longer than one.
const inTime = <T>(read: () => Promise<T>): Promise<T> => withDeadline(performance.now() + limits.requestTime, read);
