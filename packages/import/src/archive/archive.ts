import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, inflateRawSync } from 'node:zlib';
import { Entry, openPromise, type ZipFile } from 'yauzl';
import type { ArchiveFile } from '../source.ts';
import { Entries } from './entries.ts';
import { decodeName, faultOfName, isAmbiguous, isDesktopFile } from './names.ts';

/** The files of an archive. They are found by their names in any Unicode form, with `/` or `\\` between folders. */
export type Archive = {
  names: string[];
  /** How many bytes a file has, as the archive says; reading ends with an error where it has more. */
  size: (name: string) => number | undefined;
  /** All bytes of a file, of `most` at most; an error for a longer one. */
  read: (name: string, most: number) => Promise<Buffer>;
  stream: (name: string) => Promise<Readable>;
  /** What a name may be, if nothing says in which code page it was written. */
  readings: (name: string) => string[];
  /** The files that were not read until now. */
  unread: () => ArchiveFile[];
  close: () => void | Promise<void>;
};

/*
 * What an archive may take: more entries or bytes than any workspace has, or bytes that were packed as no text can
 * be, are a bomb. Entries that share their bytes would be one without looking so.
 */
export const mostEntries = 1_000_000;
export const mostBytes = 1024 ** 4;
const mostRatio = 500;
/** Less than that is no bomb, however well it was packed. */
const harmless = 64 * 1024 * 1024;

/** Opens a zip archive, of which the directory is read and checked before anything else. */
export async function openArchive(path: string): Promise<Archive> {
  const zip = await opened(path);
  try {
    const entries = await entriesOf(zip, path);
    const find = (name: string): Entry => {
      const entry = entries.open(name);
      if (!entry) throw broken(path, `has no ${name}`);
      return entry;
    };
    const openStream = async (name: string, isPacked: boolean): Promise<Readable> => {
      const entry = find(name);
      if (entry.isEncrypted()) throw broken(path, `is encrypted at ${name}`);
      try {
        return await zip.openReadStreamPromise(entry, isPacked ? { decodeFileData: false } : {});
      } catch (error) {
        throw broken(path, `can't be read at ${name}: ${error instanceof Error ? error.message : String(error)}`);
      }
    };
    return {
      names: entries.names,
      size: (name) => entries.size(name),
      readings: (name) => entries.readings(name),
      unread: () => entries.unread(),
      stream: async (name) =>
        Readable.from(intact(await openStream(name, false), find(name), damaged(path, name)), { objectMode: false }),
      read: async (name, most) => {
        const entry = find(name);
        if (entry.uncompressedSize > most) throw broken(path, `has more than ${most} bytes in ${name}`);
        const bytes = unpacked(await buffer(await openStream(name, true)), entry);
        if (bytes?.length !== entry.uncompressedSize || crc32(bytes) !== entry.crc32) throw damaged(path, name);
        return bytes;
      },
      close: () => zip.close(),
    };
  } catch (error) {
    zip.close();
    throw error;
  }
}

const damaged = (path: string, name: string) => broken(path, `has other bytes than it says in ${name}`);

/** The bytes of a file; an error at their end if their checksum is another. */
async function* intact(bytes: Readable, { crc32: expected }: Entry, error: Error): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== expected) throw error;
}

/** The bytes of a packed file, all of them in one step: a stream for each of many small files takes several times as long. */
function unpacked(packed: Buffer, { compressionMethod, uncompressedSize }: Entry): Buffer | undefined {
  if (compressionMethod === stored) return packed;
  if (compressionMethod !== deflated) return undefined;
  try {
    return inflateRawSync(packed, { maxOutputLength: uncompressedSize + 1 });
  } catch {
    return undefined;
  }
}

const stored = 0;
const deflated = 8;

async function opened(path: string): Promise<ZipFile> {
  try {
    return await openPromise(path, { autoClose: false, lazyEntries: true, decodeStrings: false });
  } catch (error) {
    if (error instanceof Error && 'code' in error) throw error;
    throw broken(path, 'is not a zip archive, or was cut off');
  }
}

async function entriesOf(zip: ZipFile, path: string): Promise<Entries<Entry>> {
  if (zip.entryCount > mostEntries) throw broken(path, `has more than ${mostEntries} entries`);
  const entries = new Entries<Entry>();
  let [packed, unpacked] = [0, 0];
  try {
    for await (const entry of zip.eachEntry()) {
      const name = decodeName(entry);
      const fault = faultOfName(name);
      if (fault !== undefined) throw broken(path, `can't be read: ${fault}`);
      packed += entry.compressedSize;
      unpacked += entry.uncompressedSize;
      if (isTooDense(entry.compressedSize, entry.uncompressedSize)) throw broken(path, `unpacks to too much at ${name}`);
      if (name.endsWith('/') || isDesktopFile(name)) continue;
      const raw = isAmbiguous(entry) ? Buffer.from(entry.fileNameRaw) : undefined;
      if (!entries.addRaw(name, raw, entry.uncompressedSize, needed(entry))) throw broken(path, `has ${name} twice`);
    }
  } catch (error) {
    if (error instanceof ArchiveError) throw error;
    throw broken(path, `can't be read: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (packed > zip.fileSize) throw broken(path, 'has entries that overlap');
  if (unpacked > mostBytes || isTooDense(zip.fileSize, unpacked)) throw broken(path, 'unpacks to too much');
  return entries;
}

/** What reading an entry takes: an archive has one for each room and day, and the rest of them would take half a kilobyte each. */
function needed({ compressedSize, uncompressedSize, compressionMethod, ...entry }: Entry): Entry {
  const { crc32, generalPurposeBitFlag, relativeOffsetOfLocalHeader } = entry;
  const fields = {
    compressedSize,
    uncompressedSize,
    compressionMethod,
    crc32,
    generalPurposeBitFlag,
    relativeOffsetOfLocalHeader,
  };
  return Object.assign(Object.create(Entry.prototype) as Entry, fields);
}

/** Whether so many bytes, packed to so few, are a bomb. */
export const isTooDense = (packed: number, unpacked: number) => unpacked > harmless && unpacked > mostRatio * packed;

/** An archive is not as it must be. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

export const broken = (path: string, what: string) => new ArchiveError(`The file ${path} ${what}.`);
