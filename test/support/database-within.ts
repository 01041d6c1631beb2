import { database } from '../../lib/database/client.ts';
import { databaseIsWithinThisProcess } from '../../lib/database/within-process.ts';
import { storeNotes } from '../../lib/rooms/notes.ts';
import { useConfig, useOwnDatabase } from './config.ts';
import { embeddedUri, type GotCommand, lastChange, startDatabase, watchers } from './worker.ts';

/* For tests of the database within the process, as `npm run serve` has it. */

export type { GotCommand } from './worker.ts';

/**
 * Gives the test file an empty database within this process, also if the other tests use another one. For tests of what
 * the service knows about such a database.
 */
export async function useDatabaseWithin(): Promise<void> {
  useConfig({ MONGODB_URI: embeddedUri });
  useOwnDatabase();
  await startDatabase();
  databaseIsWithinThisProcess(lastChange);
}

/** The commands that the database gets while `work` runs; for tests that do nothing else meanwhile. */
export async function commandsGot(work: () => Promise<unknown>): Promise<GotCommand[]> {
  // What was noted before is written up to 250 ms later, and would be taken for a command of this work.
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
 * Does work for which nothing is remembered: it seems that everything changes all the time, but for the epoch, which
 * would be believed for some seconds.
 */
export async function afresh<T>(work: () => Promise<T>): Promise<T> {
  databaseIsWithinThisProcess((db, name) => (name === 'epochs' ? lastChange(db, name) : undefined));
  return work().finally(() => databaseIsWithinThisProcess(lastChange));
}
