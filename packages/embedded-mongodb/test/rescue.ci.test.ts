import { readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { openRescue } from '../src/rescue/rescue.ts';
import { startDatabase } from '../src/server.ts';
import { connect, freshDirectory } from './support/database.ts';
import { placedDocuments } from './support/document-pages.ts';
import { frameStart, renewSums } from './support/log-sums.ts';
import { createRandom, type Random, testSeed } from './support/random.ts';
import { rescue } from './support/rescued.ts';
import { forkDatabase } from './support/victim.ts';

const pageBytes = 4096;
const fileName = 'database.sqlite';
const { RESCUES = '60' } = process.env;

/** A closed database with documents of all sizes, after many were removed. */
async function aDirectory(): Promise<string> {
  const dataDir = freshDirectory();
  const database = await startDatabase({ dataDir });
  const db = connect(database.uri).db('test');
  for (const [name, length] of [
    ['things', 3_000],
    ['rooms', 300],
    ['few', 3],
  ] as const) {
    await db.collection(name).createIndex({ [name]: 1 });
    const documents = Array.from({ length }, (_, n) => ({
      [name]: n,
      text: `text ${n} `.repeat(n % 50 === 0 ? 1_000 : 1 + (n % 40)),
    }));
    await db.collection(name).insertMany(documents);
  }
  await db.collection('things').deleteMany({ things: { $gte: 2_000, $lt: 2_500 } });
  await database.close();
  return dataDir;
}

/**
 * A closed database with 40 small collections, half of them without an index. Returns the pages of
 * its catalog too.
 */
async function manyCollections(): Promise<{ directory: string; pages: ReadonlySet<number> }> {
  const directory = freshDirectory();
  const database = await startDatabase({ dataDir: directory });
  const db = connect(database.uri).db('test');
  for (let n = 0; n < 40; n++) {
    const collection = db.collection(`collection${n}`);
    if (n % 2 === 0) await collection.createIndex({ [`field${n}`]: 1 });
    await collection.insertMany(Array.from({ length: 5 }, (_, at) => ({ [`field${n}`]: at })));
  }
  await database.close();
  const { catalogPages, copyPages } = placedDocuments(directory);
  return { directory, pages: new Set([...catalogPages, ...copyPages]) };
}

const noise = (random: Random) => Buffer.from(Array.from({ length: pageBytes }, () => random.below(256)));

/** Ways to damage a page of a file; `other` is another page of it. */
const damages: readonly ((random: Random, file: Buffer, page: number, other: number) => void)[] = [
  (random, file, page) => file.set(noise(random), page * pageBytes),
  (_, file, page) => file.fill(0, page * pageBytes, (page + 1) * pageBytes),
  (_, file, page, other) => file.copy(file, page * pageBytes, other * pageBytes, (other + 1) * pageBytes),
  (random, file, page, other) => file.writeUInt32BE(random.pick([page, other]) + 1, page * pageBytes + 8),
  (random, file, page) => file.set(noise(random).subarray(0, 12), page * pageBytes),
];

describe('a rescue', () => {
  it(`a rescue finds every document that lies on pages that are not damaged, and no other one, in ${RESCUES} cases (SEED=${testSeed})`, async () => {
    const dataDir = await aDirectory();
    const whole = readFileSync(join(dataDir, fileName));
    const { documents, catalogPages, pageCount } = placedDocuments(dataDir);
    const directory = freshDirectory();
    for (let run = 0; run < Number(RESCUES); run++) {
      const random = createRandom(testSeed + run);
      const file = Buffer.from(whole);
      const damaged = new Set<number>();
      for (let times = 1 + random.below(8); times > 0; times--) {
        const [page, other] = [random.below(pageCount), random.below(pageCount)];
        // Without the names of collections nothing can be assigned to them. A copy of a free page
        // has removed documents, which look like others.
        if (catalogPages.has(page + 1) || catalogPages.has(other + 1)) continue;
        random.pick(damages)(random, file, page, other);
        damaged.add(page + 1);
      }
      writeFileSync(join(directory, fileName), file);
      const { found, lost, isExact } = rescue(directory);
      const intact = documents.filter(({ pages }) => [...pages].every((page) => !damaged.has(page)));
      const missing = intact.filter(({ key, bytes }) => !found.get(key)?.equals(bytes)).map(({ key }) => key);
      const known = new Set(documents.map(({ key }) => key));
      const foreign = [...found.keys()].filter((key) => !known.has(key));
      expect({ run, missing: missing.slice(0, 5), foreign: foreign.slice(0, 5) }).toEqual({ run, missing: [], foreign: [] });
      if (found.size < documents.length) expect({ run, isSaid: lost > 0 || !isExact }).toEqual({ run, isSaid: true });
    }
  });

  it('a rescue of a database that is not damaged finds everything, and loses nothing', async () => {
    const dataDir = await aDirectory();
    const { found, ...loss } = rescue(dataDir);
    expect([found.size, loss]).toEqual([2_803, { lost: 0, isExact: true, doubtful: 0, lostFrames: 0 }]);
  });

  it('a rescue reads the log of a killed process', async () => {
    const dataDir = freshDirectory();
    const database = await forkDatabase(dataDir);
    const things = connect(database.uri).db('test').collection('things');
    for (let n = 0; n < 50; n++) await things.insertOne({ n, text: 'x'.repeat(100 * n) });
    await database.kill();
    expect(rescue(dataDir)).toMatchObject({ found: { size: 50 }, lost: 0, isExact: true, lostFrames: 0 });
  });

  it('a rescue ends although the log has a page far beyond the end of the file', async () => {
    const dataDir = freshDirectory();
    const database = await forkDatabase(dataDir);
    const things = connect(database.uri).db('test').collection('things');
    for (let n = 0; n < 50; n++) await things.insertOne({ n });
    await database.kill();
    const path = join(dataDir, `${fileName}-wal`);
    const log = readFileSync(path);
    const frames = Math.floor((log.length - frameStart(0)) / (frameStart(1) - frameStart(0)));
    log.writeUInt32BE(2 ** 31, frameStart(0));
    renewSums(log, frames);
    writeFileSync(path, log);
    expect(rescue(dataDir).found.size).toBe(50);
  });

  it('a rescue reads a file whose end is missing, although a start refuses it', async () => {
    const dataDir = await aDirectory();
    const { documents, pageCount } = placedDocuments(dataDir);
    const left = Math.floor(pageCount / 2);
    truncateSync(join(dataDir, fileName), left * pageBytes);
    await expect(startDatabase({ dataDir })).rejects.toMatchObject({ code: 'DAMAGED' });
    const intact = documents.filter(({ pages }) => [...pages].every((page) => page <= left));
    expect(new Set(rescue(dataDir).found.keys())).toEqual(new Set(intact.map(({ key }) => key)));
  });

  it.each([
    ['the first page is', 1],
    ['the list of collections is', 2],
  ])('a rescue finds all documents where %s damaged', async (_, page) => {
    const dataDir = freshDirectory();
    const database = await startDatabase({ dataDir });
    const db = connect(database.uri).db('test');
    const names = Array.from({ length: 40 }, (_, i) => `collection${i}`);
    for (const name of names) {
      await db.collection(name).createIndex({ [name]: 1 });
      await db.collection(name).insertMany(Array.from({ length: 20 }, (_, n) => ({ [name]: n, text: 'x'.repeat(500) })));
    }
    await database.close();
    const file = readFileSync(join(dataDir, fileName));
    file.fill(0xff, (page - 1) * pageBytes, page * pageBytes);
    writeFileSync(join(dataDir, fileName), file);
    await expect(startDatabase({ dataDir })).rejects.toMatchObject({ code: 'DAMAGED' });
    const indexes = Object.fromEntries(names.map((name) => [name, [`${name}_1`]]));
    expect(rescue(dataDir, { db: 'test', indexes })).toMatchObject({ found: { size: 40 * 20 }, lost: 0 });
  });

  it('a rescue finds all documents, also of collections without indexes, where any page of the catalog or its copy is damaged', async () => {
    const { directory, pages } = await manyCollections();
    const path = join(directory, fileName);
    const whole = readFileSync(path);
    for (const page of pages)
      for (const change of [
        (file: Buffer) => file.fill(0),
        (file: Buffer) => file.set(whole.subarray(4 * pageBytes, 5 * pageBytes)),
      ]) {
        const file = Buffer.from(whole);
        change(file.subarray((page - 1) * pageBytes, page * pageBytes));
        writeFileSync(path, file);
        expect({ page, ...rescue(directory) }).toMatchObject({ page, found: { size: 40 * 5 }, lost: 0 });
      }
  });

  it('a rescue without the catalog and its copy says which expected collections it does not find', async () => {
    const { directory, pages } = await manyCollections();
    const path = join(directory, fileName);
    const file = readFileSync(path);
    for (const page of pages) file.fill(0, (page - 1) * pageBytes, page * pageBytes);
    writeFileSync(path, file);
    const rescued = openRescue(directory, { db: 'test', indexes: { notes: [], rooms: ['room_1'] } });
    const losses = rescued.collections.map((collection) => {
      expect([...collection.documents()]).toEqual([]);
      return [collection.name, collection.lost().isExact];
    });
    rescued.close();
    expect(losses).toEqual([
      ['notes', false],
      ['rooms', false],
    ]);
  });

  it('a rescue counts the documents on pages with wrong checksums, because they may have changed', async () => {
    const dataDir = await aDirectory();
    const path = join(dataDir, fileName);
    const file = readFileSync(path);
    file[file.indexOf('text 1234 ') + 'text 1'.length] = '9'.charCodeAt(0);
    writeFileSync(path, file);
    const { found, doubtful, ...loss } = rescue(dataDir);
    expect([found.size, loss]).toEqual([2_803, { lost: 0, isExact: true, lostFrames: 0 }]);
    expect(doubtful).toBeGreaterThan(0);
    expect(doubtful).toBeLessThan(50);
  });

  it('a rescue says how many acknowledged frames of the log cannot be read', async () => {
    const dataDir = freshDirectory();
    const database = await forkDatabase(dataDir);
    const things = connect(database.uri).db('test').collection('things');
    for (let n = 0; n < 50; n++) await things.insertOne({ n });
    await database.kill();
    truncateSync(join(dataDir, `${fileName}-wal`), frameStart(20));
    const { found, lostFrames } = rescue(dataDir);
    expect(found.size).toBeLessThan(50);
    expect(lostFrames).toBeGreaterThan(0);
  });

  it('a rescue leaves the files as they are', async () => {
    const dataDir = await aDirectory();
    const before = readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mtimeMs]);
    rescue(dataDir);
    expect(readdirSync(dataDir).map((name) => [name, statSync(join(dataDir, name)).mtimeMs])).toEqual(before);
  });
});
