import { randomBytes } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { files } from '../../lib/collections/rooms/files.ts';
import { sweepFiles, unboundTime } from '../../lib/files/removal.ts';
import { anAccount } from '../support/accounts.ts';
import { aFile, announced, measured, readAt } from '../support/files.ts';
import { aMessage } from '../support/messages.ts';
import { useObjectStore } from '../support/own-object-store.ts';
import { outcome } from '../support/responses.ts';
import { aRoomOf } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const objectStore = await useObjectStore();
const ann = await anAccount();
const { token } = ann;
const webp = Buffer.from('RIFF\x10\0\0\0WEBPVP8 ', 'latin1');

type Upload = { method: string; url: string; headers: Record<string, string>; expires_at: { $date: string } };
type AnnouncedFile = { _id: { $oid: string }; upload: Upload; preview_upload: Upload | null };

describe('a file in an object store', () => {
  const announce = async (room: string, fields: object = {}, headers = {}) =>
    (await call('POST', '/api/files', { token, headers, body: announced(room, 'Hello', fields) })).body as AnnouncedFile;
  const put = async ({ method, url, headers }: Upload, body: string | Uint8Array) =>
    (await fetch(url, { method, headers, body: body as string })).status;
  const send = (room: string, id: string) => call('POST', '/api/messages', { token, body: { room, files: [id] } });

  it('a file is uploaded with signed headers to an address of the object store that is valid for 15 minutes', async () => {
    const { upload } = await announce(await aRoomOf([ann]));
    expect(upload.url.startsWith(`${objectStore.endpoint}/files/chat/`)).toBe(true);
    expect(upload.headers).toEqual({
      'Content-Type': 'text/plain',
      'X-Amz-Checksum-Sha256': Buffer.from(measured('Hello').sha256, 'hex').toString('base64'),
    });
    expect(new URL(upload.url).searchParams.get('X-Amz-SignedHeaders')).toBe(
      'content-length;content-type;host;x-amz-checksum-sha256',
    );
    expect(new URL(upload.url).searchParams.get('X-Amz-Expires')).toBe('900');
  });

  it('a file in an object store gets another address for the same bytes if it is announced again with the same key', async () => {
    const room = await aRoomOf([ann]);
    const key = { 'idempotency-key': crypto.randomUUID() };
    const [first, again] = [await announce(room, {}, key), await announce(room, {}, key)];
    expect(again._id).toEqual(first._id);
    expect(new URL(again.upload.url).pathname).toBe(new URL(first.upload.url).pathname);
  });

  it('a file in an object store is not uploaded through the service', async () => {
    const { id, url } = await aFile(ann, await aRoomOf([ann]), { bytes: undefined });
    expect(outcome(await call('PUT', url, { token, body: 'Hello' }))).toMatchObject({
      status: 409,
      body: {
        code: 'stored_elsewhere',
        description: 'The bytes go to the address that the announcement has given, not to the service.',
      },
    });
    expect(id).toMatch(/^[0-9a-f]{24}$/);
  });

  it('a file in an object store can be sent once its bytes are stored, without a preview whose bytes are missing', async () => {
    const room = await aRoomOf([ann]);
    const { _id, upload } = await announce(room, { preview: { type: 'image/webp', ...measured(webp) } });
    expect(outcome(await send(room, _id.$oid))).toMatchObject({ status: 409, body: { code: 'file_not_uploaded' } });
    expect(await put(upload, 'Hellp')).toBe(400);
    expect((await send(room, _id.$oid)).status).toBe(409);
    expect(await put(upload, 'Hello')).toBe(200);
    expect((await send(room, _id.$oid)).body).toMatchObject({ files: [{ has_preview: false }] });
  });

  it('a file in an object store cannot be sent if the stored bytes differ from the announcement', async () => {
    const room = await aRoomOf([ann]);
    const { id } = await aFile(ann, room);
    const [name, stored] = [...objectStore.objects].at(-1) ?? ['', undefined];
    if (stored) objectStore.objects.set(name, { ...stored, checksum: 'other' });
    expect((await send(room, id)).status).toBe(409);
  });

  it('a file in an object store is read at an address of the store that is valid for a minute and that no cache keeps', async () => {
    const room = await aRoomOf([ann]);
    const { id, url } = await aFile(ann, room);
    await aMessage(ann, room, { files: [id] });
    const reply = await call('GET', url, { token });
    expect([reply.status, reply.body, reply.headers['cache-control']]).toEqual([302, '', 'no-store']);
    const { location = '' } = reply.headers;
    expect(location.startsWith(`${objectStore.endpoint}/files/chat/`)).toBe(true);
    expect(new URL(location).searchParams.get('X-Amz-Expires')).toBe('60');
    expect((await fetch(location)).status).toBe(200);
    objectStore.clock.ahead = 61_000;
    expect((await fetch(location)).status).toBe(403);
    objectStore.clock.ahead = 0;
  });

  it('a file in an object store is deleted with its message, and after a day if it was never sent', async () => {
    const room = await aRoomOf([ann]);
    const before = objectStore.objects.size;
    const { id } = await aFile(ann, room, { preview: webp });
    const { _id } = await aMessage(ann, room, { files: [id] });
    expect(objectStore.objects.size).toBe(before + 2);
    await call('DELETE', `/api/messages/${_id.$oid}`, { token });
    expect(objectStore.objects.size).toBe(before);
    await aFile(ann, room, { preview: webp });
    objectStore.objects.set(`chat/${randomBytes(16).toString('hex')}`, {
      bytes: Buffer.from('Hello'),
      type: 'text/plain',
      checksum: '',
      at: new Date(),
    });
    await sweepFiles({ isThorough: true, now: Date.now() + unboundTime + 60_000 });
    const known = await files.find({}).toArray();
    const expected = known.flatMap(({ key, preview }) => (preview ? [`chat/${key}`, `chat/${key}p`] : [`chat/${key}`]));
    expect(known.every(({ state }) => state === 'bound')).toBe(true);
    expect([...objectStore.objects.keys()].filter((key) => !expected.includes(key))).toEqual([]);
  });

  it('a file in an object store can be shown and sent by the page, whose policy allows this bucket only', async () => {
    const { headers } = await call('GET', '/', { headers: { accept: 'text/html' } });
    const policy = headers['content-security-policy'] ?? '';
    for (const sources of ["img-src 'self'", "media-src 'self' blob:", "connect-src 'self'"])
      expect(policy).toContain(`${sources} ${objectStore.endpoint}/files/;`);
  });

  it('a file in an object store gets 503 while the store does not answer', async () => {
    const room = await aRoomOf([ann]);
    const { id, url } = await aFile(ann, room);
    await aMessage(ann, room, { files: [id] });
    const fails: (typeof objectStore.faults)[number] = (_request, response) => Boolean(response.writeHead(500).end());
    objectStore.faults.push(fails, fails);
    expect(outcome(await call('GET', url, { token }))).toMatchObject({
      status: 503,
      body: { description: 'The store of the files does not answer.' },
    });
    expect((await readAt(call, url, ann)).body).toBe('Hello');
  });
});
