import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, inflateRawSync } from 'node:zlib';
import { Entry, openPromise, type ZipFile } from 'yauzl';
import type { ArchiveFile } from '../source.ts';
import { Entries } from './entries.ts';
import { decodeName, faultOfName, isAmbiguous, isDesktopFile } from './names.ts';

/**
 * The files of an archive. They are found by name in any Unicode form, with `/` or `\\` between
 * folders.
 */
export type Archive = {
  names: string[];
  /** The size of a file in bytes, as the archive states it. Reading fails if the file is larger. */
  size: (name: string) => number | undefined;
  /** The bytes of a file; an error if there are more than `most`. */
  read: (name: string, most: number) => Promise<Buffer>;
  stream: (name: string) => Promise<Readable>;
  /** The possible readings of a name whose code page is unknown. */
  readings: (name: string) => string[];
  /** The files that were not read. */
  unread: () => ArchiveFile[];
  close: () => void | Promise<void>;
};

/*
 * The limits of an archive. More entries or bytes than any workspace has, or a higher compression
 * ratio than that of text, mean a zip bomb. Entries that share bytes could be one too.
 */
export const mostEntries = 1_000_000;
export const mostBytes = 1024 ** 4;
const mostRatio = 500;
/** Smaller sizes are harmless at any ratio. */
const harmless = 64 * 1024 * 1024;

/** Opens a zip archive, after reading and checking its directory. */
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

/** The bytes of a file. Ends with an error if their checksum is wrong. */
async function* intact(bytes: Readable, { crc32: expected }: Entry, error: Error): AsyncGenerator<Buffer> {
  let sum = 0;
  for await (const chunk of bytes as AsyncIterable<Buffer>) {
    sum = crc32(chunk, sum);
    yield chunk;
  }
  if (sum !== expected) throw error;
}

/**
 * Decompresses a file in one step: a stream for each of many small files takes several times as
 * long.
 */
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

/**
 * The fields of an entry that are needed to read it. An archive has one entry per room and day, and
 * the other fields would take half a kilobyte each.
 */
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

/** True if the ratio of these sizes in bytes means a zip bomb. */
export const isTooDense = (packed: number, unpacked: number) => unpacked > harmless && unpacked > mostRatio * packed;

/** An archive is invalid. */
export class ArchiveError extends Error {
  override name = 'ArchiveError';
}

export const broken = (path: string, what: string) => new ArchiveError(`The file ${path} ${what}.`);
