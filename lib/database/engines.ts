import { type Collection, type Document, type Filter, MongoServerError } from 'mongodb';
import { attempt } from '../base/deadline.ts';
import { batchByKey } from './batching.ts';
import { isDatabaseUnavailable, isDuplicateKey } from './failures.ts';

/*
 * Workarounds for other databases with MongoDB's protocol. The tests run on one of them,
 * DocumentDB, an extension of PostgreSQL. Each one is also correct on MongoDB.
 */

/**
 * Retries an update that fails only because of a concurrent update of the same document. MongoDB
 * may refuse one of two concurrent upserts of a key; on a retry, it finds the document. DocumentDB
 * loses `$$NOW` when it evaluates an update a second time.
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
 * DocumentDB lets concurrent ones deadlock, and resolves one deadlock per second
 * (`deadlock_timeout` of PostgreSQL). If one insert cannot reach the database, the ones after it
 * fail without a try.
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
 * Deletes the document that a filter with its `_id` matches, and returns true if it existed. The
 * `deleteOne` of DocumentDB may miss a document that is being changed.
 */
export const deleteOnly = async <T extends Document>(
  collection: Pick<Collection<T>, 'deleteMany'>,
  filter: Filter<T>,
): Promise<boolean> => (await collection.deleteMany(filter)).deletedCount > 0;

/**
 * The filter of documents for which none of these expressions are true. DocumentDB looks for an
 * index for each comparison at the top of `$expr`, also within `$and`, and refuses `$$NOW` there.
 */
export const whereNone = (...expressions: Document[]) => ({ $expr: { $not: [{ $or: expressions }] } });
