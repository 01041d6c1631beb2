import {
  closeSync,
  existsSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  statfsSync,
  statSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn, setTimeout } from 'node:timers/promises';
import { type BackupReport, backupInto } from './backup.ts';
import { damaged, describeDamage, isDamage } from './damage.ts';
import { makeDirectory, makePrivate, makePrivateFile } from './directories.ts';
import { establishFileId } from './file-id.ts';
import { announce, databaseFileName, holderFile, isBusy, keptSums, readAnnounced, withdraw } from './holder.ts';
import { frameBytes, readLog, saltOf } from './log-reader.ts';
import { openPageSums, type PageSums, readMark, sumsName } from './page-sums.ts';
import { checkVersion, sqlite } from './sqlite.ts';
import { DatabaseStartError } from './start-error.ts';

/** The format that this version reads and writes; another one is refused and never rewritten. */
const currentFormat = 3;
/** "ChDb": tells our files from other SQLite files. */
const applicationId = 0x43684462;
const logName = `${databaseFileName}-wal`;
/** Exists while a new database is being made: only then may its file be empty. */
const markerName = `${databaseFileName}.new`;
/** How many bytes are written ahead in the log. */
const aheadBytes = 1024 * 1024;
/** A process that is ending lets go of its database within this time. */
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

/** An open database file, locked for this process, with its prepared statements. */
export type DatabaseFile = {
  /** Stays the same for as long as the file is no copy of another. */
  readonly id: string;
  /** A statement that is prepared once; rows come as arrays. */
  prepare(sql: string): StatementSync;
  exec(sql: string): void;
  /** Drops the prepared statements whose SQL names a table that is going. */
  forget(table: string): void;
  /** Writes ahead in the log, which has so many frames, if its end is near: a sync takes twice as long when the file has grown as well. */
  writeAhead(frames: number): void;
  /** The checksums of its pages. */
  readonly sums: PageSums;
  /** Frames at the end of the log that the opening could not use: `acknowledged` of them had been synced, and have not reached the file. */
  readonly unusable: { readonly acknowledged: number; readonly others: number };
  /** How many frames the log has. */
  frames(): number;
  /** Whether its disk has space for what is written ahead in the log. */
  hasSpace(): boolean;
  /** Writes the log back into the file. */
  checkpoint(): void;
  /** Copies all that is committed, also what is while the copy is made, into an empty directory; `settle` ends the open transaction. */
  backup(target: string, settle?: () => void): Promise<BackupReport>;
  /** Checks a copy of it, which is removed then, with each document and its keys; others go on working. */
  check(settle: () => void): Promise<BackupReport>;
  /** Tells other processes of this machine where the database answers. */
  announce(uri: string): void;
  close(): void;
};

const nothing = () => {};

/** Opens the database in a directory, creating it if need be. */
export async function openDatabaseFile(directory: string): Promise<DatabaseFile> {
  checkVersion();
  const mark = keptSums(directory) ? readMark(directory) : undefined;
  const database = await openPatiently(directory);
  const noCheckpoint = database.prepare('PRAGMA wal_checkpoint(NOOP)');
  const frames = () => logState(noCheckpoint).frames;
  const unusable = findUnusable(directory, mark, frames());
  const isTrusted = keptSums(directory);
  withdraw(directory);
  const { id, before } = establishFileId(database, join(directory, databaseFileName));
  const sums = openPageSums(directory, { id, before: isTrusted ? before : undefined });
  const statements = new Map<string, StatementSync>();
  let logLength = 0;
  const checkpoint = () => {
    const all = frames();
    if (all === 0) return;
    sums.checkpoint(all, () => logState(database.prepare('PRAGMA wal_checkpoint(PASSIVE)')).written === all);
  };
  /** Compares all pages, and the log, with their checksums, and lets others have their turn meanwhile; refuses if one is damaged. */
  const verifying = (settle: () => void) => async () => {
    // SQLite does not say how long the log is while a transaction is open.
    settle();
    sums.checkLog(frames());
    for (let page = 0; page < sums.pages; page = sums.check(page)) await nextTurn();
    if (sums.damage !== undefined) throw damaged(describeDamage(sums.damage));
  };
  return {
    id,
    sums,
    unusable,
    frames,
    hasSpace() {
      const { bavail, bsize } = statfsSync(directory);
      return bavail * bsize > aheadBytes;
    },
    checkpoint,
    prepare(sql) {
      let statement = statements.get(sql);
      if (statement === undefined) {
        statement = database.prepare(sql);
        statement.setReturnArrays(true);
        statements.set(sql, statement);
      }
      return statement;
    },
    exec: (sql) => database.exec(sql),
    forget(table) {
      const names = new RegExp(`\\b${table}(_|\\b)`);
      for (const sql of statements.keys()) if (names.test(sql)) statements.delete(sql);
    },
    writeAhead(frames) {
      const wanted = frames * frameBytes + aheadBytes / 2;
      if (wanted > logLength) logLength = lengthenedLog(directory, wanted);
    },
    backup: (target, settle = nothing) => backupInto({ database, target, verify: verifying(settle) }),
    check: (settle) => backupInto({ database, target: join(directory, 'check'), isCheck: true, verify: verifying(settle) }),
    announce: (uri) => announce(directory, uri),
    close() {
      statements.clear();
      try {
        withdraw(directory);
        checkpoint();
      } catch {
        // SQLite writes the log back by itself; what is not known of the pages then is learnt again.
        sums.forget();
      } finally {
        database.close();
        sums.close();
      }
    },
  };
}

/** How many frames the log has, and how many of them are written back, after a statement that is some kind of checkpoint. */
function logState(statement: StatementSync): { readonly frames: number; readonly written: number } {
  const { log, checkpointed } = statement.get() as Record<string, number>;
  return { frames: Math.max(0, log ?? 0), written: Math.max(0, checkpointed ?? 0) };
}

/** Compares the log of which so many frames were usable with the mark of what had been synced, and with what lies there. */
function findUnusable(directory: string, mark: ReturnType<typeof readMark>, usable: number): DatabaseFile['unusable'] {
  const path = join(directory, logName);
  const isMarked = mark !== undefined && mark.frames > 0;
  const acknowledged = !isMarked ? 0 : mark.salt === saltOf(path) ? Math.max(0, mark.frames - usable) : mark.frames;
  const { intact, present } = readLog(path);
  // What is intact and was not used is a transaction that was not committed.
  return { acknowledged, others: present > intact ? present - usable : 0 };
}

async function openPatiently(directory: string): Promise<DatabaseSync> {
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
    // Looked at before and after the marker: another process may just be making the database.
    else if (isEmptyFile(directory) && !existsSync(marker) && isEmptyFile(directory)) throw notMade(directory, 'is empty');
    // SQLite gives its log the mode of its file.
    makePrivateFile(join(directory, databaseFileName));
    database = new sqlite.DatabaseSync(join(directory, databaseFileName));
    // An exclusive lock that the kernel drops with its process; it also spares the shared-memory file of the log.
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN IMMEDIATE; COMMIT');
    requireFormat(database, directory);
    rmSync(marker, { force: true });
    secureLog(directory);
    // FULL: a commit syncs the log, unless a client asks for no sync. Checkpoints are our own, because SQLite's would hide a failed sync. What a
    // savepoint may take back is kept in memory: SQLite would write it to a file in the temporary directory. What is deleted is overwritten.
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

/** An empty database in the place of one that was lost would look like a new service. */
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
 * A database that was killed may have left changes in its log that were never synced, and one whose sync failed may have left
 * pages that the kernel dropped but still shows. Before anybody is told of them they are written once more, and synced.
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

/** Writes zeros, which SQLite takes for the end of its log after a log that is shorter than wanted; gives its length. */
function lengthenedLog(directory: string, wanted: number): number {
  const file = openSync(join(directory, logName), 'r+');
  try {
    const { size } = fstatSync(file);
    return size < wanted ? size + writeSync(file, Buffer.alloc(aheadBytes), 0, aheadBytes, size) : size;
  } finally {
    closeSync(file);
  }
}

/** Throws unless a file has the present format; the empty file of a new database is filled first. */
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

function startError(error: NodeJS.ErrnoException & { errcode?: number }, directory: string): Error {
  if (error instanceof DatabaseStartError) return error;
  if (isBusy(error)) {
    const holder = readAnnounced(directory);
    const by = holder === undefined ? 'another process' : `process ${holder.pid}, which answers at ${holder.uri}`;
    return new DatabaseStartError('HELD', `The database in ${directory} is held by ${by}.`);
  }
  if (isDamage(error)) return damagedStart(directory, error);
  if (error.errcode === undefined && error.code === undefined) return error;
  return new DatabaseStartError('UNUSABLE_DIRECTORY', `The database cannot be opened in ${directory}: ${error.message}.`);
}

/** The file is so damaged that it cannot be opened. */
export const damagedStart = (directory: string, error: Error) =>
  new DatabaseStartError('DAMAGED', `The database in ${directory} is damaged (${error.message}): restore a backup.`);
