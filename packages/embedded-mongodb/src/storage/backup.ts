import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { DatabaseError } from '../values/errors.ts';
import { makeDirectory, syncDirectory } from './directories.ts';
import { databaseFileName } from './holder.ts';
import { sqlite } from './sqlite.ts';

/** Pages of 4 KB copied between two looks at the writers' wishes. */
const pagesPerStep = 500;

/** Copies an open database into a directory that is empty or not there yet; what is written meanwhile is copied as well. */
export async function backupInto(database: DatabaseSync, directory: string): Promise<void> {
  try {
    makeDirectory(directory);
  } catch (error) {
    throw new DatabaseError(2, `The directory cannot be made: ${(error as Error).message}`);
  }
  if (readdirSync(directory).length > 0)
    throw new DatabaseError(2, `The directory ${directory} is not empty; nothing was copied.`);
  try {
    await sqlite.backup(database, join(directory, databaseFileName), { rate: pagesPerStep });
  } catch (error) {
    throw new DatabaseError(96, `The copy failed: ${(error as Error).message}`);
  }
  syncDirectory(directory);
}
