import {
  type Collection,
  type Document,
  type Filter,
  MongoBulkWriteError,
  MongoNetworkError,
  MongoServerError,
  ObjectId,
  type OptionalUnlessRequiredId,
  type WithId,
} from 'mongodb';
import { fulfilled } from './batching.ts';
import { timeOfCall } from './bounded.ts';
import { database } from './client.ts';
import { isDuplicateKey } from './failures.ts';
import { isWithinProcess } from './within-process.ts';

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
 * Inserts documents, and returns the outcome of each: a unique index may refuse some of them. A
 * database within this process gets a plain command: `insertMany` would encode each document twice,
 * only to be able to retry.
 */
export async function insertEach<T extends Document>(
  collection: Pick<Collection<T>, 'collectionName' | 'insertMany'>,
  documents: OptionalUnlessRequiredId<T>[],
): Promise<PromiseSettledResult<void>[]> {
  if (!isWithinProcess() || documents.length > mostInCommand)
    return outcomesOf(documents.length, collection.insertMany(documents, { ordered: false }));
  const maxTimeMS = timeOfCall();
  const command = {
    insert: collection.collectionName,
    documents,
    ordered: false,
    writeConcern: { w: 'majority', j: true },
    ...(maxTimeMS !== undefined && { maxTimeMS }),
  };
  const { writeErrors = [] } = await database.command(command, { ignoreUndefined: true });
  const results: PromiseSettledResult<void>[] = documents.map(() => fulfilled(undefined));
  for (const error of writeErrors) results[error.index] = { status: 'rejected', reason: new MongoServerError(error) };
  return results;
}

/** The most documents of a plain command, so that it stays far below 16 MB. */
const mostInCommand = 32;

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

/** Inserts a document, unless its `_id` or another unique key is stored. Returns true if it did. */
export async function insertUnlessStored<T extends Document>(
  collection: Pick<Collection<T>, 'insertOne'>,
  document: OptionalUnlessRequiredId<T>,
): Promise<boolean> {
  try {
    await collection.insertOne(document);
    return true;
  } catch (error) {
    if (isDuplicateKey(error)) return false;
    throw error;
  }
}
