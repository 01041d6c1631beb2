import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from 'embedded-mongodb';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { readSettings, SettingsError } from '../../../hosts/server/settings.ts';
import { backupState, makeBackup, scheduleBackups } from '../../../hosts/server/work/backups.ts';
import { database } from '../../../lib/database/client.ts';
import { useDatabaseWithin } from '../../support/database-within.ts';

await useDatabaseWithin();

const place = await mkdtemp(join(tmpdir(), 'chat-backups-'));
afterAll(() => rm(place, { recursive: true }));

const notes = database.collection('notes');
const first = Date.UTC(2026, 10, 21, 10, 8, 43);
const hour = 3_600_000;

/** The messages of a server that was started with a backup. */
async function restored(directory: string): Promise<number[]> {
  const running = await startDatabase({ dataDir: directory });
  const client = new MongoClient(running.uri);
  const found = await client
    .db(database.databaseName)
    .collection('notes')
    .find({}, { sort: { n: 1 } })
    .toArray();
  await client.close();
  await running.close();
  return found.map(({ n }) => n);
}

describe('scheduled backups', () => {
  it('each scheduled backup can be restored, and the oldest are removed after a new one is complete', async () => {
    const directory = join(place, 'rotated');
    const settings = { directory, every: hour, keep: 3 };
    // Neither what others keep there, nor what looks alike, but what a killed process left.
    await mkdir(join(directory, 'chat-2026-11-20'), { recursive: true });
    await writeFile(join(directory, 'notes.txt'), '');
    await mkdir(join(directory, 'chat-2026-11-21T09-00-00Z.0123456789ab.partial'));
    for (let n = 0; n < 5; n++) {
      await notes.insertOne({ n });
      expect(await makeBackup(settings, first + n * hour)).toBe(true);
    }
    const names = ['chat-2026-11-21T12-08-43Z', 'chat-2026-11-21T13-08-43Z', 'chat-2026-11-21T14-08-43Z'];
    expect((await readdir(directory)).sort()).toEqual(['chat-2026-11-20', ...names, 'notes.txt']);
    const contents = [];
    for (const name of names) contents.push(await restored(join(directory, name)));
    expect(contents).toEqual([
      [0, 1, 2],
      [0, 1, 2, 3],
      [0, 1, 2, 3, 4],
    ]);
    expect(backupState).toEqual({ madeAt: first + 4 * hour, failed: 0 });
  });

  it('scheduled backups remove nothing when one fails', async () => {
    const directory = join(place, 'failing');
    const settings = { directory, every: hour, keep: 1 };
    await makeBackup(settings, first);
    // There is something at its place already.
    expect(await makeBackup(settings, first)).toBe(false);
    expect(await readdir(directory)).toEqual(['chat-2026-11-21T10-08-43Z']);
    expect(backupState).toMatchObject({ failed: 1 });
    expect(await makeBackup(settings, first + hour)).toBe(true);
    expect(await readdir(directory)).toEqual(['chat-2026-11-21T11-08-43Z']);
    expect(backupState).toMatchObject({ failed: 0 });
  });

  it('scheduled backups are due when the newest is old enough, also after a restart and a clock that was ahead', async () => {
    const directory = join(place, 'due');
    await makeBackup({ directory, every: hour, keep: 9 }, Date.now() + 1_000 * hour);
    const { end } = scheduleBackups({ directory, every: 100, keep: 9 });
    await expect.poll(async () => (await readdir(directory)).length).toBeGreaterThan(1);
    await end();
  });

  it('scheduled backups go on after the directory could not be read, and each such look counts as one that failed', async () => {
    const directory = join(place, 'unreadable');
    await writeFile(directory, 'not a directory');
    const before = backupState.failed;
    const { end } = scheduleBackups({ directory, every: 100, keep: 9 });
    await expect.poll(() => backupState.failed).toBeGreaterThan(before + 1);
    await rm(directory);
    // Another one in the same second would have the same name.
    await expect.poll(() => backupState).toEqual({ madeAt: expect.any(Number), failed: 0 });
    await end();
  });

  it.each([
    ['BACKUP_EVERY', 'often'],
    ['BACKUP_EVERY', '0h'],
    ['BACKUP_KEEP', 'all'],
  ])('scheduled backups are refused with %s=%s', (name, value) => {
    expect(() => readSettings([], { BACKUP_DIR: 'backups', [name]: value })).toThrow(SettingsError);
  });

  it('scheduled backups are set by variables and options', () => {
    expect(readSettings([], {}).backup).toBeUndefined();
    // The functions read only the environment. They report late backups to administrators.
    expect(readSettings(['--backup-dir', '/backups', '--backup-every', '30m'], {}).backupVariables).toEqual({
      BACKUP_DIR: '/backups',
      BACKUP_EVERY: '30m',
    });
    expect(readSettings(['--backup-every', '30m'], { BACKUP_DIR: '/backups', BACKUP_KEEP: '2' }).backup).toEqual({
      directory: '/backups',
      every: 1_800_000,
      keep: 2,
    });
  });
});
