import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, MongoClient } from 'mongodb';
import { clientOptions } from './client.ts';
import { connectionString } from './connection-string.ts';
import { isUnknownCommand } from './failures.ts';

/** How many documents a copy has, by database and collection. */
export type CopyCounts = Record<string, number>;

/**
 * Has the embedded database copy itself into a new directory, by its absolute path, and check the copy, while others
 * go on working.
 */
export const backUp = async (directory: string): Promise<CopyCounts> => (await call({ backup: 1, directory })).documents;

/** Has the embedded database check a copy of itself, document by document, while others go on working. */
export const checkEverything = async (): Promise<CopyCounts> => (await call({ checkCopy: 1 })).documents;

async function call(command: Document): Promise<Document> {
  // A large copy takes longer than any request may.
  const client = new MongoClient(connectionString(), { ...clientOptions(), socketTimeoutMS: 0 });
  const ended = new AbortController();
  try {
    const admin = client.db('admin');
    return await Promise.race([admin.command(command), unansweredPings(ended.signal)]);
  } catch (error) {
    if (isUnknownCommand(error))
      throw new Error('Only the embedded database copies itself: use the backups of your cluster, or export.');
    throw error;
  } finally {
    ended.abort();
    await client.close();
  }
}

/** Rejects when the database has not answered anybody for a minute: a damaged file may have it compute for ever. */
async function unansweredPings(signal: AbortSignal): Promise<never> {
  const client = new MongoClient(connectionString(), clientOptions());
  try {
    for (let since = performance.now(); ; ) {
      await sleep(pingMillis, undefined, { signal });
      const answers = await client
        .db('admin')
        .command({ ping: 1 })
        .then(Boolean, () => false);
      if (answers) since = performance.now();
      else if (performance.now() - since > patienceMillis) throw new Error('The database no longer answers.');
    }
  } finally {
    await client.close();
  }
}

const pingMillis = 5_000;
const patienceMillis = 60_000;
