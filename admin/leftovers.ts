import { randomBytes } from 'node:crypto';
import { rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { databaseFileName, readHolder } from 'embedded-mongodb/holder';
import { openRescue } from 'embedded-mongodb/rescue';
import { explainFailure } from '../lib/base/errors.ts';
import { copyPages } from '../lib/database/backup.ts';
import { type Leftovers, leftoversOf } from '../lib/database/leftovers.ts';
import { expectedIndexes } from '../lib/operating/prepare.ts';
import { config } from '../lib/settings/config.ts';
import type { Streams } from './command.ts';
import { dataDirectory, openDatabase } from './database.ts';
import { print } from './output.ts';

/**
 * Opens the readable rest of the database in DATA_DIR. If a process has the database open, its
 * pages are copied first.
 */
export async function openLeftovers(): Promise<Omit<Leftovers, 'close'> & { close: () => Promise<void> }> {
  const directory = resolve(dataDirectory());
  const isCopy = readHolder(directory) !== undefined;
  // The next start of the database removes a copy with such a name.
  const copy = join(directory, `check.${randomBytes(6).toString('hex')}.partial`);
  if (isCopy) await copyPages(copy);
  const source = isCopy ? copy : directory;
  const before = await stateOf(source);
  const db = config.mongodbDatabase;
  const leftovers = leftoversOf(openRescue(source, { db, indexes: expectedIndexes }), db);
  return {
    ...leftovers,
    async *read(name) {
      yield* leftovers.read(name);
      if ((await stateOf(source)) !== before)
        throw new Error('The database was opened and changed meanwhile: stop the service, and repeat the command.');
    },
    close: async () => {
      leftovers.close();
      if (isCopy) await rm(copy, { recursive: true, force: true });
    },
  };
}

async function stateOf(directory: string): Promise<string> {
  const states = ['', '-wal'].map((suffix) => stat(join(directory, databaseFileName + suffix)).catch(() => undefined));
  return (await Promise.all(states)).map((file) => `${file?.size} ${file?.mtimeMs}`).join(' ');
}

/**
 * Opens the database for some work if its damage permits. Otherwise reports that the audit log
 * lacks an entry.
 */
export async function withDamagedDatabase(stderr: Streams['stderr'], work: () => Promise<unknown>): Promise<void> {
  try {
    const { close } = await openDatabase(false);
    try {
      await work();
    } finally {
      await close();
    }
  } catch (error) {
    print(stderr, `This could not be recorded in the audit log: ${explainFailure(error)}`);
  }
}
