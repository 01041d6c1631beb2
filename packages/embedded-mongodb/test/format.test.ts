import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startDatabase } from '../src/server.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

describe('a database file of another version', () => {
  it.each([2, 4])('a database file of format %i is refused and left as it is', async (format) => {
    const dataDir = await filled();
    change(dataDir, `PRAGMA user_version = ${format}`);
    const before = readFileSync(join(dataDir, 'database.sqlite'));
    await expect(freshDatabase({ dataDir })).rejects.toMatchObject({
      code: 'UNKNOWN_FORMAT',
      message: expect.stringContaining(`has format ${format}, this version knows format 3; it was left as it is.`),
    });
    expect(readFileSync(join(dataDir, 'database.sqlite'))).toEqual(before);
  });

  it('a database file of another program is refused and left as it is', async () => {
    const dataDir = freshDirectory();
    change(dataDir, 'CREATE TABLE theirs (a)');
    await expect(freshDatabase({ dataDir })).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
  });
});

/** The directory of a closed database with one document. */
async function filled(): Promise<string> {
  const dataDir = freshDirectory();
  const database = await startDatabase({ dataDir });
  await connect(database.uri).db('test').collection('notes').insertOne({ text: 'tea' });
  await database.close();
  return dataDir;
}

function change(dataDir: string, sql: string): void {
  const file = new DatabaseSync(join(dataDir, 'database.sqlite'));
  file.exec(sql);
  file.close();
}
