import { existsSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { usualUri } from 'embedded-mongodb/address';
import { databaseFileName, readHolder } from 'embedded-mongodb/holder';
import { launchDatabase } from 'embedded-mongodb/launch';
import { defaultFiles } from '../lib/settings/settings.ts';

/** The database of a command. The command closes it at its end. */
type OpenDatabase = { close: () => Promise<void> };

/**
 * Sets MONGODB_URI, unless it is set, to the embedded database in DATA_DIR. If the database does
 * not run, it is started and ends with the command. Only commands with `mayMake` create a database
 * in an empty directory.
 */
export async function openDatabase(mayMake: boolean): Promise<OpenDatabase> {
  const directory = dataDirectory();
  process.env.FILES ||= defaultFiles(process.env);
  if (process.env.MONGODB_URI && !isPointed) return { close: async () => {} };
  if (!mayMake) requireDatabase(directory);
  const running: FoundDatabase = readHolder(directory) ?? (await startOrJoin(directory));
  const { uri, close = async () => {} } = running;
  process.env.MONGODB_URI = uri;
  return { close };
}

/** The directory of the embedded database. */
export const dataDirectory = (): string => process.env.DATA_DIR?.trim() || './data';

function requireDatabase(directory: string): void {
  if (existsSync(join(directory, databaseFileName))) return;
  throw new Error(
    `No database found in ${directory}. Set DATA_DIR to the directory of the database, or MONGODB_URI to a connection string.`,
  );
}

let isPointed = false;

/**
 * Sets MONGODB_URI to the address of the embedded database in DATA_DIR, which may be opened later.
 */
export function pointToDatabase(): void {
  if (process.env.MONGODB_URI)
    throw new Error('Only an embedded database can be read without its damaged documents: leave out --skip-damaged.');
  const directory = dataDirectory();
  process.env.FILES ||= defaultFiles(process.env);
  requireDatabase(directory);
  process.env.MONGODB_URI = readHolder(directory)?.uri ?? usualUri(directory);
  isPointed = true;
}

type FoundDatabase = { uri: string; close?: () => Promise<void> };

/** Starts the database, unless another command has just started it. */
async function startOrJoin(dataDir: string): Promise<FoundDatabase> {
  try {
    const database = await launchDatabase({ dataDir });
    // A database that hangs in a damaged file does not notice that this process has ended.
    process.once('exit', database.closeNow);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.once(signal, () => process.exit(128 + constants.signals[signal]));
    return database;
  } catch (error) {
    const holder = readHolder(dataDir);
    if (!holder) throw error;
    return holder;
  }
}
