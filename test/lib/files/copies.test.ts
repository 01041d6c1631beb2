import { existsSync, readdirSync, readlinkSync, rmSync, statSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it, vi } from 'vitest';
import { databaseCommands } from '../../../admin/commands/database.ts';
import { transferCommands } from '../../../admin/commands/transfer.ts';
import { fileQuotas } from '../../../lib/collections/rooms/file-quotas.ts';
import { files } from '../../../lib/collections/rooms/files.ts';
import { database } from '../../../lib/database/client.ts';
import { exportUser } from '../../../lib/exports/users.ts';
import { anAccount } from '../../support/accounts.ts';
import { aFile } from '../../support/files.ts';
import { aMessage } from '../../support/messages.ts';
import { useOwnFiles } from '../../support/own-files.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

const directory = useOwnFiles();
const place = await mkdtemp(join(tmpdir(), 'chat-copies-'));
afterAll(() => rm(place, { recursive: true }));

const ann = await anAccount();
const room = await aRoomOf([ann]);
const file = await aFile(ann, room, { preview: 'RIFF\x10\0\0\0WEBPVP8 ' });
await aMessage(ann, room, { files: [file.id] });
await aFile(ann, room, { bytes: undefined });

const read = async () => (await call('GET', file.url, { token: ann.token })).body;
const keys = (of: string) =>
  readdirSync(of, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));
const { key = '' } = (await files.findOne({ _id: new ObjectId(file.id) })) ?? {};

const told: string[] = [];
const sink = { write: (text: string) => void told.push(text) } as never;
const streams = { stdin: process.stdin, stdout: sink, stderr: sink };
type Run = (operands: string[], options: Record<string, never>, streams: object) => Promise<{ text: string }>;
const run = (command: unknown, ...operands: string[]) => (command as Run)(operands, {}, streams);

/** The paths of the files and directories that work syncs. */
async function syncedBy(work: () => Promise<unknown>): Promise<string[]> {
  const handle = await open(place);
  const synced: string[] = [];
  const sync = vi.spyOn(Object.getPrototypeOf(handle), 'sync').mockImplementation(async function (this: unknown) {
    synced.push(readlinkSync(`/proc/self/fd/${(this as { fd: number }).fd}`));
  });
  await work().finally(() => sync.mockRestore());
  await handle.close();
  return synced;
}

describe('files', () => {
  it('files are checked with the database: each has its bytes, and nothing else is there', async () => {
    expect((await run(databaseCommands['database check'])).text).toContain('\nfiles: 1\n');
  });

  it.runIf(isEmbedded)('files are in a backup, as hard links, after the database', async () => {
    const backup = join(place, 'backup');
    expect((await run(databaseCommands.backup, backup)).text).toContain('\nfiles: 1');
    expect(keys(join(backup, 'files')).sort()).toEqual([key, `${key}p`].sort());
    const path = join(key.slice(0, 2), key);
    expect(statSync(join(backup, 'files', path)).ino).toBe(statSync(join(directory, path)).ino);
  });

  it.runIf(existsSync('/proc/self/fd'))(
    'exports and copies of files survive a power cut: the directory of each new name is synced',
    async () => {
      const exported = join(place, 'synced.ndjson');
      const synced = await syncedBy(() => run(transferCommands.export, exported));
      expect(synced).toEqual(expect.arrayContaining([place, `${exported}.files`, join(`${exported}.files`, key.slice(0, 2))]));
      const folder = join(place, 'ann');
      const ofFolder = await syncedBy(() => exportUser(new ObjectId(ann.id), folder, () => {}));
      expect(ofFolder).toEqual(expect.arrayContaining([place, folder, join(folder, 'account.json'), join(folder, 'files')]));
    },
  );

  it('files are exported and imported with the data, and an import counts their bytes again', async () => {
    const path = join(place, 'all.ndjson');
    await run(transferCommands.export, path);
    expect(told.join('')).toContain(`The bytes of 1 files are in ${path}.files.`);
    rmSync(directory, { recursive: true });
    expect(await read()).toMatchObject({ code: 'file_not_found' });
    expect((await run(databaseCommands['database check'])).text).toContain('files: 1 (the bytes of 1 are missing)');
    for (const { name } of await database.listCollections().toArray()) await database.collection(name).deleteMany({});
    await run(transferCommands.import, path);
    expect(await read()).toBe('Hello');
    // The preview's 16 bytes, and the size of the announced file.
    expect(await fileQuotas.findOne({ _id: ann.id })).toMatchObject({ bytes: 5 + 16 + 5 });
    expect((await run(databaseCommands['database check'])).text).toContain('\nfiles: 1\n');
  });

  it('files are not beside an export of a service that has none', async () => {
    await files.deleteMany({});
    const path = join(place, 'none.ndjson');
    await run(transferCommands.export, path);
    expect(existsSync(`${path}.files`)).toBe(false);
  });
});
