import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { DatabaseError } from '../../values/errors.ts';
import { damaged, isDamage } from './damage.ts';
import { makeDirectory, makePrivateFile, syncDirectory } from './directories.ts';
import { forgetFileId } from './file-id.ts';
import { databaseFileName, holderFile } from './holder.ts';
import { sumsName } from './page-sums.ts';
import { sqlite } from './sqlite.ts';

/** Pages of 4 KB copied between two looks at the writers' wishes. */
const pagesPerStep = 500;

/** How long the check of a copy may take. */
const checkMillis = 120_000;
const checkMillisPerMegabyte = 1_000;
const checkScript = fileURLToPath(new URL('../../../bin/check.ts', import.meta.url));
const execute = promisify(execFile);

/** A transaction lasts for a turn of the event loop; only under much load one follows upon the other. */
const patienceMillis = 10_000;

/** What a copy has: how many documents of each collection, by its database and name. */
export type BackupReport = { readonly documents: Readonly<Record<string, number>> };

/** What a copy has, and what is wrong with it, in sentences. */
export type CopyCheck = BackupReport & { readonly errors: readonly string[] };

type Backup = {
  readonly database: DatabaseSync;
  /** A directory that does not exist yet. */
  readonly target: string;
  /** Whether the copy is made only for a check, of each document and its keys, and removed after it. */
  readonly isCheck?: boolean;
  /** Refuses if what was copied is damaged. */
  readonly verify: () => Promise<void>;
};

/**
 * Copies an open database into a new directory of its owner's, with what is written meanwhile, and checks the copy. It is made beside its place and
 * gets its name when it is complete, right and synced: a backup that fails leaves nothing.
 */
export async function backupInto({ database, target, isCheck = false, verify }: Backup): Promise<BackupReport> {
  if (lstatSync(target, { throwIfNoEntry: false }))
    throw new DatabaseError(2, `There is something at ${target} already; nothing was copied.`);
  const partial = `${target}.${randomBytes(6).toString('hex')}.partial`;
  const path = join(partial, databaseFileName);
  try {
    makeDirectory(dirname(target));
    mkdirSync(partial, 0o700);
    makePrivateFile(path);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw new DatabaseError(2, `The directory cannot be made: ${(error as Error).message}`);
  }
  try {
    await copy(database, path);
    // After it was read, so that what was damaged meanwhile is noticed.
    await verify();
    const { documents, errors } = await checkCopy(partial, isCheck);
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
    if (error instanceof DatabaseError) throw error;
    if (isDamage(error)) throw damaged(`${(error as Error).message}.`);
    throw new DatabaseError(96, `The copy failed: ${(error as Error).message}`);
  }
}

/** The copy is checked by a process of its own, which neither holds up others nor outlasts its time, whatever the file has. */
async function checkCopy(directory: string, full: boolean): Promise<CopyCheck> {
  const megabytes = statSync(join(directory, databaseFileName)).size / 1e6;
  const timeout = Math.round(checkMillis + megabytes * checkMillisPerMegabyte);
  const args = [checkScript, directory, ...(full ? ['--full'] : [])];
  try {
    const { stdout } = await execute(process.execPath, args, { timeout, killSignal: 'SIGKILL', maxBuffer: 10_000_000 });
    return JSON.parse(stdout) as CopyCheck;
  } catch (error) {
    const { killed, stderr } = error as { killed?: boolean; stderr?: string };
    if (killed) throw damaged(`its check did not end within ${Math.round(timeout / 1000)} seconds.`);
    throw new DatabaseError(96, `The copy could not be checked: ${stderr?.trim() || (error as Error).message}`);
  }
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

/** Copies the database, once there is no transaction in it: at the very beginning of a copy, Node takes one for an error without a code. */
async function copy(database: DatabaseSync, path: string): Promise<void> {
  for (const deadline = Date.now() + patienceMillis; ; await setTimeout(1)) {
    try {
      await sqlite.backup(database, path, { rate: pagesPerStep });
      return;
    } catch (error) {
      if ((error as { errcode?: number }).errcode !== 0 || Date.now() > deadline) throw error;
    }
  }
}
