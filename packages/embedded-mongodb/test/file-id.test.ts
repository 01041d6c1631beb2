import { copyFileSync, cpSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import { databaseFileName } from '../src/storage/file/holder.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

/** The id of a closed database. */
async function idIn(directory: string): Promise<string> {
  const file = await openDatabaseFile(directory);
  file.close();
  return file.id;
}

async function backUp(directory: string): Promise<string> {
  const target = join(freshDirectory(), 'copy');
  const file = await openDatabaseFile(directory);
  await file.backup(target);
  file.close();
  return target;
}

describe('the id of a database file', () => {
  it('the id of a database file stays the same when the database is opened again, and when its directory has another name', async () => {
    const directory = join(freshDirectory(), 'data');
    const id = await idIn(directory);
    const moved = join(freshDirectory(), 'moved');
    renameSync(directory, moved);
    expect([await idIn(moved), await idIn(moved)]).toEqual([id, id]);
    expect(id).toMatch(/^[0-9a-f]{24}$/);
  });

  it.each<[string, (directory: string) => Promise<string>]>([
    [
      'a copy of its directory',
      async (directory) => {
        const copy = join(freshDirectory(), 'copy');
        cpSync(directory, copy, { recursive: true, preserveTimestamps: true });
        return copy;
      },
    ],
    ['a backup', backUp],
    [
      'a backup that was copied over its file',
      async (directory) => {
        copyFileSync(join(await backUp(directory), databaseFileName), join(directory, databaseFileName));
        return directory;
      },
    ],
  ])('the id of a database file is a new one in %s, and stays the same after that', async (_what, copy) => {
    const directory = freshDirectory();
    const id = await idIn(directory);
    const copied = await copy(directory);
    const other = await idIn(copied);
    expect([other === id, await idIn(copied)]).toEqual([false, other]);
  });

  it('the id of a database file is reported to clients', async () => {
    const dataDir = freshDirectory();
    const { uri, close } = await freshDatabase({ dataDir });
    const { id } = await connect(uri).db('admin').command({ fileId: 1 });
    await close();
    expect(await idIn(dataDir)).toBe(id);
  });
});
