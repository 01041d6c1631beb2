import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import { ObjectId } from 'mongodb';
import { describe, expect, it, vi } from 'vitest';
import { fileQuotas } from '../../../lib/collections/rooms/file-quotas.ts';
import { files } from '../../../lib/collections/rooms/files.ts';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { recountQuotas } from '../../../lib/files/quotas.ts';
import { sweepFiles, unboundTime } from '../../../lib/files/removal.ts';
import { findStore, previewKey } from '../../../lib/files/store.ts';
import { deleteRoom, finishRoomDeletions } from '../../../lib/rooms/deletion.ts';
import { anAccount } from '../../support/accounts.ts';
import { announced, measured } from '../../support/files.ts';
import { allWrites, countWritesOf, type Death, dyingAt, randomLives, step } from '../../support/kills.ts';
import { useOwnFiles } from '../../support/own-files.ts';
import { useObjectStore } from '../../support/own-object-store.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

// The nightly suite runs this file with an object store as well.
const isInObjectStore = process.env.FILE_STORE === 's3';
if (isInObjectStore) await useObjectStore();
const directory = isInObjectStore ? '' : useOwnFiles();

/*
 * A process dies at a write of the database or of the disk that concerns files. Other collections
 * have their own tests.
 */
countWritesOf(['files', 'file_quotas', 'messages'], allWrites);
// Into an object store, senders put bytes without the process.
for (const method of isInObjectStore ? (['remove'] as const) : (['receive', 'remove'] as const)) {
  const known = findStore() as unknown as Record<typeof method, (...parameters: unknown[]) => Promise<void>>;
  const original = known[method];
  vi.spyOn(known, method).mockImplementation((...parameters: unknown[]) => step(() => original(...parameters)));
}

const ann = await anAccount();

type Command = { kind: 'announce' | 'upload' | 'send' | 'delete' | 'sweep' | 'deleteRoom'; which: number; isTwice: boolean };
const command: fc.Arbitrary<Command> = fc.record({
  kind: fc.constantFrom(
    'announce',
    'announce',
    'upload',
    'upload',
    'upload',
    'send',
    'send',
    'send',
    'delete',
    'sweep',
    'deleteRoom',
  ),
  which: fc.nat(5),
  isTwice: fc.boolean(),
});
/** The step at which the process dies, if it does. */
const killed = fc.record({
  command,
  death: fc.option(fc.record({ at: fc.nat(6), isDone: fc.boolean() }), { nil: undefined, freq: 3 }),
});

const begun = [
  ...[0, 1, 2].map((which) => ({ kind: 'announce' as const, which })),
  ...[0, 1, 2].map((which) => ({ kind: 'upload' as const, which })),
  ...[0, 1].map((which) => ({ kind: 'send' as const, which })),
].map((one) => ({ command: { ...one, isTwice: false }, death: undefined }));

describe('processes that die while they handle files', () => {
  it('after any death of a process every file has its bytes, its message and its place in the counts, and nothing else is left', {
    timeout: randomLives * 5_000,
  }, async () => {
    await fc.assert(fc.asyncProperty(fc.array(killed, { minLength: 3, maxLength: 14 }), live), { numRuns: randomLives });
  });
});

type Upload = { method: string; url: string; headers: Record<string, string> };
type KnownFile = { id: string; key: string; uploads: Upload[] };

async function live(all: { command: Command; death: Death | undefined }[]): Promise<void> {
  const rooms = [await aRoomOf([ann]), await aRoomOf([ann])];
  const known: KnownFile[] = [];
  const sent: string[] = [];
  const keys = new Map<string, string>();
  // Some are there before: announced, uploaded, and sent.
  for (const one of [...begun, ...all]) {
    const work = () => run(one.command, rooms, known, sent, keys).catch(() => undefined);
    await dyingAt(one.death, async () => {
      await Promise.all(one.command.isTwice ? [work(), work()] : [work()]);
      // Others may still be on their way when the first has failed.
      await new Promise((resolve) => setTimeout(resolve, 5));
    });
  }
  await expectConsistency();
}

async function run({ kind, which }: Command, rooms: string[], known: KnownFile[], sent: string[], keys: Map<string, string>) {
  const { token } = ann;
  const room = rooms[which % 2] as string;
  const file = known[which % Math.max(1, known.length)];
  if (kind === 'announce') {
    const bytes = `bytes ${which}`;
    const preview = which % 3 === 0 ? { preview: { type: 'image/webp', ...measured(bytes) } } : {};
    const { body } = await call('POST', '/api/files', { token, body: announced(room, bytes, preview) });
    const {
      _id,
      upload,
      preview_upload: other,
    } = body as { _id?: { $oid: string }; upload: Upload; preview_upload: Upload | null };
    if (_id) known.push({ id: _id.$oid, key: bytes, uploads: [upload, ...(other ? [other] : [])] });
  } else if (kind === 'upload' && file) {
    for (const { url, ...request } of file.uploads)
      await (url.startsWith('/') ? call('PUT', url, { token, body: file.key }) : fetch(url, { ...request, body: file.key }));
  } else if (kind === 'send' && file) {
    const ids = [...new Set([file.id, (known[(which + 1) % known.length] as KnownFile).id])].slice(0, 1 + (which % 2));
    const key = keys.get(ids.join()) ?? crypto.randomUUID();
    keys.set(ids.join(), key);
    const body = { room, files: ids };
    const { status, body: message } = await call('POST', '/api/messages', { token, body, headers: { 'idempotency-key': key } });
    if (status === 201) sent.push((message as { _id: { $oid: string } })._id.$oid);
  } else if (kind === 'delete' && sent.length > 0) {
    await call('DELETE', `/api/messages/${sent[which % sent.length]}`, { token });
  } else if (kind === 'deleteRoom' && which === 0) {
    await deleteRoom(new ObjectId(room));
  } else if (kind === 'sweep') {
    await sweepFiles({ isThorough: true });
  }
}

async function storedKeys(): Promise<string[]> {
  const all: string[] = [];
  if (isInObjectStore) for await (const keys of findStore()?.keysBefore(Number.POSITIVE_INFINITY) ?? []) all.push(...keys);
  else
    for (const entry of readdirSync(directory, { recursive: true, withFileTypes: true }))
      if (entry.isFile()) all.push(entry.name);
  return all;
}

/** The invariants after an idle day and a check. */
async function expectConsistency(): Promise<void> {
  // As `database check` does.
  await finishRoomDeletions();
  await sweepFiles({ isThorough: true, now: Date.now() + 2 * unboundTime });
  await recountQuotas({ atRestFor: 0 });
  const documents = await files.find({}).toArray();
  const said = await messages.find({ 'files.0': { $exists: true } }, { projection: { files: 1, deleted_at: 1 } }).toArray();
  const attached = said.flatMap(({ _id, files: some = [] }) => some.map((file) => `${file._id} of ${_id}`));
  expect(documents.map(({ _id, message }) => `${_id} of ${message}`).sort()).toEqual(attached.sort());
  expect(said.filter(({ deleted_at }) => deleted_at)).toEqual([]);
  // Of a preview that was stored and not noted, which goes with its file.
  const unnoted = documents.flatMap(({ key, preview }) => (preview && !preview.is_stored ? [previewKey(key)] : []));
  const bytes = (await storedKeys()).filter((name) => !unnoted.includes(name));
  const expected = documents.flatMap(({ key, preview }) => (preview?.is_stored ? [key, previewKey(key)] : [key]));
  expect(bytes.sort()).toEqual(expected.sort());
  const used = documents.reduce((sum, file) => sum + file.bytes, 0);
  const counted = await fileQuotas.find({}, { projection: { bytes: 1 } }).toArray();
  for (const one of counted) expect(one).toEqual({ _id: one._id, bytes: used });
}
