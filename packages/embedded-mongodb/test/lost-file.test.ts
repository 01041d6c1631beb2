import { existsSync, readdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import { databaseFileName } from '../src/storage/file/holder.ts';
import { sqlite } from '../src/storage/file/sqlite.ts';
import { freshDirectory } from './support/database.ts';

/** A directory that had an open database before. */
async function aDirectory(): Promise<string> {
  const directory = freshDirectory();
  (await openDatabaseFile(directory)).close();
  return directory;
}

/*
 * An empty database in place of a lost one would look like a new service, whose first visitor
 * becomes its administrator.
 */
describe('a database that was lost', () => {
  it('no database is created in place of an empty file, such as a failed copy', async () => {
    const directory = freshDirectory();
    const path = join(directory, databaseFileName);
    writeFileSync(path, '');
    await expect(openDatabaseFile(directory)).rejects.toMatchObject({
      code: 'LOST',
      message: `The file ${path} is empty, as a failed copy is. Restore a backup; to begin an empty database, remove the file.`,
    });
    expect([readdirSync(directory), statSync(path).size]).toEqual([[databaseFileName], 0]);
    rmSync(path);
    (await openDatabaseFile(directory)).close();
  });

  it('no database is created in place of a file that was emptied', async () => {
    const directory = await aDirectory();
    truncateSync(join(directory, databaseFileName), 0);
    await expect(openDatabaseFile(directory)).rejects.toMatchObject({ code: 'LOST' });
  });

  it('no database is created in place of a SQLite file without tables', async () => {
    const directory = freshDirectory();
    const other = new sqlite.DatabaseSync(join(directory, databaseFileName));
    other.exec('VACUUM; PRAGMA user_version = 7');
    other.close();
    await expect(openDatabaseFile(directory)).rejects.toMatchObject({ code: 'LOST' });
  });

  it.each(['holder.json', `${databaseFileName}-wal`])('no database is created if %s shows that there was one', async (trace) => {
    const directory = freshDirectory();
    writeFileSync(join(directory, trace), 'something');
    await expect(openDatabaseFile(directory)).rejects.toMatchObject({
      code: 'LOST',
      message: `There was a database in ${directory}, as ${trace} tells, but its file database.sqlite is missing. Restore a backup; to begin an empty database, remove those first.`,
    });
    expect(existsSync(join(directory, databaseFileName))).toBe(false);
  });
});

describe('a database whose making was interrupted', () => {
  it('a database whose creation was interrupted is created by the next start', async () => {
    const directory = freshDirectory();
    writeFileSync(join(directory, `${databaseFileName}.new`), '');
    writeFileSync(join(directory, databaseFileName), '');
    (await openDatabaseFile(directory)).close();
    expect(readdirSync(directory).sort()).toEqual([databaseFileName, 'database.sums', 'holder.json']);
  });
});
