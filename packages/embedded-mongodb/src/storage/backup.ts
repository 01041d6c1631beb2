import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { DatabaseError } from '../values/errors.ts';
import { makeDirectory, makePrivateFile, syncDirectory } from './directories.ts';
import { forgetFileId } from './file-id.ts';
import { databaseFileName } from './holder.ts';
import { sqlite } from './sqlite.ts';

/** Pages of 4 KB copied between two looks at the writers' wishes. */
const pagesPerStep = 500;

/** A transaction lasts for a turn of the event loop; only under much load one follows upon the other. */
const patienceMillis = 10_000;

/**
 * Copies an open database into a new directory of its owner's, with what is written meanwhile. The copy is made beside it and gets its name when
 * it is complete and synced: a backup that fails leaves nothing.
 */
export async function backupInto(database: DatabaseSync, directory: string): Promise<void> {
  if (lstatSync(directory, { throwIfNoEntry: false }))
    throw new DatabaseError(2, `There is something at ${directory} already; nothing was copied.`);
  const partial = `${directory}.${randomBytes(6).toString('hex')}.partial`;
  const path = join(partial, databaseFileName);
  try {
    makeDirectory(dirname(directory));
    mkdirSync(partial, 0o700);
    makePrivateFile(path);
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw new DatabaseError(2, `The directory cannot be made: ${(error as Error).message}`);
  }
  try {
    await copy(database, path);
    becomeAnother(path);
    syncDirectory(partial);
    renameSync(partial, directory);
    syncDirectory(dirname(directory));
  } catch (error) {
    rmSync(partial, { recursive: true, force: true });
    throw new DatabaseError(96, `The copy failed: ${(error as Error).message}`);
  }
}

/** Whoever restores the copy must see that it is not the database as it was last. */
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
