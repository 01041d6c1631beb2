import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { type ClientRequest, type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, expect, it } from 'vitest';
import { bodyOf } from '../../../hosts/server/http/uploads.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { announced } from '../../support/files.ts';
import { aService } from '../../support/services.ts';
import { overHttp } from '../../support/transports.ts';

const directory = mkdtempSync(join(tmpdir(), 'chat-uploads-'));
const environment = {
  MONGODB_URI: '',
  DATA_DIR: join(directory, 'data'),
  FILES: join(directory, 'files'),
};
let service: Service = await aService(environment, commands.serve);
afterAll(async () => {
  await service.stop();
  rmSync(directory, { recursive: true });
});

const call: ReturnType<typeof overHttp> = (method, path, sent) => overHttp(service.url)(method, path, sent);
const { body } = await call('POST', '/api/users', {
  body: { username: 'ann', email: 'ann@example.org', password: 'correct horse battery' },
});
const { token } = body as { token: string };
const room = ((await call('POST', '/api/directory', { token, body: { name: 'General' } })).body as { _id: { $oid: string } })._id
  .$oid;

const bytes = randomBytes(1_000_000);

async function anUpload(): Promise<string> {
  const reply = await call('POST', '/api/files', { token, body: announced(room, bytes) });
  return (reply.body as { upload: { url: string } }).upload.url;
}

/** Begins to upload a file, and sends half of its bytes. */
async function half(url: string): Promise<ClientRequest> {
  const headers = { 'x-auth-token': token, 'content-length': bytes.length };
  const begun = request(`${service.url}${url}`, { method: 'PUT', headers, agent: false });
  begun.on('error', () => undefined);
  await new Promise((resolve) => begun.write(bytes.subarray(0, 500_000), resolve));
  return begun;
}

const stored = () =>
  readdirSync(environment.FILES, { recursive: true, withFileTypes: true }).flatMap((one) => (one.isFile() ? [one.name] : []));

it('a server that is killed in the middle of an upload leaves nothing under a name, and the upload can be repeated', async () => {
  const url = await anUpload();
  await half(url);
  await expect.poll(stored).toEqual([expect.stringMatching(/\.partial$/)]);
  service.signal('SIGKILL');
  await service.ended;
  service = await aService(environment, commands.serve);
  expect((await call('GET', url, { token })).status).toBe(404);
  expect((await call('PUT', url, { token, body: bytes })).status).toBe(204);
  expect(stored().filter((name) => !name.endsWith('.partial'))).toHaveLength(1);
  expect((await call('GET', url, { token })).headers['content-length']).toBe('1000000');
});

it('an upload whose sender goes away leaves nothing', async () => {
  const before = stored().length;
  const begun = await half(await anUpload());
  await expect.poll(() => stored().length).toBe(before + 1);
  begun.destroy();
  await expect.poll(() => stored().length).toBe(before);
});

it('one caller has six uploads at a time, and others go on meanwhile', async () => {
  const urls = await Promise.all(Array.from({ length: 7 }, anUpload));
  const before = stored().length;
  const begun = await Promise.all(urls.slice(0, 6).map(half));
  await expect.poll(() => stored().length).toBe(before + 6);
  expect((await call('PUT', urls[6] ?? '', { token, body: bytes })).status).toBe(503);
  expect((await call('GET', '/api/users/me', { token })).status).toBe(200);
  const answers = begun.map((one) => once(one, 'response') as Promise<[IncomingMessage]>);
  for (const one of begun) one.end(bytes.subarray(500_000));
  expect((await Promise.all(answers)).map(([{ statusCode }]) => statusCode)).toEqual(Array(6).fill(204));
  expect((await call('PUT', urls[6] ?? '', { token, body: bytes })).status).toBe(204);
});

it('the parts of two uploads are stored one at a time, so that short requests have their turn between them', async () => {
  const parts = () => {
    const body = Readable.from([Buffer.alloc(1), Buffer.alloc(1)], { objectMode: true });
    return bodyOf(body as unknown as IncomingMessage);
  };
  const [first, second] = [parts(), parts()];
  await first.next();
  let isWaiting = true;
  const other = second.next().finally(() => (isWaiting = false));
  await delay(20);
  expect(isWaiting).toBe(true);
  await first.return(undefined);
  expect(await other).toMatchObject({ done: false });
  await second.return(undefined);
});
