import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Collection, Db } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { normalised } from '../src/catalog/index-specs.ts';
import { Operation } from '../src/operation.ts';
import { startDatabase } from '../src/server.ts';
import { Catalog } from '../src/storage/catalog.ts';
import { checkCollection } from '../src/storage/check.ts';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import { createGroupCommit } from '../src/storage/group-commit.ts';
import type { TextIndex } from '../src/storage/index/text-index.ts';
import { createTextMerges } from '../src/storage/text-merges.ts';
import { encode } from '../src/values/bson.ts';
import { d } from './query/notation.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

type Note = { _id: number; text: string };

describe('the words of the latest documents, which the text index stores later', () => {
  it('the words of the latest documents are found, until the documents are removed', async () => {
    const { notes, db } = await freshNotes();
    await notes.insertMany([note(1, 'tea'), note(2, 'tea with milk'), note(3, 'coffee')]);
    await notes.updateOne({ _id: 1 }, { $set: { text: 'water' } });
    await notes.deleteOne({ _id: 3 });
    expect(await found(notes, 'tea')).toEqual([2]);
    expect(await found(notes, 'water')).toEqual([1]);
    expect(await found(notes, 'coffee')).toEqual([]);
    await expectValid(db, 4);
  });

  it('the words of the latest documents are found beside those of earlier ones, each once, whenever they are stored', async () => {
    const { notes, db } = await freshNotes();
    for (let from = 0; from < 800; from += 100) {
      await notes.insertMany(Array.from({ length: 100 }, (_, i) => note(from + i, `tea number ${from + i}`)));
      expect(await found(notes, 'tea')).toEqual(Array.from({ length: from + 100 }, (_, i) => i));
    }
    await notes.deleteMany({ _id: { $gte: 100 } });
    expect(await found(notes, 'tea')).toHaveLength(100);
    await expectValid(db, 300);
  });

  it('the words of the latest documents are read once by a reader that continues while they are stored', async () => {
    const { notes, db } = await freshNotes();
    await notes.insertMany(Array.from({ length: 30 }, (_, i) => note(i, 'tea')));
    const reader = notes.find({ $text: { $search: 'tea' } }, { batchSize: 10 });
    const seen = [(await reader.next())?._id as number];
    await notes.insertMany(Array.from({ length: 300 }, (_, i) => note(100 + i, `word${i} of${i} many${i} others${i}`)));
    for await (const { _id } of reader) seen.push(_id);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, i) => 29 - i));
    await expectValid(db, 30 + 4 * 300);
  });

  it('the words of the latest documents are found again after a restart', async () => {
    const dataDir = freshDirectory();
    const first = await startDatabase({ dataDir });
    const before = await withTextIndex(first.uri);
    await before.notes.insertMany([note(1, 'tea'), note(2, 'coffee')]);
    await first.close();
    const second = await freshDatabase({ dataDir });
    const after = await withTextIndex(second.uri);
    await after.notes.insertOne(note(3, 'tea'));
    expect(await found(after.notes, 'tea')).toEqual([1, 3]);
    await expectValid(after.db, 3);
  });

  it('the words of the latest documents are stored often enough that a start has few documents to read, even if those have no words', async () => {
    const dataDir = freshDirectory();
    const database = await startDatabase({ dataDir });
    const { notes } = await withTextIndex(database.uri);
    await notes.insertMany(Array.from({ length: 1500 }, (_, i) => note(i, '...')));
    await database.close();
    const file = new DatabaseSync(join(dataDir, 'database.sqlite'));
    const [row] = file.prepare('SELECT max(stored_to) AS last FROM indexes').all();
    file.close();
    expect(row?.last).toBeGreaterThan(500);
  });

  it('the words of the latest documents are merged, so that a search reads few parts', async () => {
    const { commits, words, insert, parts, errors } = await freshIndex();
    insert(1200);
    expect([words.isUntidy, parts()]).toEqual([true, expect.toSatisfy((count) => count > 2)]);
    while (words.isUntidy) commits.write(() => words.merge(4));
    expect(parts()).toBe(1);
    insert(200);
    do commits.write(() => words.merge(4));
    while (words.isUntidy);
    expect(parts(), 'also when few were added to many').toBe(1);
    expect(errors()).toEqual([]);
  });

  it('the words of the latest documents are merged in the background until few parts are left', async () => {
    const { catalog, commits, words, insert, parts } = await freshIndex();
    insert(1200);
    createTextMerges(catalog, commits)();
    await expect.poll(() => words.isUntidy).toBe(false);
    expect(parts()).toBe(1);
  });

  it('the words of the latest documents are merged completely even while others are stored', async () => {
    const { commits, words, insert, parts, errors } = await freshIndex();
    insert(1200);
    let steps = 0;
    for (; words.isUntidy && steps < 50; steps++) {
      commits.write(() => words.merge(4));
      insert(100);
    }
    expect(steps).toBeLessThan(20);
    expect(parts()).toBeLessThan(20);
    expect(errors()).toEqual([]);
  });

  it('the words of the latest documents are counted like those of others', async () => {
    const { notes } = await freshNotes();
    await notes.insertMany([note(1, 'tea'), note(2, 'tea'), note(3, 'coffee')]);
    expect(await notes.countDocuments({ $text: { $search: 'tea' } })).toBe(2);
  });
});

const note = (_id: number, text: string): Note => ({ _id, text });

const freshNotes = async () => withTextIndex((await freshDatabase()).uri);

async function withTextIndex(uri: string): Promise<{ db: Db; notes: Collection<Note> }> {
  const db = connect(uri).db('test');
  const notes = db.collection<Note>('notes');
  await notes.createIndex({ text: 'text' }, { default_language: 'none', name: 'words' });
  return { db, notes };
}

async function found(notes: Collection<Note>, $search: string): Promise<number[]> {
  return (await notes.find({ $text: { $search } }).toArray()).map(({ _id }) => _id).sort((a, b) => a - b);
}

/** A text index on its own. The test decides when it is merged. */
async function freshIndex() {
  const file = await openDatabaseFile(freshDirectory());
  onTestFinished(() => file.close());
  const commits = createGroupCommit(file, () => {});
  onTestFinished(() => commits.flush());
  const catalog = new Catalog(file, () => commits);
  const notes = catalog.create('test', 'notes');
  const spec = normalised(d({ key: { text: 'text' }, name: 'words', default_language: 'none' }));
  const words = catalog.addIndex(notes, spec) as TextIndex;
  let last = 0;
  return {
    catalog,
    commits,
    words,
    insert(count: number) {
      for (const end = last + count; last < end; last++) {
        const doc = d({ _id: last, text: `tea number ${last}` });
        notes.insert(encode(doc), () => doc);
        commits.flush();
      }
    },
    parts: () => (file.prepare(`SELECT count(DISTINCT segid) FROM ${words.table}_idx`).get() as unknown as [number])[0],
    errors: () => checkCollection(file, notes, true, new Operation()).errors,
  };
}

/** Checks that the index has each document under exactly its words. */
async function expectValid(db: Db, words: number): Promise<void> {
  const checked = await db.command({ validate: 'notes', full: true });
  expect(checked).toMatchObject({ valid: true, errors: [], keysPerIndex: { words } });
}
