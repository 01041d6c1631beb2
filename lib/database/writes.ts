import {
  type Collection,
  type Document,
  type Filter,
  MongoBulkWriteError,
  MongoNetworkError,
  MongoServerError,
  ObjectId,
  type WithId,
} from 'mongodb';
import { attempt } from '../base/deadline.ts';
import { batchByKey, fulfilled } from './batching.ts';
import { isDatabaseUnavailable, isDuplicateKey } from './failures.ts';

// How many documents one command deletes or changes. It is small, so that other calls do not wait
// long.
const batchSize = 500;

/**
 * Deletes or changes all documents that match a filter, batch by batch. `write` gets the filter of
 * a batch. After it, the documents of the batch must no longer match.
 */
export async function inBatches<T extends Document>(
  collection: Collection<T>,
  matching: Filter<T>,
  write: (some: Filter<T>) => Promise<unknown>,
): Promise<void> {
  let found: number;
  do {
    const ids = await collection.find(matching, { projection: { _id: 1 }, limit: batchSize, batchSize }).toArray();
    found = ids.length;
    if (found > 0) await write({ _id: { $in: ids.map(({ _id }) => _id) } } as Filter<T>);
  } while (found === batchSize);
}

/**
 * The outcome of each of the `count` writes of an unordered bulk, in which some writes may fail.
 */
export async function outcomesOf(count: number, bulk: Promise<unknown>): Promise<PromiseSettledResult<void>[]> {
  const results: PromiseSettledResult<void>[] = Array.from({ length: count }, () => fulfilled(undefined));
  try {
    await bulk;
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    // The driver wraps network errors in the same class. Only errors that a server reported have a
    // code.
    if (failures.length === 0) throw error.code === undefined ? new MongoNetworkError(error.message, { cause: error }) : error;
    for (const { index, err } of failures) results[index] = { status: 'rejected', reason: new MongoServerError(err) };
  }
  return results;
}

/**
 * Retries an update that fails only because of a concurrent update of the same document. MongoDB
 * may refuse one of two concurrent upserts of a key; on a retry, it finds the document. DocumentDB,
 * which is used in tests instead of MongoDB, loses `$$NOW` when it evaluates an update a second
 * time.
 */
export async function retryContended<T>(update: () => Promise<T>): Promise<T> {
  const { result } = await attempt({ milliseconds: longestContention, pause: contentionPause }, async () => {
    try {
      return { result: await update() };
    } catch (error) {
      const isContended = isDuplicateKey(error) || (error instanceof MongoServerError && /\$\$NOW/.test(error.message));
      if (!isContended) throw error;
      return undefined;
    }
  });
  return result;
}

/** How long a contended update is retried, in milliseconds. */
const longestContention = 3_000;

/** The pause grows, so that many processes do not keep each other from the document. */
const contentionPause = (count: number) => Math.min(5 * count, 100) * Math.random();

/**
 * Runs inserts that compete for one key of a unique index, one after the other for each key.
 * MongoDB handles them concurrently. DocumentDB lets them deadlock, and resolves one deadlock per
 * second (`deadlock_timeout` of PostgreSQL). If one insert cannot reach the database, the ones
 * after it fail without a try.
 */
export const serializeByKey = <T>(): ((key: string, insert: () => Promise<T>) => Promise<T>) =>
  batchByKey<() => Promise<T>, T>(async (inserts) => {
    const results: PromiseSettledResult<T>[] = [];
    for (const insert of inserts) {
      const last = results.at(-1);
      const isDown = last?.status === 'rejected' && isDatabaseUnavailable(last.reason);
      results.push(...(isDown ? [last] : await Promise.allSettled([insert()])));
    }
    return results;
  });

/**
 * Inserts a document with times of the database's clock, and returns the stored document. `times`
 * are expressions such as `'$$NOW'`. It is an upsert, because a plain insert cannot use `$$NOW`.
 * `$literal` protects user texts that contain a `$`. The document gets a new `_id` unless it has
 * one.
 */
export async function insertWithTimes<T extends Document>(
  collection: Pick<Collection<T>, 'findOneAndUpdate'>,
  { _id = new ObjectId(), ...document }: Record<string, unknown>,
  times: Record<string, unknown>,
): Promise<WithId<T>> {
  const insert = [{ $replaceWith: { $mergeObjects: ['$$ROOT', { $literal: document }, times] } }];
  const filter = { _id } as Filter<T>;
  const stored = await collection.findOneAndUpdate(filter, insert, { upsert: true, returnDocument: 'after' });
  if (!stored) throw new Error('An upsert returned no document');
  return stored;
}
