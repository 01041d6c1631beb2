import { database } from '../../lib/database/client.ts';
import { databaseIsWithinThisProcess } from '../../lib/database/within-process.ts';
import { storeNotes } from '../../lib/rooms/notes.ts';
import { useConfig, useOwnDatabase } from './config.ts';
import { embeddedUri, type GotCommand, lastChange, startDatabase, watchers } from './worker.ts';

/* Helpers for tests of the database in the same process, as in `npm run serve`. */

export type { GotCommand } from './worker.ts';

/**
 * Gives the test file an empty database in this process, even if the other tests use another one.
 * It is for tests of features that need such a database.
 */
export async function useDatabaseWithin(): Promise<void> {
  useConfig({ MONGODB_URI: embeddedUri });
  useOwnDatabase();
  await startDatabase();
  databaseIsWithinThisProcess(lastChange);
}

/**
 * The commands that the database gets while `work` runs. The test must not do anything else at that
 * time.
 */
export async function commandsGot(work: () => Promise<unknown>): Promise<GotCommand[]> {
  // Earlier buffered changes are written up to 250 ms later, and would count as commands of this
  // work.
  await storeNotes();
  const got: GotCommand[] = [];
  const watch = (command: GotCommand) => {
    if (command.get('$db') === database.databaseName) got.push(command);
  };
  watchers.add(watch);
  try {
    await work();
  } finally {
    watchers.delete(watch);
  }
  return got;
}

/**
 * Runs work without caches: every collection seems to change all the time, except the epoch, which
 * is cached for some seconds.
 */
export async function afresh<T>(work: () => Promise<T>): Promise<T> {
  databaseIsWithinThisProcess((db, name) => (name === 'epochs' ? lastChange(db, name) : undefined));
  return work().finally(() => databaseIsWithinThisProcess(lastChange));
}
