import { closeSync, fstatSync, openSync, statfsSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { damaged } from '../../values/errors.ts';
import { type BackupProgress, type BackupReport, backupInto, checkDirectory, copyPages, percent } from './backup.ts';
import { describeDamage } from './damage.ts';
import { establishFileId } from './file-id.ts';
import { announce, databaseFileName, keptSums, withdraw } from './holder.ts';
import { frameBytes, logName, readLog, saltOf } from './log-reader.ts';
import { openPatiently, startError } from './open-file.ts';
import { openPageSums, type PageSums, readMark } from './page-sums.ts';
import { checkVersion } from './sqlite.ts';

/** How far the log is extended in advance, in bytes. */
const aheadBytes = 1024 * 1024;

/** An open database file, locked by this process, with its prepared statements. */
export type DatabaseFile = {
  /** Stays the same until the file is replaced by a copy. */
  readonly id: string;
  /** Returns a cached prepared statement. Its rows are arrays. */
  prepare(sql: string): StatementSync;
  exec(sql: string): void;
  /** Drops the cached statements that use a table, before the table is dropped. */
  forget(table: string): void;
  /**
   * Extends the log, which has `frames` frames, if its end is near. A sync takes twice as long if
   * the file has grown as well.
   */
  writeAhead(frames: number): void;
  /** The checksums of the file's pages. */
  readonly sums: PageSums;
  /**
   * Frames at the end of the log that could not be used at the start. `acknowledged` frames had
   * been synced but had not reached the file. `isUncertain` means that the synced length is
   * unknown.
   */
  readonly unusable: { readonly acknowledged: number; readonly others: number; readonly isUncertain: boolean };
  /** The number of frames in the log. */
  frames(): number;
  /** The size of the file and its log together. */
  bytes(): number;
  /** True if the disk has space for the next extension of the log. */
  hasSpace(): boolean;
  /** Writes the log back into the file. */
  checkpoint(): void;
  /**
   * Copies the database, including concurrent writes, into a new directory. `settle` ends the open
   * transaction.
   */
  backup(target: string, settle?: () => void): Promise<BackupReport>;
  /** Copies all pages into a new directory without checking them. */
  copyPages(target: string): Promise<void>;
  /** Checks each document and its keys in a temporary copy, while other commands go on. */
  check(settle: () => void): Promise<BackupReport>;
  /** The progress of a backup or a check; `undefined` if none is running. */
  readonly copying: string | undefined;
  /** Publishes the database's address to other processes of this machine. */
  announce(uri: string): void;
  close(): void;
};

const nothing = () => {};

/** Opens the database in a directory. Creates it if it does not exist. */
export async function openDatabaseFile(directory: string): Promise<DatabaseFile> {
  checkVersion();
  const mark = keptSums(directory) ? readMark(directory) : undefined;
  const database = await openPatiently(directory);
  try {
    return useDatabase(directory, database, mark);
  } catch (error) {
    database.close();
    throw startError(error as NodeJS.ErrnoException, directory);
  }
}

function useDatabase(directory: string, database: DatabaseSync, mark: ReturnType<typeof readMark>): DatabaseFile {
  const noCheckpoint = checkpointStatement(database, 'NOOP');
  const frames = () => logState(noCheckpoint).frames;
  const unusable = findUnusable(directory, mark, frames());
  const isTrusted = keptSums(directory);
  withdraw(directory);
  const { id, before } = establishFileId(database, join(directory, databaseFileName));
  const sums = openPageSums(directory, { id, before: isTrusted ? before : undefined });
  const statements = new Map<string, StatementSync>();
  let logLength = 0;
  let copying: string | undefined;
  const checkpoint = () => {
    const all = frames();
    if (all === 0) return;
    sums.checkpoint(all, () => logState(checkpointStatement(database, 'PASSIVE')).written === all);
  };
  /**
   * Compares all pages and the log with their checksums, and yields to other commands. Throws if
   * one is damaged.
   */
  const verifying = (settle: () => void) => async (progress: BackupProgress) => {
    // SQLite does not report the length of the log while a transaction is open.
    settle();
    sums.checkLog(frames());
    for (let page = 0; page < sums.pages; page = sums.check(page)) {
      progress(`compared ${percent(page, sums.pages)} of the pages with their checksums`);
      await nextTurn();
    }
    if (sums.damage !== undefined) throw damaged(describeDamage(sums.damage));
  };
  /** Makes a copy and publishes its progress in `copying`. */
  const copied = async (options: Omit<Parameters<typeof backupInto>[0], 'database' | 'progress'>) => {
    try {
      return await backupInto({
        ...options,
        database,
        progress: (what) => {
          copying = what;
        },
      });
    } finally {
      copying = undefined;
    }
  };
  return {
    id,
    sums,
    unusable,
    frames,
    bytes: () => sizeOf(directory, databaseFileName) + sizeOf(directory, logName),
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
    get copying() {
      return copying;
    },
    backup: (target, settle = nothing) => copied({ target, verify: verifying(settle) }),
    copyPages: (target) => copyPages(database, target),
    check: (settle) => copied({ target: checkDirectory(directory), isCheck: true, verify: verifying(settle) }),
    announce: (uri) => announce(directory, uri),
    close() {
      statements.clear();
      try {
        withdraw(directory);
        checkpoint();
      } catch {
        // SQLite writes the log back when it closes. The checksums of those pages are unknown, and
        // are computed again later.
        sums.forget();
      } finally {
        database.close();
        sums.close();
      }
    },
  };
}

function checkpointStatement(database: DatabaseSync, kind: 'NOOP' | 'PASSIVE'): StatementSync {
  const statement = database.prepare(`PRAGMA wal_checkpoint(${kind})`);
  statement.setReturnArrays(true);
  return statement;
}

/**
 * Runs a checkpoint statement. Returns the number of frames in the log, and how many of them are
 * written back.
 */
function logState(statement: StatementSync): { readonly frames: number; readonly written: number } {
  const [, log, checkpointed] = statement.get() as unknown as [busy: number, log: number, checkpointed: number];
  return { frames: Math.max(0, log), written: Math.max(0, checkpointed) };
}

/**
 * Finds the frames that the start could not use. Compares the number of usable frames with the mark
 * of the synced length, and with the content of the log file.
 */
function findUnusable(directory: string, mark: ReturnType<typeof readMark>, usable: number): DatabaseFile['unusable'] {
  const path = join(directory, logName);
  const isMarked = mark !== undefined && mark.frames > 0;
  const acknowledged = !isMarked ? 0 : mark.salt === saltOf(path) ? Math.max(0, mark.frames - usable) : mark.frames;
  const { intact, present } = readLog(path);
  // Frames that are intact but unused belong to a transaction that was not committed.
  return { acknowledged, others: present > intact ? present - usable : 0, isUncertain: mark === undefined };
}

/**
 * Extends a log that is shorter than wanted by zeros, which SQLite takes for the end of the log.
 * Returns the new length in bytes.
 */
function lengthenedLog(directory: string, wanted: number): number {
  const file = openSync(join(directory, logName), 'r+');
  try {
    const { size } = fstatSync(file);
    return size < wanted ? size + writeSync(file, Buffer.alloc(aheadBytes), 0, aheadBytes, size) : size;
  } finally {
    closeSync(file);
  }
}

const sizeOf = (directory: string, name: string): number => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
