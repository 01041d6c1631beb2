import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Int32 } from 'bson';
import { describe, expect, it } from 'vitest';
import { startDatabase } from '../src/server.ts';
import { encode } from '../src/values/bson.ts';
import { d } from './query/notation.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

const documents = 1_200;

/** A closed database with three indexes, modified by SQL. */
async function aDirectory(change: (sql: (text: string, ...values: Uint8Array[]) => void) => void): Promise<string> {
  const dataDir = freshDirectory();
  const database = await startDatabase({ dataDir });
  const things = connect(database.uri).db('test').collection('things');
  await things.createIndexes([
    { key: { n: 1 }, name: 'n' },
    { key: { tags: 1 }, name: 'tags' },
    { key: { text: 'text' }, name: 'text', default_language: 'none' },
  ]);
  const some = Array.from({ length: documents }, (_, n) => ({ n, tags: [n, `tag ${n}`], text: `word${n} here` }));
  await things.insertMany(some);
  await database.close();
  const db = new DatabaseSync(join(dataDir, 'database.sqlite'));
  change((text, ...values) => void db.prepare(text).run(...values));
  db.close();
  // The checksums would reveal the changed pages.
  rmSync(join(dataDir, 'database.sums'));
  return dataDir;
}

async function faultsOf(dataDir: string): Promise<string[]> {
  const { uri } = await freshDatabase({ dataDir });
  return (await connect(uri).db('test').command({ validate: 'things', full: true })).errors;
}

const withoutText = encode(d({ _id: 5, n: new Int32(1_099), tags: [1] }));

describe('a check of a collection', () => {
  it('a check of a collection finds no fault if there is none', async () => {
    expect(await faultsOf(await aDirectory(() => {}))).toEqual([]);
  });

  it.each<[string, string[], string[]]>([
    [
      'an entry is missing',
      ['DELETE FROM i2 WHERE rid = 1100'],
      ['index n lacks keys of document 1100', 'index n has 1199 keys instead of 1200'],
    ],
    [
      'an entry leads to another document',
      ['UPDATE i2 SET rid = 5000 WHERE rid = 1100'],
      ['index n lacks keys of document 1100'],
    ],
    ['an entry is too much', ["INSERT INTO i3 VALUES (x'50', 1100)"], ['index tags has 2401 keys instead of 2400']],
    [
      'two entries have changed places',
      ['UPDATE i2 SET rid = CASE rid WHEN 10 THEN 20 ELSE 10 END WHERE rid IN (10, 20)'],
      ['index n lacks keys of document 10', 'index n lacks keys of document 20'],
    ],
    ['words of the text index are missing', ['DELETE FROM i4 WHERE rowid = 1100'], ['index text has 2398 keys instead of 2400']],
  ])('a check of a collection finds that %s', async (_, changes, faults) => {
    const dataDir = await aDirectory((sql) => {
      for (const change of changes) sql(change);
    });
    expect(await faultsOf(dataDir)).toEqual(faults);
  });

  it('a check of a collection names a damaged document, and checks the others', async () => {
    const dataDir = await aDirectory((sql) => {
      sql("UPDATE c1 SET doc = x'00' WHERE rid = 7");
      sql('UPDATE c1 SET doc = ? WHERE rid = 1100', withoutText);
    });
    expect(await faultsOf(dataDir)).toEqual([
      'document 7: document 7 of test.things is not valid BSON.',
      expect.stringContaining('index _id_ lacks keys of document 1100'),
      expect.stringContaining('index tags lacks keys of document 1100'),
    ]);
  });
});
