import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { deserialize, serialize } from 'bson';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startDatabase } from '../src/server.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

describe('a database file of another version', () => {
  it.each([
    [1, 'CREATE INDEX retryable_writes_used ON retryable_writes (used); ALTER TABLE indexes DROP COLUMN stored_to'],
    [2, 'UPDATE indexes SET stored_to = 1'],
  ])('of format %i is upgraded when it is opened, and keeps all of its data', async (format, sql) => {
    const dataDir = await filled();
    change(dataDir, `${withTableOfWords}; ${sql}; PRAGMA user_version = ${format}`);
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    for (const start of [1, 2]) {
      const database = await startDatabase({ dataDir });
      const db = connect(database.uri).db('test');
      const notes = db.collection('notes');
      await notes.insertOne({ text: `tea number ${start}` });
      expect(await notes.countDocuments({ $text: { $search: 'tea' } })).toBe(1 + start);
      expect(await db.command({ validate: 'notes', full: true })).toMatchObject({ valid: true, errors: [] });
      await database.close();
    }
    expect(said.mock.calls.map(([text]) => text).join('')).toMatch(
      new RegExp(`^The database in ${dataDir} is brought from format ${format} to format 3 ... done in \\d+\\.\\d s\\.\n$`),
    );
  });

  it('loses a text index of an unsupported kind when it is upgraded, and says so', async () => {
    const dataDir = await filled();
    const file = new DatabaseSync(join(dataDir, 'database.sqlite'));
    const row = file.prepare('SELECT id, spec FROM indexes WHERE id = 2').get() as { spec: Uint8Array };
    const spec = { ...deserialize(row.spec), default_language: 'english' };
    file.prepare('UPDATE indexes SET spec = ? WHERE id = 2').run(serialize(spec));
    file.close();
    change(dataDir, `${withTableOfWords}; PRAGMA user_version = 2`);
    const said = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
    onTestFinished(() => said.mockRestore());
    const { uri } = await freshDatabase({ dataDir });
    expect(said.mock.calls.at(-1)).toEqual([
      "The text index 'text_text' is gone, for it is one of a kind that is not supported.\n",
    ]);
    const notes = connect(uri).db('test').collection('notes');
    expect((await notes.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    expect(await notes.countDocuments()).toBe(2);
  });

  it('of a later format is refused and left as it is', async () => {
    const dataDir = await filled();
    change(dataDir, 'PRAGMA user_version = 4');
    const before = readFileSync(join(dataDir, 'database.sqlite'));
    await expect(freshDatabase({ dataDir })).rejects.toMatchObject({
      code: 'UNKNOWN_FORMAT',
      message: expect.stringContaining('has format 4, this version knows format 3; it was left as it is.'),
    });
    expect(readFileSync(join(dataDir, 'database.sqlite'))).toEqual(before);
  });

  it('of another program is refused and left as it is', async () => {
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
  await notes.createIndex({ text: 'text' }, { default_language: 'none' });
  await database.close();
  return dataDir;
}

/** Gives the text index, the second of all indexes, the table that it had before format 3. */
const withTableOfWords = 'DROP TABLE i2; CREATE TABLE i2 (key BLOB, rid INTEGER, PRIMARY KEY (key, rid)) WITHOUT ROWID';

function change(dataDir: string, sql: string): void {
  const file = new DatabaseSync(join(dataDir, 'database.sqlite'));
  file.exec(sql);
  file.close();
}
