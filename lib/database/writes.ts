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

// How many documents one command deletes or changes: few enough for others not to wait for it.
const batchSize = 500;

/**
 * Deletes or changes, batch by batch, all documents that match a filter. `write` gets the filter of a batch. After
 * it, the documents of the batch must no longer match.
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

/** How each of the `count` writes of an unordered bulk ended: one may fail while the others succeed. */
export async function outcomesOf(count: number, bulk: Promise<unknown>): Promise<PromiseSettledResult<void>[]> {
  const results: PromiseSettledResult<void>[] = Array.from({ length: count }, () => fulfilled(undefined));
  try {
    await bulk;
  } catch (error) {
    if (!(error instanceof MongoBulkWriteError)) throw error;
    const failures = [error.writeErrors].flat();
    // The driver wraps network errors in the same class; only an error that a server has reported has a code.
    if (failures.length === 0) throw error.code === undefined ? new MongoNetworkError(error.message, { cause: error }) : error;
    for (const { index, err } of failures) results[index] = { status: 'rejected', reason: new MongoServerError(err) };
  }
  return results;
}

/**
 * Repeats an update for as long as it fails only because others change the same document at the same moment: MongoDB
 * may refuse one of two upserts of one key, which then finds the document, and DocumentDB, which stands in for
 * MongoDB in tests and elsewhere, loses `$$NOW` when it evaluates an update a second time.
 */
export async function retryContended<T>(update: () => Promise<T>): Promise<T> {
  const { result } = await attempt({ times: 50, pause: () => 10 * Math.random() }, async () => {
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

/**
 * Runs inserts of which a unique index admits one, one after the other for each key. MongoDB takes them all
 * concurrently, but DocumentDB lets many of them wait for each other, and resolves one such deadlock a second
 * (`deadlock_timeout` of PostgreSQL). When one cannot reach the database, those after it are not tried.
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
 * Inserts a document with times of the database's clock: `times` are expressions such as `'$$NOW'`. Returns it as it
 * was stored. It is an update that inserts, because a plain insert knows no `$$NOW`. A text that users typed stands
 * in `$literal`, where `$` has no meaning. The document gets a new `_id` unless it has one.
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
