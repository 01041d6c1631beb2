import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { access, mkdir, rename, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncTree } from '../base/durable-files.ts';
import { log } from '../base/log.ts';
import type { AnnouncedBytes } from '../collections/rooms/files.ts';
import type { Bucket } from '../settings/config.ts';
import { isKey, keysIn, pathIn } from './directory.ts';
import { beginningLength, type FileStore } from './file-store.ts';
import { base64Of, isMissing, isSuccess, refused, s3Requests } from './s3-requests.ts';

/**
 * For how many seconds an upload can start. Announcing the same file again returns a new address.
 * An upload may start after its file was removed: the sweep removes these bytes.
 */
const uploadTime = 900;

/** For how many seconds anybody with the address can read a file. */
const readingTime = 60;

/** How many objects are copied concurrently. */
const copiesAtATime = 4;

/**
 * A bucket of an S3-compatible object store, which clients reach directly. The signature of an
 * upload includes the length, type and SHA-256 of the bytes, so the bytes of a key never change.
 */
export function s3Store(bucket: Bucket): FileStore {
  const { presign, send, ask } = s3Requests(bucket);
  // Read here, so that the service does not start without credentials.
  void bucket.credentials;

  async function holds(key: string, { size, sha256 }: Omit<AnnouncedBytes, 'type'>): Promise<boolean> {
    const found = await ask({ method: 'HEAD', key, headers: { 'X-Amz-Checksum-Mode': 'ENABLED' } });
    if (!found) return false;
    const { 'content-length': length, 'x-amz-checksum-sha256': checksum } = found.headers;
    if (checksum === undefined) log('error', 'the object store does not return checksums, so files cannot be sent', { key });
    return length === String(size) && checksum === base64Of(sha256);
  }

  /** Downloads an object to a directory. It gets its final name when it is complete. */
  async function download(key: string, path: string): Promise<boolean> {
    if (await isThere(path)) return true;
    const response = await send({ method: 'GET', key });
    if (isMissing(response)) {
      response.destroy();
      return false;
    }
    if (!isSuccess(response)) throw await refused(response);
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    const partial = `${path}.${randomBytes(6).toString('hex')}.partial`;
    try {
      await pipeline(response, createWriteStream(partial, { flags: 'wx', mode: 0o600, flush: true }));
      await rename(partial, path);
    } catch (error) {
      await rm(partial, { force: true });
      throw error;
    }
    return true;
  }

  async function upload(key: string, path: string): Promise<void> {
    const { size } = await stat(path);
    const hash = createHash('sha256');
    await pipeline(createReadStream(path), hash);
    const sha256 = hash.digest('hex');
    if (await holds(key, { size, sha256 })) return;
    await ask({ method: 'PUT', key }, { body: { size, sha256, bytes: createReadStream(path) } });
  }

  async function* pagesOf(from: { 'start-after'?: string } = {}): AsyncGenerator<ListedObject[]> {
    let next: Record<string, string> | undefined = from;
    while (next) {
      const query = { 'list-type': '2', prefix: bucket.prefix, ...next };
      const answer = await ask({ method: 'GET', key: '', query }, { most: largestPage });
      const page = answer?.bytes.toString() ?? '';
      yield objectsOf(page, bucket.prefix);
      const token = textOf(page, 'NextContinuationToken');
      next = token === undefined ? undefined : { 'continuation-token': token };
    }
  }

  return {
    direct: {
      upload(key, { type, size, sha256 }) {
        const headers = { 'Content-Type': type, 'X-Amz-Checksum-Sha256': base64Of(sha256) };
        // Clients set the length themselves, and browsers do not let a page set that header. So
        // `headers` omits it.
        const url = presign({ method: 'PUT', key, headers: { ...headers, 'Content-Length': String(size) } }, uploadTime);
        return { url, headers, expiresAt: new Date(Date.now() + uploadTime * 1_000) };
      },

      holds,

      address: (key, method, { type, disposition }) =>
        presign(
          {
            method,
            key,
            query: {
              'response-cache-control': 'private, no-cache',
              'response-content-disposition': disposition,
              'response-content-type': type,
            },
          },
          readingTime,
        ),
    },

    async beginning(key, length = beginningLength) {
      const headers = { Range: `bytes=0-${length - 1}` };
      return (await ask({ method: 'GET', key, headers }, { most: length }))?.bytes;
    },

    remove: async (key) => void (await ask({ method: 'DELETE', key })),

    /**
     * Starts at a random key and wraps around. So a sweep that has time for a part only still
     * covers all keys in the long run.
     */
    async *keysBefore(time) {
      const begin = randomBytes(16).toString('hex');
      const older = (all: ListedObject[]) => all.flatMap(({ key, at }) => (at < time ? [key] : []));
      for await (const page of pagesOf({ 'start-after': `${bucket.prefix}${begin}` })) yield older(page);
      for await (const page of pagesOf()) {
        const rest = page.filter(({ key }) => key <= begin);
        yield older(rest);
        if (rest.length < page.length) return;
      }
    },

    async copyTo(directory, keys) {
      const missing: string[] = [];
      await someAtATime(each(keys), async (key) => {
        if (!(await download(key, pathIn(directory, key)))) missing.push(key);
      });
      if (await isThere(directory)) await syncTree(directory);
      return missing;
    },

    async copyFrom(directory) {
      let copied = 0;
      await someAtATime(keysIn(directory), async (key) => {
        await upload(key, pathIn(directory, key));
        copied++;
      });
      return copied;
    },
  };
}

/** An object of a bucket, and when it was stored (`at`, in milliseconds since 1970). */
type ListedObject = { key: string; at: number };

/** In bytes: a page lists at most 1,000 objects. */
const largestPage = 4_000_000;

/** The service's objects on a page: other programs may store theirs in the same bucket. */
const objectsOf = (page: string, prefix: string): ListedObject[] =>
  [...page.matchAll(/<Contents>(.*?)<\/Contents>/gs)].flatMap(([, one = '']) => {
    const key = textOf(one, 'Key')?.slice(prefix.length) ?? '';
    return isKey.test(key) ? [{ key, at: Date.parse(textOf(one, 'LastModified') ?? '') }] : [];
  });

function textOf(xml: string, name: string): string | undefined {
  const text = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml)?.[1];
  return text?.replace(/&(amp|lt|gt|quot|apos|#\d+|#x[\da-f]+);/gi, (_all, entity: string) => characterOf(entity.toLowerCase()));
}

const characterOf = (entity: string): string =>
  ({ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" })[entity] ??
  String.fromCodePoint(Number(entity.replace('#x', '0x').replace('#', '')));

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

async function* each<T>(batches: AsyncIterable<T[]>): AsyncGenerator<T> {
  for await (const batch of batches) yield* batch;
}

/** Processes items concurrently, a few at a time; stops at the first failure. */
async function someAtATime<T>(all: AsyncGenerator<T>, work: (one: T) => Promise<void>): Promise<void> {
  const worker = async () => {
    for (let next = await all.next(); !next.done; next = await all.next()) await work(next.value);
  };
  const workers = Array.from({ length: copiesAtATime }, worker);
  // The other workers finish their current items before the caller cleans up.
  await Promise.all(workers).finally(() => all.return(undefined).then(() => Promise.allSettled(workers)));
}
