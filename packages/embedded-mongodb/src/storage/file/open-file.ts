import { closeSync, existsSync, fsyncSync, openSync, readSync, rmSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { removeCutOffChecks } from './backup.ts';
import { isDamage, whatIsDamaged } from './damage.ts';
import { makeDirectory, makePrivate, makePrivateFile } from './directories.ts';
import { databaseFileName, holderFile, isBusy, readAnnounced } from './holder.ts';
import { logName } from './log-reader.ts';
import { sumsName } from './page-sums.ts';
import { sqlite } from './sqlite.ts';
import { DatabaseStartError } from './start-error.ts';
import { explainSystemError } from './system-errors.ts';

/**
 * The only file format that this version reads and writes. A file of another format is rejected and
 * not modified.
 */
const currentFormat = 3;
/** "ChDb": distinguishes our files from other SQLite files. */
const applicationId = 0x43684462;
/** Exists while a new database is being created. Without it, an empty file is an error. */
const markerName = `${databaseFileName}.new`;
/** Time for a process that is exiting to release its database. */
const patienceMillis = 2000;

const schema = `
  CREATE TABLE collections (
    id INTEGER PRIMARY KEY, db TEXT NOT NULL, name TEXT NOT NULL, options BLOB NOT NULL, UNIQUE (db, name)
  );
  CREATE TABLE indexes (
    id INTEGER PRIMARY KEY, collection INTEGER NOT NULL, spec BLOB NOT NULL,
    multikey INTEGER NOT NULL DEFAULT 0, stored_to INTEGER NOT NULL DEFAULT 0
  );
  CREATE TABLE retryable_writes (
    session BLOB PRIMARY KEY, number INTEGER NOT NULL, used INTEGER NOT NULL, results BLOB NOT NULL
  ) WITHOUT ROWID;
`;

/**
 * Opens and locks the database file of a directory. Waits briefly if another process is about to
 * release it.
 */
export async function openPatiently(directory: string): Promise<DatabaseSync> {
  for (const deadline = Date.now() + patienceMillis; ; await setTimeout(50)) {
    try {
      return openLocked(directory);
    } catch (error) {
      if (!isBusy(error) || Date.now() >= deadline) throw startError(error as NodeJS.ErrnoException, directory);
    }
  }
}

function openLocked(directory: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    makeDirectory(directory);
    makePrivate(directory, [databaseFileName, logName, holderFile, sumsName]);
    const marker = join(directory, markerName);
    if (!existsSync(join(directory, databaseFileName))) {
      refuseLost(directory);
      makePrivateFile(marker);
    }
    // Checked before and after the marker, because another process may be creating the database.
    else if (isEmptyFile(directory) && !existsSync(marker) && isEmptyFile(directory)) throw notMade(directory, 'is empty');
    // SQLite gives its log the file mode of the database file.
    makePrivateFile(join(directory, databaseFileName));
    database = new sqlite.DatabaseSync(join(directory, databaseFileName));
    // The kernel releases an exclusive lock when its process ends. This mode also avoids the
    // shared-memory file.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    requireFormat(database, directory);
    rmSync(marker, { force: true });
    removeCutOffChecks(directory);
    secureLog(directory);
    // FULL: a commit syncs the log, unless a client asks for no sync. The database makes its own
    // checkpoints, because SQLite's would hide a failed sync. Savepoints are kept in memory: SQLite
    // would write them to a file in the temporary directory. Deleted content is overwritten.
    database.exec(
      'PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA wal_autocheckpoint = 0; ' +
        'PRAGMA cache_size = -12288; PRAGMA temp_store = MEMORY; PRAGMA secure_delete = FAST',
    );
    return database;
  } catch (error) {
    database?.close();
    throw error;
  }
}

/**
 * Refuses to create a database in place of a lost one, because it would look like a new service.
 */
function refuseLost(directory: string): void {
  const traces = [logName, holderFile].filter((name) => existsSync(join(directory, name)));
  if (traces.length === 0) return;
  const what = `There was a database in ${directory}, as ${traces.join(' and ')} tell${traces.length === 1 ? 's' : ''}, but its file ${databaseFileName} is missing.`;
  throw new DatabaseStartError('LOST', `${what} Restore a backup; to begin an empty database, remove those first.`);
}

const isEmptyFile = (directory: string) => statSync(join(directory, databaseFileName)).size === 0;

function notMade(directory: string, what: string): DatabaseStartError {
  const advice = 'Restore a backup; to begin an empty database, remove the file.';
  return new DatabaseStartError('LOST', `The file ${join(directory, databaseFileName)} ${what}, as a failed copy is. ${advice}`);
}

/**
 * Rewrites and syncs the log before anybody reads from it. After a kill, it may have changes that
 * were never synced. After a failed sync, it may have pages that the kernel shows but has dropped.
 */
function secureLog(directory: string): void {
  const log = join(directory, logName);
  if (!existsSync(log)) return;
  const file = openSync(log, 'r+');
  try {
    const block = Buffer.allocUnsafe(1024 * 1024);
    let at = 0;
    for (let read = readSync(file, block, 0, block.length, at); read > 0; read = readSync(file, block, 0, block.length, at))
      at += writeSync(file, block, 0, read, at);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Throws unless a file has the current format. Fills the empty file of a new database. */
function requireFormat(database: DatabaseSync, directory: string): void {
  const pragma = (name: string) => (database.prepare(`PRAGMA ${name}`).get() as Record<string, number>)[name];
  const isEmpty = database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
  if (isEmpty && pragma('application_id') === 0) {
    if (!existsSync(join(directory, markerName))) throw notMade(directory, 'is a database without tables');
    database.exec(`BEGIN; ${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${currentFormat}; COMMIT`);
    return;
  }
  const format = pragma('application_id') === applicationId ? pragma('user_version') : undefined;
  if (format === currentFormat) return;
  const what =
    format === undefined
      ? 'is not a database of this program'
      : `has format ${format}, this version knows format ${currentFormat}`;
  throw new DatabaseStartError('UNKNOWN_FORMAT', `The file ${join(directory, databaseFileName)} ${what}; it was left as it is.`);
}

/** Explains to the operator why a file cannot be opened. */
export function startError(error: NodeJS.ErrnoException & { errcode?: number }, directory: string): Error {
  if (error instanceof DatabaseStartError) return error;
  if (isBusy(error)) {
    const holder = readAnnounced(directory);
    const by = holder === undefined ? 'another process' : `process ${holder.pid}, which answers at ${holder.uri}`;
    return new DatabaseStartError('HELD', `The database in ${directory} is held by ${by}.`);
  }
  if (isDamage(error)) return damagedStart(directory, error);
  if (error.errcode === undefined && error.code === undefined) return error;
  const refusals = [error, tryOpening(directory, 'r'), tryOpening(join(directory, databaseFileName), 'r+')];
  const why = refusals.map((refusal) => explainSystemError(refusal)).find((reason) => reason !== undefined) ?? error.message;
  return new DatabaseStartError('UNUSABLE_DIRECTORY', `The database cannot be opened in ${directory}: ${why}.`);
}

/** The error for a file that is too damaged to be opened. */
export function damagedStart(directory: string, error: Error): DatabaseStartError {
  // Names in a damaged file may contain control characters.
  const what = whatIsDamaged(error)
    .replace(/\.$/, '')
    .replaceAll(/\p{Cc}/gu, '\u{fffd}');
  return new DatabaseStartError('DAMAGED', `The database in ${directory} is damaged (${what}): restore a backup.`);
}

/**
 * Returns the error of the operating system when a path is opened, if there is one. SQLite
 * does not say why it could not open a file.
 */
function tryOpening(path: string, flags: 'r' | 'r+'): unknown {
  try {
    closeSync(openSync(path, flags));
    return {};
  } catch (error) {
    return error;
  }
}
