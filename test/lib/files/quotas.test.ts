import { readdirSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { PassThrough } from 'node:stream';
import { ObjectId } from 'mongodb';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { bodyOf } from '../../../hosts/server/http/uploads.ts';
import { fileQuotas } from '../../../lib/collections/rooms/file-quotas.ts';
import { files } from '../../../lib/collections/rooms/files.ts';
import type { FileStore } from '../../../lib/files/file-store.ts';
import { recountQuotas } from '../../../lib/files/quotas.ts';
import { sweepFiles, unboundTime } from '../../../lib/files/removal.ts';
import { findStore } from '../../../lib/files/store.ts';
import { type Account, anAccount } from '../../support/accounts.ts';
import { aFile, announced } from '../../support/files.ts';
import { aMessage } from '../../support/messages.ts';
import { useOwnFiles } from '../../support/own-files.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

const directory = useOwnFiles();

const keys = () =>
  readdirSync(directory, { recursive: true, withFileTypes: true }).flatMap((entry) => (entry.isFile() ? [entry.name] : []));

afterEach(() => vi.restoreAllMocks());

const announce = async ({ token }: Account, room: string, size: number, fields: object = {}) => {
  const body = { ...announced(room, 'Hello', fields), size };
  const { status, body: answer } = await call('POST', '/api/files', { token, body });
  return status === 201 ? 201 : (answer as { code: string }).code;
};

const usedBy = async (owner: string) => (await fileQuotas.findOne({ _id: owner }))?.bytes ?? 0;

/** Removes all announced files. */
const sweepAll = () => sweepFiles({ now: Date.now() + 2 * unboundTime });

describe('the space for files', () => {
  it('the space for files is used up to the last byte by one account, with previews, and given back', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const preview = { type: 'image/webp', size: 20_000, sha256: 'a'.repeat(64) };
    expect(await announce(ann, room, 70_000, { preview })).toBe(201);
    expect(await announce(ann, room, 10_001)).toBe('quota_exceeded');
    expect(await announce(ann, room, 10_000)).toBe(201);
    expect(await announce(ann, room, 1)).toBe('quota_exceeded');
    expect(await usedBy(ann.id)).toBe(100_000);
    await sweepAll();
    expect([await usedBy(ann.id), await usedBy('service')]).toEqual([0, 0]);
    expect(await announce(ann, room, 100_000)).toBe(201);
    await sweepAll();
  });

  it('the space for files is never exceeded by concurrent requests, of one account or of all', async () => {
    const people = await Promise.all([anAccount(), anAccount(), anAccount()]);
    const rooms = await Promise.all(people.map((one) => aRoomOf([one])));
    const outcomes = await Promise.all(
      Array.from({ length: 60 }, (_, at) => announce(people[at % 3] as Account, rooms[at % 3] as string, 9_000)),
    );
    const granted = outcomes.filter((one) => one === 201).length;
    const used = await Promise.all(people.map(({ id }) => usedBy(id)));
    expect(Math.max(...used)).toBeLessThanOrEqual(99_000);
    expect(await usedBy('service')).toBe(granted * 9_000);
    expect(used.reduce((sum, one) => sum + one)).toBe(granted * 9_000);
    // As many files as fit into 250 kB. There may be one less if two requests reserved and released
    // space that a third could have used.
    expect(granted).toBeGreaterThanOrEqual(24);
    expect(granted).toBeLessThanOrEqual(27);
    await sweepAll();
    expect(await usedBy('service')).toBe(0);
  });

  it('the space for files is given back when a message, or its room, is deleted', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const [one, two] = [await aFile(ann, room, { bytes: 'x'.repeat(100) }), await aFile(ann, room, { bytes: 'x'.repeat(50) })];
    const { _id } = await aMessage(ann, room, { files: [one.id] });
    await aMessage(ann, room, { files: [two.id] });
    expect(await usedBy(ann.id)).toBe(150);
    await call('DELETE', `/api/messages/${_id.$oid}`, { token: ann.token });
    expect(await usedBy(ann.id)).toBe(50);
    const { deleteRoom } = await import('../../../lib/rooms/deletion.ts');
    await deleteRoom(new ObjectId(room));
    expect([await usedBy(ann.id), await files.countDocuments({ room: new ObjectId(room) })]).toEqual([0, 0]);
  });

  it('the space for files is given back immediately when a file is taken back, with its bytes', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const before = keys();
    const [one, two] = [await aFile(ann, room, { preview: 'RIFF\x10\0\0\0WEBP' }), await aFile(ann, room, { bytes: undefined })];
    expect([await usedBy(ann.id), keys().length - before.length]).toEqual([22, 2]);
    for (const { id } of [one, two]) await call('DELETE', `/api/files/${id}`, { token: ann.token });
    expect([await usedBy(ann.id), keys()]).toEqual([0, before]);
    expect(await files.countDocuments({ user: new ObjectId(ann.id) })).toBe(0);
  });

  it('the space for files is counted again where a process died, once it is at rest', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    await aFile(ann, room);
    await fileQuotas.updateOne({ _id: ann.id }, { $inc: { bytes: 1_000 } });
    await recountQuotas();
    expect(await usedBy(ann.id)).toBe(1_005);
    await recountQuotas({ atRestFor: 0 });
    expect(await usedBy(ann.id)).toBe(5);
  });
});

describe('an upload', () => {
  it('an upload is refused with 503 if the disk is full, leaves nothing behind, and can be repeated', async () => {
    const ann = await anAccount();
    const { url } = await aFile(ann, await aRoomOf([ann]), { bytes: undefined });
    const put = () => call('PUT', url, { token: ann.token, body: 'Hello' });
    const handle = await open(directory);
    const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
    vi.spyOn(Object.getPrototypeOf(handle), 'write').mockRejectedValueOnce(full);
    await handle.close();
    const before = readdirSync(directory, { recursive: true }).length;
    expect((await put()).body).toMatchObject({ description: 'The space for files is used up.' });
    // Except the directory for a file with that key.
    expect(readdirSync(directory, { recursive: true }).length).toBeLessThanOrEqual(before + 1);
    expect((await put()).status).toBe(204);
  });

  it('an upload is cut when its bytes come too slowly, and not while they come', async () => {
    const limits = { patience: 200, bytesPerMillisecond: 1 };
    const request = () => Object.assign(new PassThrough(), {}) as never as Parameters<typeof bodyOf>[0] & PassThrough;
    const [slow, steady] = [request(), request()];
    const dribble = setInterval(() => slow.write('x'), 20);
    const flow = setInterval(() => steady.write(Buffer.alloc(100)), 20);
    setTimeout(() => steady.end(), 600);
    const sizes = async (body: AsyncIterable<Uint8Array>) => {
      let size = 0;
      for await (const chunk of body) size += chunk.length;
      return size;
    };
    const [cut, whole] = await Promise.allSettled([sizes(bodyOf(slow, limits)), sizes(bodyOf(steady, limits))]);
    clearInterval(dribble);
    clearInterval(flow);
    expect(cut).toMatchObject({ status: 'rejected', reason: { message: 'The body came too slowly.' } });
    expect(whole).toMatchObject({ status: 'fulfilled' });
    expect(slow.destroyed).toBe(false);
  });
});

describe('the sweep', () => {
  it('the sweep of files ends when its time is over, and leaves the rest to the next', async () => {
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    await sweepAll();
    for (let count = 0; count < 45; count++) expect(await announce(ann, room, 1)).toBe(201);
    const later = Date.now() + 2 * unboundTime;
    expect(await sweepFiles({ now: later, until: 0 })).toEqual({ removed: 20, orphans: 0 });
    expect(await sweepFiles({ now: later })).toEqual({ removed: 25, orphans: 0 });
    expect(await usedBy(ann.id)).toBe(0);
  });

  it('the sweep of files counts quotas again also where reading the store takes all of its time', async () => {
    const ann = await anAccount();
    await fileQuotas.insertOne({
      _id: ann.id,
      bytes: 1_000,
      changes: 1,
      changed_at: new Date(0),
      is_granted: true,
      is_unchecked: true,
    });
    const until = performance.now() + 500;
    const large = vi.spyOn(findStore() as FileStore, 'keysBefore').mockImplementation(async function* () {
      while (performance.now() <= until) await new Promise((resolve) => setTimeout(resolve, 10));
      yield [];
    });
    await sweepFiles({ isThorough: true, until });
    expect(large).toHaveBeenCalled();
    expect(await usedBy(ann.id)).toBe(0);
  });

  it('the sweep of files removes bytes without a document after a day, and files that were never completed', async () => {
    const store = findStore();
    const ann = await anAccount();
    const room = await aRoomOf([ann]);
    const { id } = await aFile(ann, room);
    await aMessage(ann, room, { files: [id] });
    const key = 'f'.repeat(32);
    const hello = announced(room);
    await store?.receive?.(key, hello, new PassThrough().end('Hello'));
    const { writeFileSync } = await import('node:fs');
    writeFileSync(`${directory}/ff/${key}.0123456789ab.partial`, 'He');
    expect(await sweepFiles({ isThorough: true })).toEqual({ removed: 0, orphans: 0 });
    expect(await sweepFiles({ isThorough: true, now: Date.now() + unboundTime + 60_000 })).toMatchObject({ orphans: 2 });
    expect(await store?.beginning(key)).toBeUndefined();
    expect(await files.countDocuments({ _id: new ObjectId(id), state: 'bound' })).toBe(1);
  });
});
