import { readdirSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { databaseCommands } from '../../../admin/commands/database.ts';
import { transferCommands } from '../../../admin/commands/transfer.ts';
import { database } from '../../../lib/database/client.ts';
import { anAccount } from '../../support/accounts.ts';
import { aFile, readAt } from '../../support/files.ts';
import { aMessage } from '../../support/messages.ts';
import { useObjectStore } from '../../support/own-object-store.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

const objectStore = await useObjectStore();

const place = await mkdtemp(join(tmpdir(), 'chat-copies-'));
afterAll(() => rm(place, { recursive: true }));

const ann = await anAccount();
const room = await aRoomOf([ann]);
const file = await aFile(ann, room, { preview: 'RIFF\x10\0\0\0WEBPVP8 ' });
await aMessage(ann, room, { files: [file.id] });

const keys = () => [...objectStore.objects.keys()].map((name) => basename(name)).sort();
const keysIn = (directory: string) =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));

const sink = { write: () => true } as never;
const streams = { stdin: process.stdin, stdout: sink, stderr: sink };
type Run = (operands: string[], options: Record<string, never>, streams: object) => Promise<{ text: string }>;
const run = (command: unknown, ...operands: string[]) => (command as Run)(operands, {}, streams);

describe('files in an object store', () => {
  it.runIf(isEmbedded)('files in an object store are in a backup, with their bytes', async () => {
    const backup = join(place, 'backup');
    expect((await run(databaseCommands.backup, backup)).text).toContain('\nfiles: 1');
    expect(keysIn(join(backup, 'files')).sort()).toEqual(keys());
  });

  it('files in an object store are beside an export, are missed by a check when they are gone, and come back with an import', async () => {
    const path = join(place, 'all.ndjson');
    await run(transferCommands.export, path);
    expect(keysIn(`${path}.files`).sort()).toEqual(keys());
    objectStore.objects.clear();
    expect((await run(databaseCommands['database check'])).text).toContain('files: 1 (the bytes of 1 are missing)');
    for (const { name } of await database.listCollections().toArray()) await database.collection(name).deleteMany({});
    await run(transferCommands.import, path);
    expect((await readAt(call, file.url, ann)).body).toBe('Hello');
    expect((await run(databaseCommands['database check'])).text).toContain('\nfiles: 1\n');
  });
});
