import { execFile } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { startDatabase } from '../src/server.ts';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import { sqlite } from '../src/storage/file/sqlite.ts';
import { connect, freshDatabase, freshDirectory } from './support/database.ts';

const backupScript = fileURLToPath(new URL('../bin/backup.ts', import.meta.url));
const run = promisify(execFile);

describe('a backup', () => {
  it('a backup waits for a transaction that is open as it begins', async () => {
    const file = await openDatabaseFile(freshDirectory());
    onTestFinished(() => file.close());
    file.exec('BEGIN IMMEDIATE');
    const target = join(freshDirectory(), 'copy');
    const copied = file.backup(target);
    await sleep(100);
    file.exec('COMMIT');
    await copied;
    (await openDatabaseFile(target)).close();
  });

  it('a backup of a running database has everything that was acknowledged before, in order and without gaps', async () => {
    const { uri } = await freshDatabase();
    const things = connect(uri).db('test').collection('things');
    await things.createIndex({ n: 1 }, { unique: true });
    await things.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(200) })));
    const target = join(freshDirectory(), 'copy');
    const state = { ended: false };
    const writing = (async () => {
      let n = 20_000;
      for (; !state.ended; n++) await things.insertOne({ n });
      return n;
    })();
    await run(process.execPath, [backupScript, uri, target]);
    state.ended = true;
    const written = await writing;
    const copy = connect((await freshDatabase({ dataDir: target })).uri).db('test');
    const numbers = (await copy.collection('things').find().sort({ n: 1 }).toArray()).map(({ n }) => n);
    expect(numbers.length).toBeGreaterThanOrEqual(20_000);
    expect(numbers.length).toBeLessThanOrEqual(written);
    expect(numbers).toEqual(Array.from(numbers, (_, n) => n));
    expect(await copy.command({ validate: 'things', full: true })).toMatchObject({ valid: true, nrecords: numbers.length });
  });

  it('a stopped database is backed up from its directory', async () => {
    const dataDir = freshDirectory();
    const first = await startDatabase({ dataDir });
    await connect(first.uri).db('test').collection('things').insertOne({ name: 'kept' });
    await first.close();
    const target = join(freshDirectory(), 'copy');
    await run(process.execPath, [backupScript, dataDir, target]);
    const copy = connect((await freshDatabase({ dataDir: target })).uri).db('test');
    expect(await copy.collection('things').findOne()).toMatchObject({ name: 'kept' });
  });

  it('a backup that fails leaves nothing, and can be repeated', async () => {
    const file = await openDatabaseFile(freshDirectory());
    const target = join(freshDirectory(), 'copies', 'copy');
    const backup = vi.spyOn(sqlite, 'backup').mockRejectedValueOnce(new Error('no space left on the device'));
    onTestFinished(() => backup.mockRestore());
    await expect(file.backup(target)).rejects.toThrow('The copy failed: no space left on the device');
    expect(readdirSync(dirname(target))).toEqual([]);
    await file.backup(target);
    file.close();
    expect(readdirSync(dirname(target))).toEqual(['copy']);
    (await openDatabaseFile(target)).close();
  });

  it('a backup overwrites nothing', async () => {
    const { uri } = await freshDatabase();
    const target = freshDirectory();
    writeFileSync(join(target, 'precious'), '');
    await expect(run(process.execPath, [backupScript, uri, target])).rejects.toMatchObject({
      stderr: `There is something at ${target} already; nothing was copied.\n`,
    });
  });

  it('a backup to a path below a file is refused with its reason', async () => {
    const file = await openDatabaseFile(freshDirectory());
    onTestFinished(() => file.close());
    const target = join(freshDirectory(), 'a-file');
    writeFileSync(target, '');
    await expect(file.backup(join(target, 'copy'))).rejects.toThrow(/^The directory cannot be made: ENOTDIR: not a directory/);
  });

  it('a backup is refused outside the database admin', async () => {
    const client = connect((await freshDatabase()).uri);
    const directory = join(freshDirectory(), 'copy');
    await expect(client.db('test').command({ backup: 1, directory })).rejects.toMatchObject({ code: 13 });
    expect(await client.db('admin').command({ backup: 1, directory })).toMatchObject({ ok: 1, directory });
  });
});
