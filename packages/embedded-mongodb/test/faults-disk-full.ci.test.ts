import { appendFileSync, mkdtempSync, rmSync, truncateSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Document } from 'bson';
import { describe, expect, it, onTestFinished } from 'vitest';
import { connect, freshDatabase } from './support/database.ts';
import { examine, prepare, testDatabase } from './support/examine.ts';
import { nothingWrong } from './support/findings.ts';
import { makeImage, mountImage, whyNoImages } from './support/loop-image.ts';
import { testSeed } from './support/random.ts';
import { writeSome, writeUntilRefused } from './support/refusals.ts';
import { forkDatabase } from './support/victim.ts';
import { connectWire } from './support/wire-client.ts';
import { createWriter } from './support/writer.ts';

const hindrance = whyNoImages();
const outOfDiskSpace = 14031;

describe(`a disk that is full${hindrance ? ` (skipped: ${hindrance})` : ''}`, () => {
  it.runIf(hindrance === undefined)(
    'a full disk refuses writes, serves reads, loses nothing, and accepts writes again when there is space',
    async () => {
      const mountpoint = smallDisk(24);
      const dataDir = join(mountpoint, 'data');
      const database = await start(dataDir);
      const writers = Array.from({ length: 8 }, (_, id) => createWriter(id, testSeed));
      await prepare(database.uri);
      await writeSome(writers, database.uri, 20);
      await insertFixed(database.uri);

      for (const spare of [0, 100_000]) {
        const filler = fill(mountpoint, spare);
        const reading = readSame(database.uri);
        const { codes } = await writeUntilRefused(writers, database.uri, 1);
        expect(await reading.stop()).toEqual([]);
        expect([...codes]).toEqual([outOfDiskSpace]);
        expect(await stateOf(database.uri)).toMatchObject({ readOnly: 'no space left on the device; nothing was written' });
        expect(await examine(writers, database.uri)).toEqual(nothingWrong);
        rmSync(filler);
        // It tests for space by itself, before any client writes.
        expect(await stateOf(database.uri)).toMatchObject({ readOnly: null });
        await writeSome(writers, database.uri, 20);
        expect(await examine(writers, database.uri)).toEqual(nothingWrong);
      }

      fill(mountpoint, 0);
      await writeUntilRefused(writers, database.uri, 1);
      await database.kill();
      const { uri } = await start(dataDir);
      expect(await examine(writers, uri)).toEqual(nothingWrong);
    },
  );

  it.runIf(hindrance === undefined)('a full disk allows the start of a database that was closed cleanly', async () => {
    const mountpoint = smallDisk(24);
    const dataDir = join(mountpoint, 'data');
    const database = await freshDatabase({ dataDir });
    await insertFixed(database.uri);
    await database.close();
    fill(mountpoint, 0);
    fill(mountpoint, 0, 'rest', 1);
    const { uri } = await freshDatabase({ dataDir });
    expect(await connect(uri).db(testDatabase).collection('fixed').countDocuments()).toBe(1);
  });

  it.runIf(hindrance === undefined)('a full disk keeps expired documents until there is space again', async () => {
    const mountpoint = smallDisk(48);
    const { uri } = await freshDatabase({ dataDir: join(mountpoint, 'data'), sweepMillis: 20 });
    const tokens = connect(uri).db('test').collection('tokens');
    // In small batches, so that the log stays smaller than the removal's writes.
    for (let i = 0; i < 100; i++)
      await tokens.insertMany(Array.from({ length: 100 }, () => ({ until: new Date(), pad: 'x'.repeat(1000) })));
    const filler = fill(mountpoint, 500_000);
    await tokens.createIndex({ until: 1 }, { expireAfterSeconds: 0 });
    await sleep(100);
    expect(await tokens.countDocuments()).toBe(10_000);
    rmSync(filler);
    await expect.poll(() => tokens.countDocuments(), { timeout: 10_000 }).toBe(0);
  });
});

function smallDisk(megabytes: number): string {
  const directory = mkdtempSync(join(tmpdir(), 'small-'));
  const file = join(directory, 'image');
  makeImage(file, megabytes);
  const image = mountImage(file);
  onTestFinished(() => {
    image.unmount();
    rmSync(directory, { recursive: true });
  });
  return image.mountpoint;
}

const stateOf = (uri: string) => connect(uri).db('admin').command({ fileId: 1 });

async function insertFixed(uri: string): Promise<void> {
  const client = await connectWire(uri);
  expect(await client.command(testDatabase, { insert: 'fixed', documents: [{ _id: 1 }] })).toMatchObject({ n: 1 });
  client.close();
}

/** Reads one document continuously. Returns the wrong replies. */
function readSame(uri: string): { stop(): Promise<Document[]> } {
  const wrong: Document[] = [];
  let stopped = false;
  const read = async () => {
    const client = await connectWire(uri);
    while (!stopped) {
      const answer = await client.command(testDatabase, { find: 'fixed' });
      if (answer.cursor?.firstBatch.length !== 1) wrong.push(answer);
    }
    client.close();
  };
  const done = read();
  return {
    async stop() {
      stopped = true;
      await done;
      return wrong;
    },
  };
}

/**
 * Fills the disk except for some spare bytes, to within a block. Returns the file whose deletion
 * frees the space.
 */
function fill(mountpoint: string, spare: number, name = 'filler', blockBytes = 50_000): string {
  const filler = join(mountpoint, name);
  const block = Buffer.alloc(blockBytes);
  let size = 0;
  try {
    for (;;) {
      appendFileSync(filler, block);
      size += block.length;
    }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
  }
  truncateSync(filler, Math.max(size - spare, 0));
  return filler;
}

async function start(dataDir: string) {
  const database = await forkDatabase(dataDir);
  onTestFinished(() => database.kill());
  return database;
}
