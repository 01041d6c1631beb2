import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { startDatabase } from '../src/server.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

describe('a database file of another version', () => {
  it('of format 1 is upgraded when it is opened, and keeps all that it has', async () => {
    const dataDir = await filled();
    change(
      dataDir,
      `CREATE INDEX retryable_writes_used ON retryable_writes (used);
       ALTER TABLE indexes DROP COLUMN stored_to;
       PRAGMA user_version = 1`,
    );
    for (const start of [1, 2]) {
      const database = await startDatabase({ dataDir });
      const db = connect(database.uri).db('test');
      const notes = db.collection('notes');
      await notes.insertOne({ text: `tea number ${start}` });
      expect(await notes.countDocuments({ $text: { $search: 'tea' } })).toBe(1 + start);
      expect(await db.command({ validate: 'notes', full: true })).toMatchObject({ valid: true, errors: [] });
      await database.close();
    }
  });

  it('of a later format is refused and left as it is', async () => {
    const dataDir = await filled();
    change(dataDir, 'PRAGMA user_version = 3');
    const before = readFileSync(join(dataDir, 'database.sqlite'));
    await expect(freshDatabase({ dataDir })).rejects.toMatchObject({
      code: 'UNKNOWN_FORMAT',
      message: expect.stringContaining('has format 3, this version knows format 2; it was left as it is.'),
    });
    expect(readFileSync(join(dataDir, 'database.sqlite'))).toEqual(before);
  });

  it('that is none of ours is refused and left as it is', async () => {
    const dataDir = freshDirectory();
    change(dataDir, 'CREATE TABLE theirs (a)');
    await expect(freshDatabase({ dataDir })).rejects.toMatchObject({ code: 'UNKNOWN_FORMAT' });
  });
});

/** A directory with a database that has a document and its words, and is closed. */
async function filled(): Promise<string> {
  const dataDir = freshDirectory();
  const database = await startDatabase({ dataDir });
  const notes = connect(database.uri).db('test').collection('notes');
  await notes.insertMany([{ text: 'tea' }, { text: 'coffee' }]);
  await notes.createIndex({ text: 'text' });
  await database.close();
  return dataDir;
}

function change(dataDir: string, sql: string): void {
  const file = new DatabaseSync(join(dataDir, 'database.sqlite'));
  file.exec(sql);
  file.close();
}
