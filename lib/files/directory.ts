import { createHash, randomBytes } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { copyFile, type FileHandle, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { conflict, HttpError, type Refusal, serviceUnavailable } from '../base/errors.ts';
import type { AnnouncedBytes } from '../collections/rooms/files.ts';
import { beginningLength, type FileStore } from './file-store.ts';

export const otherBytes: Refusal = () =>
  conflict('other_bytes', 'These are not the bytes that were announced: their number or their SHA-256 differs.');

export const uploadBroken: Refusal = () => conflict('upload_broken', 'The upload ended too early, or was too slow.');

/**
 * A directory of this machine, or one that several share. Bytes are written beside their place, synced, and renamed:
 * what has a name is complete. A name never gets other bytes, so that copies may be hard links.
 */
export function directoryStore(root: string): FileStore {
  const pathOf = (key: string) => pathIn(root, key);

  return {
    async receive(key, announced, bytes) {
      const path = pathOf(key);
      const partial = `${path}.${randomBytes(6).toString('hex')}${unfinished}`;
      try {
        await mkdir(dirname(path), { recursive: true, mode: 0o700 });
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
      return missing;
    },

    async copyFrom(directory) {
      let copied = 0;
      for await (const key of keysIn(directory)) if (await copy(pathIn(directory, key), pathOf(key))) copied++;
      return copied;
    },
  };
}

/** What the bytes of files and previews are called. */
export const isKey = /^[0-9a-f]{32}p?$/;

/** Where a directory has the bytes of a key. The name of a damaged document must not lead out of the directory. */
export function pathIn(directory: string, key: string): string {
  if (typeof key !== 'string' || /[/\\]|^\.*$/.test(key)) throw new Error(`'${key}' is not the name of a file's bytes.`);
  return join(directory, key.slice(0, 2), key);
}

/** The keys of which a directory has the bytes. */
export async function* keysIn(directory: string): AsyncGenerator<string> {
  for (const shard of await namesIn(directory)) yield* (await namesIn(join(directory, shard))).filter((name) => isKey.test(name));
}

/** The end of the name of what is not complete, or never will be. */
const unfinished = '.partial';

/** Writes bytes as they come; no more than were announced. */
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

/** Bytes that come to their end; whatever else happens is the sender's doing, and refused. */
export async function* whole(bytes: AsyncIterable<Uint8Array>, refuse: Refusal = uploadBroken): AsyncGenerator<Uint8Array> {
  try {
    yield* bytes;
  } catch {
    throw refuse();
  }
}

/** After a power cut, a name is there only if its directory was synced as well. */
async function syncDirectory(path: string): Promise<void> {
  const directory = await open(path);
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** A hard link where the file system has them, which takes neither time nor space; false if there is nothing to copy. */
async function copy(from: string, to: string): Promise<boolean> {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  try {
    await link(from, to);
  } catch (error) {
    if (isMissing(error)) return false;
    if (codeOf(error) === 'EEXIST') return true;
    await copyFile(from, to);
  }
  return true;
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

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code ?? '';
const isMissing = (error: unknown) => codeOf(error) === 'ENOENT';

/** What went wrong with an upload, for its sender. */
function explained(error: unknown): unknown {
  if (error instanceof HttpError) return error;
  if (['ENOSPC', 'EDQUOT', 'EROFS', 'EIO'].includes(codeOf(error)))
    return serviceUnavailable('There is no space left for files.');
  return error;
}
