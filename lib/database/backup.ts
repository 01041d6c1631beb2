import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import { config } from '../settings/config.ts';
import { clientOptions } from './client.ts';
import { isUnknownCommand } from './failures.ts';

/** The number of documents in a copy, by database and collection. */
export type CopyCounts = Record<string, number>;

/** Receives the progress of a copy or a check, in words. */
type Progress = (what: string) => void;

/**
 * Makes the embedded database copy itself to a new directory (an absolute path) and check the copy.
 * It serves other calls meanwhile.
 */
export const backUp = async (directory: string, progress?: Progress): Promise<CopyCounts> =>
  (await call({ backup: 1, directory }, progress)).documents;

/** Makes the embedded database copy its pages, damaged or not, to a new directory. */
export const copyPages = async (directory: string): Promise<void> => void (await call({ backup: 1, directory, unchecked: true }));

/**
 * Makes the embedded database check a copy of itself, document by document. It serves other calls
 * meanwhile.
 */
export const checkEverything = async (progress?: Progress): Promise<CopyCounts> =>
  (await call({ checkCopy: 1 }, progress)).documents;

async function call(command: Document, progress: Progress = () => {}): Promise<Document> {
  // A large copy takes longer than the time limit of a request.
  const client = new MongoClient(config.mongodbUri, { ...clientOptions(), socketTimeoutMS: 0 });
  const ended = new AbortController();
  try {
    const admin = client.db('admin');
    return await Promise.race([admin.command(command), watch(ended.signal, progress)]);
  } catch (error) {
    if (isUnknownCommand(error))
      throw new Error('Only the embedded database copies itself: use the backups of your cluster, or export.');
    throw error;
  } finally {
    ended.abort();
    await client.close();
  }
}

/**
 * Reports the progress. Rejects if the database has not answered for `patienceMillis`: it may hang
 * in a damaged file.
 */
async function watch(signal: AbortSignal, progress: Progress): Promise<never> {
  const client = new MongoClient(config.mongodbUri, clientOptions());
  try {
    for (let since = performance.now(); ; ) {
      await sleep(pauseMillis, undefined, { signal });
      const answer = await client
        .db('admin')
        .command({ fileId: 1 })
        .catch(() => undefined);
      if (answer) since = performance.now();
      else if (performance.now() - since > patienceMillis)
        throw new Error(`The database has not answered for ${patienceMillis / 1_000} seconds. Nothing is known about damage.`);
      if (answer?.copying) progress(answer.copying);
    }
  } finally {
    await client.close();
  }
}

const pauseMillis = 1_000;
const patienceMillis = 25_000;
