import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { DatabaseError, damaged } from '../../values/errors.ts';
import { isDamage } from './damage.ts';
import { makeDirectory, makePrivateFile, syncDirectory } from './directories.ts';
import { forgetFileId } from './file-id.ts';
import { databaseFileName, holderFile } from './holder.ts';
import { sumsName } from './page-sums.ts';
import { sqlite } from './sqlite.ts';

/** Pages of 4 KB that are copied before waiting writers get a turn. */
const pagesPerStep = 500;

/**
 * Time without progress after which the check of a copy is stopped. The longest step without
 * progress is SQLite's check of all pages, so the limit grows with the file.
 */
const stallMillis = 15_000;
const stallMillisPerMegabyte = 50;
const checkScript = fileURLToPath(new URL('../../../bin/check.ts', import.meta.url));

/**
 * A transaction lasts one turn of the event loop. Only under heavy load do transactions follow each
 * other without a gap.
 */
const patienceMillis = 10_000;

/** The number of documents of each collection in a copy, by `database.collection`. */
export type BackupReport = { readonly documents: Readonly<Record<string, number>> };

/** The content of a copy, and its faults as sentences. */
export type CopyCheck = BackupReport & { readonly errors: readonly string[] };

/** A message from the process that checks a copy. */
export type CheckMessage = { readonly progress: string } | { readonly result: CopyCheck };

/** Receives the progress of a backup or a check as text. */
export type BackupProgress = (what: string) => void;

type Backup = {
  readonly database: DatabaseSync;
  /** A directory that does not exist yet. */
  readonly target: string;
  /**
   * True if the copy is made only to check each document and its keys. It is removed afterwards.
   */
  readonly isCheck?: boolean;
  /** Throws if the copied pages are damaged. */
  readonly verify: (progress: BackupProgress) => Promise<void>;
  readonly progress: BackupProgress;
};

/** The suffix of a directory until its copy is complete. */
const partialName = /\.[0-9a-f]{12}\.partial$/;

/** The directory for the temporary copy of a check. */
export const checkDirectory = (dataDir: string): string => join(dataDir, 'check');

/** Removes temporary copies of interrupted checks from a data directory. */
export function removeCutOffChecks(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (name.startsWith('check.') && partialName.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
}

/**
 * Copies an open database, including concurrent writes, into a new private directory and checks the
 * copy. The directory gets its final name once the copy is complete, valid and synced. A failed
 * backup leaves nothing behind.
 */
export async function backupInto({ database, target, isCheck = false, verify, progress }: Backup): Promise<BackupReport> {
  if (isPresent(target)) throw new DatabaseError(2, `There is something at ${target} already; nothing was copied.`);
  const partial = `${target}.${randomBytes(6).toString('hex')}.partial`;
  const path = join(partial, databaseFileName);
  makeEmptyCopy(partial);
  try {
    await copy(database, path, progress);
    // Verify after reading, so that damage that occurs during the copy is detected.
    await verify(progress);
    const { documents, errors } = await checkCopy(partial, isCheck, progress);
    if (errors.length > 0) throw damaged(`${errors.join('; ')}.`);
    if (isCheck) {
      rmSync(partial, { recursive: true });
      return { documents };
    }
    // Files that the check created.
    for (const name of [holderFile, sumsName]) rmSync(join(partial, name), { force: true });
    becomeAnother(path);
    syncDirectory(partial);
    renameSync(partial, target);
    syncDirectory(dirname(target));
    return { documents };
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw copyError(error);
  }
}

/** Copies all pages into a new directory without checking them. */
export async function copyPages(database: DatabaseSync, target: string): Promise<void> {
  makeEmptyCopy(target);
  try {
    await copy(database, join(target, databaseFileName), () => {});
  } catch (error) {
    rmSync(target, { recursive: true, force: true });
    throw copyError(error);
  }
}

function copyError(error: unknown): DatabaseError {
  if (error instanceof DatabaseError) return error;
  if (isDamage(error)) return damaged(`${(error as Error).message}.`);
  return new DatabaseError(96, `The copy failed: ${(error as Error).message}`);
}

function isPresent(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch (error) {
    // A part of the path is not a directory, or may not be searched.
    throw new DatabaseError(2, `The directory cannot be made: ${(error as Error).message}`);
  }
}

/** Creates a private directory with an empty database file. */
function makeEmptyCopy(directory: string): void {
  let isMade = false;
  try {
    makeDirectory(dirname(directory));
    mkdirSync(directory, 0o700);
    isMade = true;
    makePrivateFile(join(directory, databaseFileName));
  } catch (error) {
    if (isMade) rmSync(directory, { recursive: true, force: true });
    throw new DatabaseError(2, `The directory cannot be made: ${(error as Error).message}`);
  }
}

/**
 * Checks a copy in a separate process, so that the database keeps serving. The process is killed if
 * it makes no progress.
 */
async function checkCopy(directory: string, full: boolean, progress: BackupProgress): Promise<CopyCheck> {
  const megabytes = statSync(join(directory, databaseFileName)).size / 1e6;
  const patience = Math.round(stallMillis + megabytes * stallMillisPerMegabyte);
  const child = fork(checkScript, [directory, ...(full ? ['--full'] : [])], {
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  const stderr = text(child.stderr as NodeJS.ReadableStream);
  let [result, latest, isStalled]: [CopyCheck | undefined, string, boolean] = [undefined, '', false];
  const stalled = globalThis.setTimeout(() => {
    isStalled = true;
    child.kill('SIGKILL');
  }, patience);
  child.on('message', (message: CheckMessage) => {
    stalled.refresh();
    if ('result' in message) result = message.result;
    else {
      latest = message.progress;
      progress(latest);
    }
  });
  const end = await new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message));
    child.once('close', (code, signal) => resolve(`it ended with ${signal ?? code}`));
  });
  clearTimeout(stalled);
  if (result !== undefined) return result;
  if (isStalled)
    throw new DatabaseError(
      96,
      `The check did not finish: it made no progress for ${Math.round(patience / 1000)} seconds at '${latest}'. Nothing is known about damage.`,
    );
  throw new DatabaseError(96, `The copy could not be checked: ${(await stderr).trim() || end}`);
}

/** Gives the copy a new identity, so that a restore is recognized as an older state. */
function becomeAnother(path: string): void {
  const copied = new sqlite.DatabaseSync(path);
  try {
    copied.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL');
    forgetFileId(copied);
  } finally {
    copied.close();
  }
}

/**
 * Copies the database while no transaction is open. At the beginning of a copy, Node mistakes an
 * open transaction for an error without a code.
 */
async function copy(database: DatabaseSync, path: string, progress: BackupProgress): Promise<void> {
  for (const deadline = Date.now() + patienceMillis; ; await setTimeout(1)) {
    try {
      await sqlite.backup(database, path, {
        rate: pagesPerStep,
        progress: ({ totalPages, remainingPages }) => progress(`copied ${percent(totalPages - remainingPages, totalPages)}`),
      });
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 0 || Date.now() > deadline) throw error;
    }
  }
}

/** A share in percent, as text. */
export const percent = (part: number, whole: number): string => `${whole === 0 ? 100 : Math.floor((100 * part) / whole)} %`;
