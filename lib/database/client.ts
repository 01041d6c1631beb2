import { setTimeout as delay } from 'node:timers/promises';
import {
  type Collection,
  type Document,
  type Filter,
  MongoBulkWriteError,
  MongoClient,
  type MongoClientOptions,
  MongoDriverError,
  MongoNetworkError,
  MongoServerError,
  MongoServerSelectionError,
  ObjectId,
  type WithId,
} from 'mongodb';
import { config } from '../config.ts';
import { fulfilled, togetherBy } from './batching.ts';
import './driver-fix.ts';

/**
 * Every stage of a database call has its own limit, so that no call outlasts a request.
 * `timeoutMS` is not used: before driver 7.8.0 it could hand one caller's answer to another (CVE-2026-119179), since then it does nothing.
 */
export const clientOptions = {
  appName: 'chat-service',
  maxPoolSize: config.mongodbPoolSize,
  minPoolSize: 0,
  maxIdleTimeMS: 60_000,
  serverSelectionTimeoutMS: 3_000,
  connectTimeoutMS: 3_000,
  socketTimeoutMS: 4_000,
  // A function has one request at a time. A process that serves many at once, and has the larger pool for it, lets them queue.
  waitQueueTimeoutMS: config.mongodbPoolSize > 5 ? 5_000 : 1_000,
  retryWrites: true,
  retryReads: true,
  writeConcern: { w: 'majority', journal: true },
  readConcern: { level: 'majority' },
  ignoreUndefined: true,
} as const satisfies MongoClientOptions;

/** The one client of this process; it connects with the first call, and again after a failure. */
export const client = new MongoClient(config.mongodbUri, clientOptions);

/** The service's database. */
export const database = client.db(config.mongodbDatabase);

/** Whether an error says that the database is out of reach or too slow, rather than that a call was wrong. */
export function isDatabaseUnavailable(error: unknown): boolean {
  if (isSocketError(error)) return true;
  if (error instanceof MongoServerSelectionError || error instanceof MongoNetworkError) return true;
  if (error instanceof MongoDriverError && unavailableNames.has(error.name)) return true;
  return (
    error instanceof MongoServerError && (unavailableCodes.has(Number(error.code)) || error.hasErrorLabel('RetryableWriteError'))
  );
}

/** Whether a write was refused because a unique index already holds its key. */
export function isDuplicateKey(error: unknown): error is MongoServerError {
  return error instanceof MongoServerError && error.code === 11_000;
}

/** How each write of an unordered bulk went, of which one may fail and the others not. */
export async function writtenTogether(count: number, bulk: Promise<unknown>): Promise<PromiseSettledResult<void>[]> {
  const results: PromiseSettledResult<void>[] = Array.from({ length: count }, () => fulfilled(undefined));
  try {
    await bulk;
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    // The driver wraps what breaks on the way alike: what no server has said has no code.
    if (failures.length === 0) throw error.code === undefined ? new MongoNetworkError(error.message, { cause: error }) : error;
    for (const { index, err } of failures) results[index] = { status: 'rejected', reason: new MongoServerError(err) };
  }
  return results;
}

/** The name of the unique index that refused a write; undefined when that was not why it failed. The message always has it, `keyPattern` may be missing. */
export function duplicateIn(error: unknown): string | undefined {
  return isDuplicateKey(error) ? / index: (.+?) (?:collation: .+? )?dup key: /.exec(error.message)?.[1] : undefined;
}

/**
 * Makes an update again for as long as it fails for no other reason than that others change the same document at the same moment: MongoDB
 * may refuse one of two upserts of one key, which then finds it there, and DocumentDB, which stands in for it in tests and
 * elsewhere, forgets `$$NOW` when it evaluates an update anew.
 */
export async function retryContended<T>(update: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await update();
    } catch (error) {
      const isContended = isDuplicateKey(error) || (error instanceof MongoServerError && /\$\$NOW/.test(error.message));
      if (!isContended || tries === 50) throw error;
      await delay(10 * Math.random());
    }
  }
}

/**
 * For inserts of which a unique index lets one in: those under one key are made one after the other. MongoDB does not mind them all at once,
 * but DocumentDB lets many of them wait for each other, and ends one such wait a second (`deadlock_timeout` of PostgreSQL).
 * When the database can't be reached, those behind are not tried.
 */
export const oneByOne = <T>(): ((key: string, insert: () => Promise<T>) => Promise<T>) =>
  togetherBy<() => Promise<T>, T>(async (inserts) => {
    const results: PromiseSettledResult<T>[] = [];
    for (const insert of inserts) {
      const last = results.at(-1);
      const isDown = last?.status === 'rejected' && isDatabaseUnavailable(last.reason);
      results.push(...(isDown ? [last] : await Promise.allSettled([insert()])));
    }
    return results;
  });

/**
 * Inserts a document with times of the database's clock: `times` are expressions such as `'$$NOW'`. Returns it as it was stored.
 * An update that inserts, because a plain insert knows no `$$NOW`; what was typed stands in `$literal`, where no `$` has a meaning.
 */
export async function insertWithTimes<T extends Document>(
  collection: Collection<T>,
  document: Record<string, unknown>,
  times: Record<string, unknown>,
): Promise<WithId<T>> {
  const insert = [{ $replaceWith: { $mergeObjects: ['$$ROOT', { $literal: document }, times] } }];
  const filter = { _id: new ObjectId() } as Filter<T>;
  const stored = await collection.findOneAndUpdate(filter, insert, { upsert: true, returnDocument: 'after' });
  if (!stored) throw new Error('An upsert gave nothing back');
  return stored;
}

// A socket that ended just before the driver wrote to it: the driver passes the error of the system on as it is.
const isSocketError = (error: unknown) =>
  error instanceof Error &&
  'code' in error &&
  ['EPIPE', 'ECONNRESET', 'ERR_STREAM_DESTROYED', 'ERR_STREAM_WRITE_AFTER_END'].includes(String(error.code));

// Of a pool that is full or was cleared, and of a first connection that failed while others waited for it; not all classes are exported.
const unavailableNames = new Set([
  'MongoWaitQueueTimeoutError',
  'MongoPoolClosedError',
  'MongoServerClosedError',
  'MongoTopologyClosedError',
  'MongoNotConnectedError',
  'MongoClientClosedError',
]);

// MaxTimeMSExpired, ShutdownInProgress, NotWritablePrimary, Interrupted..., PrimarySteppedDown, ExceededTimeLimit, NotPrimary...
const unavailableCodes = new Set([50, 91, 189, 262, 10_107, 11_600, 11_602, 13_435, 13_436]);
