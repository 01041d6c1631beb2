import { copyFileSync, cpSync, openSync, readdirSync, readSync, statSync, truncateSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startDatabase } from '../src/server.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';
import { forkDatabase } from './support/victim.ts';

const pageBytes = 4096;
const fileName = 'database.sqlite';
const logName = `${fileName}-wal`;

/** The directory of a closed database with documents. */
async function aDirectory(documents = 2_000): Promise<string> {
  const dataDir = freshDirectory();
  const database = await startDatabase({ dataDir });
  const client = connect(database.uri);
  const things = client.db('test').collection('things');
  await things.createIndex({ n: 1 });
  await things.insertMany(Array.from({ length: documents }, (_, n) => ({ n, text: `text ${n} `.repeat(20) })));
  await client.close();
  await database.close();
  return dataDir;
}

/** Overwrites bytes of a file. */
function overwrite(path: string, at: number, bytes: Buffer): void {
  const file = openSync(path, 'r+');
  writeSync(file, bytes, 0, bytes.length, at);
}

/** Flips one bit of a stored text. */
function flipText(directory: string): void {
  const path = join(directory, fileName);
  const file = openSync(path, 'r');
  const all = Buffer.alloc(statSync(path).size);
  readSync(file, all, 0, all.length, 0);
  const at = all.indexOf('text 1000 ');
  overwrite(path, at, Buffer.of((all[at] as number) ^ 1));
}

/** Writes to a database in another process and kills that process, so that its log remains. */
async function aKilled(dataDir: string, documents = 50): Promise<void> {
  const database = await forkDatabase(dataDir);
  const things = connect(database.uri).db('test').collection('things');
  for (let n = 0; n < documents; n++) await things.insertOne({ n });
  await database.kill();
}

async function checkAll(uri: string): Promise<Record<string, unknown>> {
  let reply: Record<string, unknown> = { next: 0 };
  do reply = await connect(uri).db('admin').command({ checkPages: 1, from: reply.next });
  while (reply.next !== 0);
  return reply;
}

const backUp = (uri: string, directory: string) => connect(uri).db('admin').command({ backup: 1, directory });

/** Captures the messages of a start. */
function printed(): string[] {
  const lines: string[] = [];
  const write = vi.spyOn(process.stderr, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
  onTestFinished(() => write.mockRestore());
  return lines;
}

describe('a damaged file', () => {
  it('a check and a backup notice one wrong bit of a text, and the backup writes nothing', async () => {
    const dataDir = await aDirectory();
    const place = freshDirectory();
    flipText(dataDir);
    const { uri } = await freshDatabase({ dataDir });
    const sentence = /^1 page of 4 KB \(\d+\) does not have the content that was written \(found at .*Z\)\.$/;
    expect(await checkAll(uri)).toMatchObject({ damage: expect.stringMatching(sentence) });
    await expect(backUp(uri, join(place, 'copy'))).rejects.toMatchObject({
      code: 366,
      message: expect.stringContaining('The database file is damaged: 1 page of 4 KB'),
    });
    expect(readdirSync(place)).toEqual([]);
  });

  it('no damage is reported where there is none, while others write', async () => {
    const { uri } = await freshDatabase();
    const place = freshDirectory();
    const things = connect(uri).db('test').collection('things');
    let isOver = false;
    const writers = Array.from({ length: 8 }, async (_, writer) => {
      for (let n = 0; !isOver; n++) await things.insertOne({ writer, n, text: 'x'.repeat(2_000) });
    });
    try {
      for (let round = 0; round < 5; round++) {
        expect(await checkAll(uri)).toMatchObject({ damage: null });
        await backUp(uri, join(place, `copy ${round}`));
      }
    } finally {
      isOver = true;
      await Promise.all(writers);
    }
  });

  it('damage is noticed when its page is written again with another change', async () => {
    const dataDir = await aDirectory();
    flipText(dataDir);
    const database = await startDatabase({ dataDir });
    const things = connect(database.uri).db('test').collection('things');
    await things.updateOne({ n: 1001 }, { $set: { text: 'changed' } });
    await database.close();
    const { uri } = await freshDatabase({ dataDir });
    expect(await checkAll(uri)).toMatchObject({ damage: expect.stringContaining('1 page of 4 KB') });
  });

  it('a file whose end is missing is refused by the start', async () => {
    const dataDir = await aDirectory();
    const path = join(dataDir, fileName);
    truncateSync(path, statSync(path).size - 3 * pageBytes);
    await expect(startDatabase({ dataDir })).rejects.toMatchObject({
      code: 'DAMAGED',
      message: `The database in ${dataDir} is damaged (database disk image is malformed): restore a backup.`,
    });
  });

  it('no damage is reported after work, a kill, a copy, a restored backup, or a start of another version', async () => {
    const dataDir = await aDirectory();
    await aKilled(dataDir);
    const copied = join(freshDirectory(), 'copied');
    const restored = join(freshDirectory(), 'restored');
    const database = await startDatabase({ dataDir });
    expect(await checkAll(database.uri)).toMatchObject({ damage: null, dropped: null });
    expect(await backUp(database.uri, restored)).toMatchObject({ documents: { 'test.things': 2_050 } });
    await database.close();
    expect(readdirSync(restored)).toEqual([fileName]);
    cpSync(dataDir, copied, { recursive: true });
    const over = await aDirectory(10);
    copyFileSync(join(restored, fileName), join(over, fileName));
    // An earlier version does not announce checksums, and changes pages without updating them.
    const earlier = await aDirectory(20);
    overwrite(join(earlier, 'holder.json'), 0, Buffer.from(' '.repeat(100)));
    overwrite(join(earlier, fileName), 8 * pageBytes + 3000, Buffer.from([1, 2, 3]));
    for (const directory of [dataDir, copied, restored, over, earlier]) {
      const { uri } = await freshDatabase({ dataDir: directory });
      expect(await checkAll(uri)).toMatchObject({ damage: null, dropped: null });
    }
  });
});

describe('the log', () => {
  it.each<[string, (log: string) => void]>([
    ['a flipped bit', (log) => overwrite(log, 32 + 30 * 4120 + 2000, Buffer.of(255))],
    ['a damaged head', (log) => overwrite(log, 4, Buffer.from('noise'))],
    ['its second half of zeros', (log) => overwrite(log, Math.floor(140 * 1000), Buffer.alloc(statSync(log).size - 140_000))],
    ['its second half missing', (log) => truncateSync(log, 140_000)],
    ['everything missing', (log) => truncateSync(log, 0)],
  ])('after damage of the log with %s, the start says how much it dropped, and since when', async (_what, damage) => {
    const dataDir = await aDirectory(10);
    await aKilled(dataDir);
    damage(join(dataDir, logName));
    const lines = printed();
    const { uri } = await freshDatabase({ dataDir });
    const sentence =
      /^The start at .*Z had to leave out the last \d+ frames of 4 KB of the log \(the latest document before them is of .*Z\): they had been acknowledged, and are lost\.$/;
    expect(lines.join('').trim()).toMatch(sentence);
    expect(await checkAll(uri)).toMatchObject({ damage: null, dropped: lines.join('').trim() });
  });

  it('a log that lost acknowledged writes is reported by each start until it is acknowledged', async () => {
    const dataDir = await aDirectory(10);
    await aKilled(dataDir);
    truncateSync(join(dataDir, logName), 140_000);
    printed();
    const first = await startDatabase({ dataDir });
    expect(await checkAll(first.uri)).toMatchObject({ isIncomplete: true });
    await first.close();
    const second = await startDatabase({ dataDir });
    expect(await checkAll(second.uri)).toMatchObject({ isIncomplete: true });
    await connect(second.uri).db('admin').command({ acknowledgeDamage: 1 });
    await second.close();
    const third = await freshDatabase({ dataDir });
    expect(await checkAll(third.uri)).toMatchObject({ isIncomplete: false, dropped: null });
  });

  it('a log that ends in an unfinished write causes no warning', async () => {
    const dataDir = await aDirectory(10);
    await aKilled(dataDir);
    const lines = printed();
    await freshDatabase({ dataDir });
    expect(lines).toEqual([]);
  });

  it('a log that is damaged while it is in use is noticed by a check and a backup', async () => {
    const dataDir = freshDirectory();
    const database = await freshDatabase({ dataDir });
    const things = connect(database.uri).db('test').collection('things');
    await things.insertMany(Array.from({ length: 500 }, (_, n) => ({ n, text: 'x'.repeat(200) })));
    overwrite(join(dataDir, logName), 32 + 10 * 4120 + 1000, Buffer.from('noise'));
    expect(await checkAll(database.uri)).toMatchObject({ damage: expect.stringContaining('the log does not have') });
    await expect(backUp(database.uri, join(freshDirectory(), 'copy'))).rejects.toMatchObject({ code: 366 });
  });
});
