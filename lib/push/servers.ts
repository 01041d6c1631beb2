import { ObjectId } from 'mongodb';
import { limits } from '../api/limits.ts';
import { withDeadline } from '../base/deadline.ts';
import { unexpiredWithin } from '../collections/accounts/tokens.ts';
import { rooms } from '../collections/rooms/rooms.ts';
import { serverNotices } from '../collections/service/server-notices.ts';
import { servers } from '../collections/service/servers.ts';
import { retryContended } from '../database/engines.ts';
import { insertWithTimes } from '../database/writes.ts';
import type { ServerNotice } from '../notices/notices.ts';

/*
 * Exchanges notices between servers that share a database. Each server registers in the database.
 * Servers with connected clients read the positions of their rooms, which are stored with every
 * message, and the notices that other servers have stored.
 */

/**
 * How long a registration lasts. A server does not deregister, because it continues to serve for a
 * while.
 */
const presenceMs = 30_000;

/** How long a notice can be read. */
const noticeLifeMs = 60_000;

/**
 * The longest delay between a change's date, which is when its update began, and its visibility.
 * The sweep finds later changes.
 */
const latestArrivalMs = 5_000;

/**
 * Registers a process of a server. Returns the database's time and the number of processes of other
 * servers.
 */
export const register = (_id: string, server: string): Promise<{ now: Date; others: number }> =>
  inTime(async () => {
    const present = [{ $set: { server, expires_at: { $add: ['$$NOW', presenceMs] } } }];
    const [own, others] = await Promise.all([
      retryContended(() => servers.findOneAndUpdate({ _id }, present, { upsert: true, returnDocument: 'after' })),
      servers.countDocuments({ server: { $ne: server }, ...unexpiredWithin(presenceMs) }),
    ]);
    return { now: new Date((own?.expires_at.getTime() ?? 0) - presenceMs), others };
  });

/**
 * The positions of those rooms that changed since a time, by the database's clock. Includes some
 * that changed shortly before.
 */
export const readMovedSince = (time: Date, ids: string[]): Promise<Map<string, number>> =>
  inTime(async () => {
    const found = await rooms
      .find<{ _id: ObjectId; seq: number }>(
        { _id: { $in: ids.map((id) => new ObjectId(id)) }, changed_at: { $gt: new Date(time.getTime() - latestArrivalMs) } },
        { projection: { seq: 1 }, batchSize: ids.length + 1 },
      )
      .toArray();
    return new Map(found.map(({ _id, seq }) => [_id.toHexString(), seq]));
  });

/** Stores notices for the other servers. */
export const storeNotices = (server: string, notices: ServerNotice[]): Promise<unknown> =>
  inTime(() =>
    insertWithTimes(
      serverNotices,
      { server, notices: JSON.stringify(notices) },
      { expires_at: { $add: ['$$NOW', noticeLifeMs] } },
    ),
  );

/**
 * The notices of other servers since a time, by the database's clock. Includes some that were
 * stored shortly before.
 */
export const readNoticesSince = (time: Date, server: string): Promise<{ id: string; notices: ServerNotice[] }[]> =>
  inTime(async () => {
    const since = new Date(time.getTime() + noticeLifeMs - latestArrivalMs);
    const found = await serverNotices
      .find({ expires_at: { $gt: since }, server: { $ne: server } }, { sort: { expires_at: 1 } })
      .toArray();
    return found.map(({ _id, notices }) => ({ id: _id.toHexString(), notices: JSON.parse(notices) }));
  });

// This is not part of a request, but has the same time limit.
const inTime = <T>(read: () => Promise<T>): Promise<T> => withDeadline(performance.now() + limits.requestTime, read);
