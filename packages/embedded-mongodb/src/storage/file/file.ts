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

/** How many bytes are written ahead in the log. */
const aheadBytes = 1024 * 1024;

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
  /**
   * Frames at the end of the log that the opening could not use: `acknowledged` of them had been synced, and have not reached the file.
   * `isUncertain`: it is not known how far the log had been synced.
   */
  readonly unusable: { readonly acknowledged: number; readonly others: number; readonly isUncertain: boolean };
  /** How many frames the log has. */
  frames(): number;
  /** How large its file and its log are together. */
  bytes(): number;
  /** Whether its disk has space for what is written ahead in the log. */
  hasSpace(): boolean;
  /** Writes the log back into the file. */
  checkpoint(): void;
  /** Copies everything that is committed, also meanwhile, into an empty directory; `settle` ends the open transaction. */
  backup(target: string, settle?: () => void): Promise<BackupReport>;
  /** Copies all pages as they are, damaged or not, into a new directory. */
  copyPages(target: string): Promise<void>;
  /** Checks a copy, which is removed then, with each document and its keys; others go on working. */
  check(settle: () => void): Promise<BackupReport>;
  /** How far a backup or a check is; undefined if there is none. */
  readonly copying: string | undefined;
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
  /** Compares all pages, and the log, with their checksums, and lets others have their turn meanwhile; refuses if one is damaged. */
  const verifying = (settle: () => void) => async (progress: BackupProgress) => {
    // SQLite does not say how long the log is while a transaction is open.
    settle();
    sums.checkLog(frames());
    for (let page = 0; page < sums.pages; page = sums.check(page)) {
      progress(`compared ${percent(page, sums.pages)} of the pages with their checksums`);
      await nextTurn();
    }
    if (sums.damage !== undefined) throw damaged(describeDamage(sums.damage));
  };
  /** Makes a copy, and says meanwhile how far it is. */
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
        // SQLite writes the log back by itself; what is not known of the pages then is learnt again.
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

/** How many frames the log has, and how many of them are written back, after a statement that is some kind of checkpoint. */
function logState(statement: StatementSync): { readonly frames: number; readonly written: number } {
  const [, log, checkpointed] = statement.get() as unknown as [busy: number, log: number, checkpointed: number];
  return { frames: Math.max(0, log), written: Math.max(0, checkpointed) };
}

/** Compares the log of which so many frames were usable with the mark of what had been synced, and with what lies there. */
function findUnusable(directory: string, mark: ReturnType<typeof readMark>, usable: number): DatabaseFile['unusable'] {
  const path = join(directory, logName);
  const isMarked = mark !== undefined && mark.frames > 0;
  const acknowledged = !isMarked ? 0 : mark.salt === saltOf(path) ? Math.max(0, mark.frames - usable) : mark.frames;
  const { intact, present } = readLog(path);
  // What is intact and was not used is a transaction that was not committed.
  return { acknowledged, others: present > intact ? present - usable : 0, isUncertain: mark === undefined };
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

const sizeOf = (directory: string, name: string): number => statSync(join(directory, name), { throwIfNoEntry: false })?.size ?? 0;
