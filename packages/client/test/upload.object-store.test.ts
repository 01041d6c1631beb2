import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { createChatClient, unwrap } from '../src/index.ts';

/*
 * A service with files in an object store, as the client sees it: two servers that record their
 * requests and respond according to the contract.
 */

type Seen = { method: string; path: string; headers: Record<string, unknown>; body: string };
const seen: Record<'service' | 'store', Seen[]> = { service: [], store: [] };
beforeEach(() => void Object.values(seen).map((all) => all.splice(0)));
let statusOfStore = 200;

const id = '0123456789abcdef01234567';
const listening = async (name: 'service' | 'store', answer: (path: string) => [number, Record<string, string>, string]) => {
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    seen[name].push({ method, path: url, headers, body: (await buffer(request)).toString() });
    const [status, sent, body] = answer(url);
    response.writeHead(status, sent).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  afterAll(() => server.close());
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
};
const store = await listening('store', () => [statusOfStore, { 'Content-Type': 'image/png' }, 'Bytes']);
const upload = (key: string) => ({
  method: 'PUT',
  url: `${store}/files/${key}?X-Amz-Signature=1`,
  headers: { 'Content-Type': 'text/plain', 'X-Amz-Checksum-Sha256': key },
  expires_at: { $date: '2026-11-26T00:00:00.000Z' },
});
const service = await listening('service', (path) =>
  path === '/api/files'
    ? [
        201,
        { 'Content-Type': 'application/json' },
        JSON.stringify({ _id: { $oid: id }, upload: upload('one'), preview_upload: upload('two') }),
      ]
    : [302, { Location: `${store}/files/one?X-Amz-Signature=2` }, ''],
);

const chat = createChatClient({ baseUrl: service, token: 'a'.repeat(32), retry: { attempts: 1 } });

describe('the client of a service with an object store', () => {
  it('the client uploads a file and its preview to the object store, with the headers that were given, and without its token', async () => {
    const file = new File(['Hello'], 'Notes.txt', { type: 'text/plain' });
    expect(await chat.upload('a'.repeat(24), file, { preview: new Blob(['RIFF'], { type: 'image/webp' }) })).toEqual({
      $oid: id,
    });
    expect(seen.store.map(({ method, path, body }) => [method, path, body])).toEqual([
      ['PUT', '/files/two?X-Amz-Signature=1', 'RIFF'],
      ['PUT', '/files/one?X-Amz-Signature=1', 'Hello'],
    ]);
    expect(seen.store[1]?.headers).toMatchObject({
      'content-type': 'text/plain',
      'content-length': '5',
      'x-amz-checksum-sha256': 'one',
    });
    for (const { headers } of seen.store) expect(headers).not.toHaveProperty('x-auth-token');
  });

  it('the client reads a file from the object store, without its token', async () => {
    expect(await (await chat.download({ $oid: id })).text()).toBe('Bytes');
    expect(seen.service[0]?.headers).toHaveProperty('x-auth-token');
    expect(seen.store[0]?.headers).not.toHaveProperty('x-auth-token');
  });

  it('a plain GET follows no redirect, not even to the object store', async () => {
    const content = chat.GET('/api/files/{file}/content', { params: { path: { file: id } } });
    await expect(unwrap(content)).rejects.toThrow('No answer from');
    expect(seen.store).toEqual([]);
  });

  it('the client throws the status with which the object store refuses an upload', async () => {
    statusOfStore = 403;
    await expect(chat.upload('a'.repeat(24), new Blob(['x']))).rejects.toMatchObject({ status: 403 });
    await expect(chat.download({ $oid: id })).rejects.toMatchObject({ status: 403 });
    statusOfStore = 200;
  });
});
