import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AwsClient } from 'aws4fetch';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { withTurn } from '../../../lib/base/outside.ts';
import { s3Store } from '../../../lib/files/s3.ts';
import { readConfig } from '../../../lib/settings/config.ts';
import { credentials, region, startFakeS3 } from '../../support/fake-s3.ts';
import { measured } from '../../support/files.ts';

/*
 * The store as the service uses it, in front of a fake that verifies signatures. With
 * S3_TEST_ENDPOINT, a real store is tested in the bucket S3_TEST_BUCKET (`files`), with the usual
 * variables for its keys. Tests that control the fake are then skipped.
 */

const real = process.env.S3_TEST_ENDPOINT;
const fake = real ? undefined : await startFakeS3();
afterAll(() => fake?.close());

const environment = real
  ? {
      ...process.env,
      FILES_ENDPOINT: real,
      FILES: `s3://${process.env.S3_TEST_BUCKET ?? 'files'}/test-${randomBytes(6).toString('hex')}`,
    }
  : {
      FILES_ENDPOINT: fake?.endpoint,
      FILES: 's3://files/chat',
      FILES_REGION: region,
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
const bucket = readConfig(environment).files.bucket as NonNullable<ReturnType<typeof readConfig>['files']['bucket']>;
const store = s3Store(bucket);
const direct = store.direct as NonNullable<typeof store.direct>;

const aKey = () => randomBytes(16).toString('hex');
const announcedAs = (bytes: string, type = 'text/plain') => ({ type, ...measured(bytes) });
const put = async ({ url, headers }: { url: string; headers: Record<string, string> }, body: string, changed = {}) =>
  (await fetch(url, { method: 'PUT', body, headers: { ...headers, ...changed } })).status;

/** Stores bytes like a sender. */
async function anObject(bytes = 'Hello', key = aKey()): Promise<string> {
  expect(await put(direct.upload(key, announcedAs(bytes)), bytes)).toBe(200);
  return key;
}

const listed = async (time: number) => {
  const all: string[] = [];
  for await (const some of store.keysBefore(time)) all.push(...some);
  return all.sort();
};
const removeAll = async () => {
  for (const key of await listed(Date.now() + 86_400_000)) await store.remove(key);
};
afterAll(() => (real ? removeAll() : undefined));
beforeEach(removeAll);

describe('an upload to an object store', () => {
  it('an upload to an object store takes the bytes that were announced, also a second time', async () => {
    const [key, hello] = [aKey(), announcedAs('Hello')];
    const upload = direct.upload(key, hello);
    expect(await direct.holds(key, hello)).toBe(false);
    expect(await put(upload, 'Hello')).toBe(200);
    expect(await put(upload, 'Hello')).toBe(200);
    expect([await direct.holds(key, hello), await direct.holds(key, announcedAs('Hellp'))]).toEqual([true, false]);
    expect((await store.beginning(key))?.toString()).toBe('Hello');
  });

  it.each([
    ['other bytes of the same length', 'Hellp', {}],
    ['more bytes', 'Hello!', {}],
    ['fewer bytes', 'Hell', {}],
    ['another type', 'Hello', { 'Content-Type': 'text/html' }],
    ['another checksum', 'Hellp', { 'X-Amz-Checksum-Sha256': Buffer.from(measured('Hellp').sha256, 'hex').toString('base64') }],
    ['an access rule that nobody has signed', 'Hello', { 'x-amz-acl': 'public-read' }],
  ])('an upload to an object store refuses %s', async (_what, body, changed) => {
    const key = aKey();
    expect(await put(direct.upload(key, announcedAs('Hello')), body, changed)).toBeGreaterThanOrEqual(400);
    expect(await store.beginning(key)).toBeUndefined();
  });

  it.each([
    ['another key', (url: string) => url.replace(/[0-9a-f]{32}/, 'a'.repeat(32))],
    ['no signature', (url: string) => url.replace(/\?.*/, '')],
    ['a longer time', (url: string) => url.replace('X-Amz-Expires=900', 'X-Amz-Expires=90000')],
  ])('an upload to an object store is refused with %s', async (_what, change) => {
    const { url, headers } = direct.upload(aKey(), announcedAs('Hello'));
    expect(await put({ url: change(url), headers }, 'Hello')).toBe(403);
  });

  it('an upload to an object store takes a file without bytes, whose beginning is empty', async () => {
    const key = await anObject('');
    expect([(await store.beginning(key))?.length, await direct.holds(key, announcedAs(''))]).toEqual([0, true]);
  });

  it.runIf(fake)('an upload to an object store is refused after a quarter of an hour', async () => {
    const upload = direct.upload(aKey(), announcedAs('Hello'));
    if (fake) fake.clock.ahead = 905_000;
    expect(await put(upload, 'Hello')).toBe(403);
    if (fake) fake.clock.ahead = 0;
  });
});

describe('the address of a file in an object store', () => {
  const shown = {
    type: 'image/png',
    disposition: `inline; filename="Gr__e (1)*.png"; filename*=UTF-8''Gr%C3%BC%C3%9Fe%20%281%29.png`,
  };

  it('the address of a file in an object store gives the bytes, or a part of them, with the type and the name that the service says', async () => {
    const address = direct.address(await anObject(), 'GET', shown);
    const whole = await fetch(address);
    expect([whole.status, await whole.text()]).toEqual([200, 'Hello']);
    expect(Object.fromEntries(whole.headers)).toMatchObject({
      'content-type': shown.type,
      'content-disposition': shown.disposition,
      'cache-control': 'private, no-cache',
    });
    const part = await fetch(address, { headers: { Range: 'bytes=1-2' } });
    expect([part.status, await part.text()]).toEqual([206, 'el']);
  });

  it('the address of a file in an object store is for one method, and no other name or type', async () => {
    const key = await anObject();
    const statusOf = async (address: string, method: string) => (await fetch(address, { method })).status;
    const address = direct.address(key, 'GET', shown);
    expect(await statusOf(direct.address(key, 'HEAD', shown), 'HEAD')).toBe(200);
    expect(await statusOf(address, 'DELETE')).toBe(403);
    expect(await statusOf(address.replace('image%2Fpng', 'text%2Fhtml'), 'GET')).toBe(403);
    expect(await statusOf(address.replace('inline', 'attachment'), 'GET')).toBe(403);
  });

  it.runIf(fake)('the address of a file in an object store is good for a minute', async () => {
    const address = direct.address(await anObject(), 'GET', shown);
    if (fake) fake.clock.ahead = 65_000;
    expect((await fetch(address)).status).toBe(403);
    if (fake) fake.clock.ahead = 0;
  });
});

describe('a signature', () => {
  const { accessKeyId, secretAccessKey } = bucket.credentials;
  const other = new AwsClient({ accessKeyId, secretAccessKey, service: 's3', region: bucket.region });

  it('a signature is the same that another program computes for the same upload', async () => {
    const { url, headers } = direct.upload(aKey(), announcedAs('Hello', 'image/png'));
    const unsigned = new URL(url);
    const date = unsigned.searchParams.get('X-Amz-Date') ?? '';
    const signature = unsigned.searchParams.get('X-Amz-Signature');
    for (const name of [...unsigned.searchParams.keys()]) if (name !== 'X-Amz-Expires') unsigned.searchParams.delete(name);
    const signed = await other.sign(unsigned.href, {
      method: 'PUT',
      headers: { ...headers, 'Content-Length': '5' },
      aws: { signQuery: true, allHeaders: true, datetime: date },
    });
    expect(new URL(signed.url).searchParams.get('X-Amz-Signature')).toBe(signature);
  });

  it('a signature is the same that another program computes for an address with any name', async () => {
    const disposition = `attachment; filename="a b+c&d=e*(f)'~.txt"; filename*=UTF-8''%E6%BC%A2%20%2B.txt`;
    const url = new URL(direct.address(aKey(), 'GET', { type: 'text/plain', disposition }));
    const signature = url.searchParams.get('X-Amz-Signature');
    const date = url.searchParams.get('X-Amz-Date') ?? '';
    for (const name of ['Signature', 'Date', 'Algorithm', 'Credential', 'SignedHeaders'])
      url.searchParams.delete(`X-Amz-${name}`);
    const signed = await other.sign(url.href, { method: 'GET', aws: { signQuery: true, datetime: date } });
    expect(new URL(signed.url).searchParams.get('X-Amz-Signature')).toBe(signature);
  });
});

describe('an object store', () => {
  it('an object store lists only the files of the service that were stored before a time, page by page', async () => {
    const keys = (await Promise.all(Array.from({ length: 8 }, () => anObject()))).sort();
    fake?.objects.set('chat/Notes.txt', { bytes: Buffer.alloc(1), type: '', checksum: '', at: new Date(0) });
    fake?.objects.set('Other.txt', { bytes: Buffer.alloc(1), type: '', checksum: '', at: new Date(0) });
    expect(await listed(Date.now() + 60_000)).toEqual(keys);
    expect(await listed(Date.now() - 60_000)).toEqual([]);
  });

  it('an object store removes an object, and reports none that is missing', async () => {
    const key = await anObject();
    await store.remove(key);
    await store.remove(key);
    expect(await store.beginning(key)).toBeUndefined();
  });

  it('files can be copied from an object store to a directory and back, and missing ones are reported', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-s3-'));
    const [one, two, none] = [await anObject('One'), await anObject('Two', `${aKey()}p`), aKey()];
    const keys = async function* () {
      yield [one, none];
      yield [two];
    };
    expect(await store.copyTo(directory, keys())).toEqual([none]);
    expect((await readdir(directory, { recursive: true })).filter((name) => name.length > 2).sort()).toEqual(
      [one, two].map((key) => join(key.slice(0, 2), key)).sort(),
    );
    await store.remove(one);
    expect(await store.copyFrom(directory)).toBe(2);
    expect(await direct.holds(one, announcedAs('One'))).toBe(true);
    await rm(directory, { recursive: true });
  });

  it('an object store is not started without credentials, and not reached without encryption but on the same machine', () => {
    const { AWS_SECRET_ACCESS_KEY: _left, ...others } = environment;
    const read = (changed: object) => () => s3Store(readConfig({ ...others, ...changed }).files.bucket as typeof bucket);
    expect(read({ AWS_SECRET_ACCESS_KEY: '' })).toThrow('Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY');
    expect(read({ FILES_ENDPOINT: '' })).toThrow('Set FILES_ENDPOINT to the address of the object store');
    expect(read({ FILES_ENDPOINT: 'http://store.example.org' })).toThrow('that starts with https://');
    expect(read({ FILES_ENDPOINT: 'https://me:secret@store.example.org' })).toThrow('Set FILES_ENDPOINT');
    expect(read({ FILES: 's3://Files' })).toThrow('a bucket such as s3://chat-files');
    expect(read({ FILES: 's3://files/../others' })).toThrow('a bucket such as s3://chat-files');
  });
});

describe.runIf(fake)('an object store that fails', () => {
  const refusal = { status: 503, body: { description: 'The store of the files does not answer.' } };

  it('an object store that fails is asked a second time, and then the answer is a refusal that names it', async () => {
    const key = await anObject();
    const fails: NonNullable<typeof fake>['faults'][number] = (_request, response) => Boolean(response.writeHead(503).end());
    const breaks: typeof fails = (request) => Boolean(request.socket.destroy());
    fake?.faults.push(fails);
    expect((await store.beginning(key))?.toString()).toBe('Hello');
    fake?.faults.push(breaks);
    expect((await store.beginning(key))?.toString()).toBe('Hello');
    fake?.faults.push(fails, breaks);
    await expect(store.beginning(key)).rejects.toMatchObject(refusal);
  });

  it('the first bytes of an object are given alone, also if the store sends all', async () => {
    const key = await anObject();
    fake?.faults.push((_request, response) => Boolean(response.end('x'.repeat(1_000_000))));
    expect((await store.beginning(key))?.length).toBe(512);
  });

  it('an object whose copy breaks off leaves nothing in the directory', async () => {
    const directory = await mkdtemp(join(tmpdir(), 'chat-s3-'));
    fake?.faults.push((_request, response) => {
      response.writeHead(200, { 'Content-Length': 10 }).write('Hello');
      setTimeout(() => response.destroy(), 20);
      return true;
    });
    const keys = async function* () {
      yield [aKey()];
    };
    await expect(store.copyTo(directory, keys())).rejects.toThrow();
    expect((await readdir(directory, { recursive: true })).filter((name) => name.length > 2)).toEqual([]);
    await rm(directory, { recursive: true });
  });

  it('an object store where nothing listens gives a refusal as well', async () => {
    const nobody = s3Store({ ...bucket, credentials: bucket.credentials, region, endpoint: 'http://127.0.0.1:1' });
    const socket = connect(1, '127.0.0.1');
    await once(socket, 'error');
    await expect(nobody.beginning(aKey())).rejects.toMatchObject(refusal);
  });
});

describe.skipIf(real)('an object store that answers slowly', () => {
  it('an object store that sends its bytes slowly is waited for without a slot', async () => {
    const key = await anObject();
    const isHeld: boolean[] = [true];
    const sent = Promise.withResolvers<() => void>();
    fake?.faults.push((_request, response) => {
      response.writeHead(200, { 'Content-Length': 5 }).write('He');
      sent.resolve(() => response.end('llo'));
      return true;
    });
    const turn = {
      caller: 'ann',
      pause: () => isHeld.unshift(false),
      leave: () => {},
      resume: async () => void isHeld.unshift(true),
    };
    const read = withTurn(turn, () => store.beginning(key));
    const finish = await sent.promise;
    // The beginning of the response has arrived by then.
    await sleep(200);
    expect(isHeld).toEqual([false, true]);
    finish();
    expect(await read).toEqual(Buffer.from('Hello'));
    expect(isHeld).toEqual([true, false, true]);
  });
});
