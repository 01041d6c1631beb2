import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeDirectory, syncDirectory, syncTree } from '../base/durable-files.ts';
import { conflict, HttpError, type Refusal, serviceUnavailable } from '../base/errors.ts';
import type { AnnouncedBytes } from '../collections/rooms/files.ts';
import { beginningLength, type FileStore } from './file-store.ts';

export const otherBytes: Refusal = () =>
  conflict('other_bytes', 'The bytes do not match the announcement: their number or their SHA-256 differs.');

export const uploadBroken: Refusal = () => conflict('upload_broken', 'The upload ended too early, or was too slow.');

/**
 * A directory on this machine, or one that several share. Bytes are written under a temporary name,
 * synced and renamed, so a file under its final name is complete. The bytes of a key never change,
 * so copies can be hard links.
 */
export function directoryStore(root: string): FileStore {
  const pathOf = (key: string) => pathIn(root, key);

  return {
    async receive(key, announced, bytes) {
      const path = pathOf(key);
      const partial = `${path}.${randomBytes(6).toString('hex')}${unfinished}`;
      try {
        await makeDirectory(dirname(path));
        const file = await open(partial, 'wx', 0o600);
        try {
          await write(file, announced, bytes);
          await file.sync();
        } finally {
          await file.close();
        }
        await rename(partial, path);
        await syncDirectory(dirname(path));
      } catch (error) {
        await rm(partial, { force: true });
        throw explained(error);
      }
    },

    async beginning(key, length = beginningLength) {
      try {
        const file = await open(pathOf(key));
        try {
          const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, 0);
          return buffer.subarray(0, bytesRead);
        } finally {
          await file.close();
        }
      } catch (error) {
        if (isMissing(error)) return undefined;
        throw error;
      }
    },

    read: (key, range) => createReadStream(pathOf(key), range),

    remove: (key) => rm(pathOf(key), { force: true }),

    async *keysBefore(time) {
      for (const shard of await namesIn(root)) {
        const names = await namesIn(join(root, shard));
        const old: string[] = [];
        for (const name of names) if (await isBefore(join(root, shard, name), time)) old.push(name);
        yield old;
      }
    },

    async copyTo(directory, keys) {
      const missing: string[] = [];
      for await (const some of keys)
        for (const key of some) if (!(await copy(pathOf(key), pathIn(directory, key)))) missing.push(key);
      if (await exists(directory)) await syncTree(directory);
      return missing;
    },

    async copyFrom(directory) {
      let copied = 0;
      for await (const key of keysIn(directory)) if (await copy(pathIn(directory, key), pathOf(key))) copied++;
      if (copied > 0) await syncTree(root);
      return copied;
    },
  };
}

/** The keys of files, and of previews (with `p`). */
export const isKey = /^[0-9a-f]{32}p?$/;

/**
 * The path of a key in a directory. The key of a damaged document must not lead out of the
 * directory.
 */
export function pathIn(directory: string, key: string): string {
  if (typeof key !== 'string' || /[/\\]|^\.*$/.test(key)) throw new Error(`'${key}' is not the name of a file's bytes.`);
  return join(directory, key.slice(0, 2), key);
}

/** The keys whose bytes are in a directory. */
export async function* keysIn(directory: string): AsyncGenerator<string> {
  for (const shard of await namesIn(directory)) yield* (await namesIn(join(directory, shard))).filter((name) => isKey.test(name));
}

/** The suffix of incomplete files. */
const unfinished = '.partial';

/** Writes bytes from a stream, at most as many as announced. */
async function write(file: FileHandle, { size, sha256 }: AnnouncedBytes, bytes: AsyncIterable<Uint8Array>): Promise<void> {
  const hash = createHash('sha256');
  let written = 0;
  for await (const chunk of whole(bytes)) {
    written += chunk.length;
    if (written > size) throw otherBytes();
    hash.update(chunk);
    for (let at = 0; at < chunk.length; ) at += (await file.write(chunk, at)).bytesWritten;
  }
  if (written !== size || hash.digest('hex') !== sha256) throw otherBytes();
}

/**
 * The bytes of a stream that must end regularly. Any failure is the sender's, and throws `refuse`.
 */
export async function* whole(bytes: AsyncIterable<Uint8Array>, refuse: Refusal = uploadBroken): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch {
    throw refuse();
  }
}

/**
 * Makes a hard link if the file system supports it, which needs no time and no space. Otherwise
 * copies. Returns false if the source does not exist.
 */
async function copy(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await link(from, to);
  } catch (error) {
    if (isMissing(error)) return false;
    if (codeOf(error) === 'EEXIST') return true;
    await copyFile(from, to);
    await syncFile(to);
  }
  return true;
}

async function syncFile(path: string): Promise<void> {
  const file = await open(path, 'r+');
  await file.sync().finally(() => file.close());
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (error) {
    if (isMissing(error) || codeOf(error) === 'ENOTDIR') return [];
    throw error;
  }
}

const isBefore = async (path: string, time: number): Promise<boolean> =>
  stat(path).then(
    ({ mtimeMs }) => mtimeMs < time,
    () => false,
  );

const exists = (path: string): Promise<boolean> =>
  stat(path).then(
    () => true,
    () => false,
  );

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
const isMissing = (error: unknown) => codeOf(error) === 'ENOENT';

/** Converts an error of the file system into an error for the sender. */
function explained(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  if (['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(codeOf(error))) return serviceUnavailable('The space for files is used up.');
  return error;
}
