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

/** Pages of 4 KB copied between two looks at the writers' wishes. */
const pagesPerStep = 500;

/** For how long the check of a copy may make no progress. The longest step is SQLite's check of all pages. */
const stallMillis = 15_000;
const stallMillisPerMegabyte = 50;
const checkScript = fileURLToPath(new URL('../../../bin/check.ts', import.meta.url));

/** A transaction lasts for a turn of the event loop; only under much load one follows upon the other. */
const patienceMillis = 10_000;

/** What a copy has: how many documents of each collection, by its database and name. */
export type BackupReport = { readonly documents: Readonly<Record<string, number>> };

/** What a copy has, and its faults, as sentences. */
export type CopyCheck = BackupReport & { readonly errors: readonly string[] };

/** A message of the process that checks a copy. */
export type CheckMessage = { readonly progress: string } | { readonly result: CopyCheck };

/** Receives how far a backup or a check is, in words. */
export type BackupProgress = (what: string) => void;

type Backup = {
  readonly database: DatabaseSync;
  /** A directory that does not exist yet. */
  readonly target: string;
  /** Whether the copy is made only for a check, of each document and its keys, and removed after it. */
  readonly isCheck?: boolean;
  /** Refuses if the pages that were copied are damaged. */
  readonly verify: (progress: BackupProgress) => Promise<void>;
  readonly progress: BackupProgress;
};

/** The name that a directory has until its copy is complete. */
const partialName = /\.[0-9a-f]{12}\.partial$/;

/** Where the copy for a check is made. */
export const checkDirectory = (dataDir: string): string => join(dataDir, 'check');

/** Removes the copies of checks in a data directory that were cut off. */
export function removeCutOffChecks(dataDir: string): void {
  for (const name of readdirSync(dataDir))
    if (name.startsWith('check.') && partialName.test(name)) rmSync(join(dataDir, name), { recursive: true, force: true });
}

/**
 * Copies an open database into a new directory of its owner's, with what is written meanwhile, and checks the copy. It is made beside its place and
 * gets its name when it is complete, right and synced: a backup that fails leaves nothing.
 */
export async function backupInto({ database, target, isCheck = false, verify, progress }: Backup): Promise<BackupReport> {
  if (lstatSync(target, { throwIfNoEntry: false }))
    throw new DatabaseError(2, `There is something at ${target} already; nothing was copied.`);
  const partial = `${target}.${randomBytes(6).toString('hex')}.partial`;
  const path = join(partial, databaseFileName);
  makeEmptyCopy(partial);
  try {
    await copy(database, path, progress);
    // After they were read, so that damage of this time is noticed.
    await verify(progress);
    const { documents, errors } = await checkCopy(partial, isCheck, progress);
    if (errors.length > 0) throw damaged(`${errors.join('; ')}.`);
    if (isCheck) {
      rmSync(partial, { recursive: true });
      return { documents };
    }
    // What the check has left beside it.
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

/** Copies all pages as they are, damaged or not, into a new directory. */
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

/** Makes a directory of its owner's with an empty file. */
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

/** The copy is checked by a process of its own, which holds up nobody and is ended if it makes no progress. */
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

/** A restore of the copy must show that it is not the database as it was last. */
function becomeAnother(path: string): void {
  const copied = new sqlite.DatabaseSync(path);
  try {
    copied.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = FULL');
    forgetFileId(copied);
  } finally {
    copied.close();
  }
}

/** Copies the database once it has no transaction: at the very beginning of a copy, Node takes one for an error without a code. */
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

/** A share in words. */
export const percent = (part: number, whole: number): string => `${whole === 0 ? 100 : Math.floor((100 * part) / whole)} %`;
