import { afterAll, inject } from 'vitest';
import { startWithin } from './start-within.ts';

/*
 * Imported first, by tests of what is different where the database is within the process, as `npm run serve` has it: it gives their file such
 * a database of its own.
 */

/** A command that the database got: the names of its fields, the command's own first, and what they are. */
export type GotCommand = ReadonlyMap<string, unknown>;

const got: GotCommand[] = [];
const { running, stop, lastChange } = await startWithin(inject('emptyDataDir'), {
  intercept: (handle) => (message, connection, done) => {
    got.push(message.body);
    handle(message, connection, done);
  },
});
process.env.MONGODB_URI = running.uri;

// Only now: the settings are read when the service is loaded.
const { databaseIsWithinThisProcess } = await import('../../lib/database/within-process.ts');
const { storeNotes } = await import('../../lib/rooms/notes.ts');

afterAll(stop);

/** The commands that the database gets while `work` runs; for tests that do nothing else meanwhile. */
export async function commandsGot(work: () => Promise<unknown>): Promise<GotCommand[]> {
  // What was noted before is written up to 250 ms later, and would be taken for a command of this work.
  await storeNotes();
  const before = got.length;
  await work();
  return got.slice(before);
}

/**
 * Does work for which nothing is remembered: it seems that everything changes all the time, but for the epoch, which
 * would be believed for some seconds.
 */
export async function afresh<T>(work: () => Promise<T>): Promise<T> {
  databaseIsWithinThisProcess((db, name) => (name === 'epochs' ? lastChange(db, name) : undefined));
  return work().finally(() => databaseIsWithinThisProcess(lastChange));
}
