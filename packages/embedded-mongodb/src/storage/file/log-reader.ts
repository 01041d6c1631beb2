import { closeSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { databaseFileName } from './holder.ts';

/*
 * SQLite's write-ahead log: a header, then one frame per written page. Each frame has a checksum
 * over everything before it. SQLite verifies it when it opens the file, but not when it reads a
 * page. https://www.sqlite.org/fileformat2.html#the_write_ahead_log
 */

/** The name of the log file in a database's directory. */
export const logName = `${databaseFileName}-wal`;
export const pageBytes = 4096;
export const headerBytes = 32;
export const frameHeadBytes = 24;
export const frameBytes = frameHeadBytes + pageBytes;
/** Frames per read, about one megabyte. */
export const framesPerRead = 256;
/**
 * The magic number of a log with little-endian checksums. Logs with big-endian checksums end in 3.
 */
const littleEndianMagic = 0x377f0682;

/** Identifies a log: SQLite changes this number when it starts a new log in the same file. */
export type Salt = bigint;

/** The content of a log. */
type LogContents = {
  readonly salt: Salt | undefined;
  /** The number of frames before the first wrong checksum. */
  readonly intact: number;
  /** The number of frames up to the last one that belongs to this log, valid or not. */
  readonly present: number;
  /** The checksum of the latest intact content of each page, by page number. */
  readonly pages: ReadonlyMap<number, number>;
  /** The index of the latest intact and committed frame of each page, by page number. */
  readonly committed: ReadonlyMap<number, number>;
};

const nothing: LogContents = { salt: undefined, intact: 0, present: 0, pages: new Map(), committed: new Map() };

/** Reads up to `most` frames of a log and checks each of them. */
export function readLog(path: string, most = Number.POSITIVE_INFINITY): LogContents {
  const file = openIfThere(path);
  if (file === undefined) return nothing;
  try {
    const header = Buffer.from(new ArrayBuffer(headerBytes));
    if (readSync(file, header, 0, headerBytes, 0) < headerBytes) return nothing;
    const salt = header.readBigUInt64BE(16);
    const swapped = isSwapped(header);
    let sums: Sums = addSums(new Int32Array(header.buffer), 0, 24, [0, 0], swapped);
    let isIntact = sums[0] === header.readInt32BE(24) && sums[1] === header.readInt32BE(28);
    const pages = new Map<number, number>();
    const committed = new Map<number, number>();
    let uncommitted: [page: number, frame: number][] = [];
    let [intact, present] = [0, 0];
    const block = Buffer.from(new ArrayBuffer(framesPerRead * frameBytes));
    const words = new Int32Array(block.buffer);
    for (let first = 0; first < most; first += framesPerRead) {
      const wanted = Math.min(most - first, framesPerRead) * frameBytes;
      const read = readSync(file, block, 0, wanted, headerBytes + first * frameBytes);
      const frames = Math.floor(read / frameBytes);
      for (let at = 0; at < frames; at++) {
        const start = at * frameBytes;
        if (block.readBigUInt64BE(start + 8) === salt) present = first + at + 1;
        else isIntact = false;
        if (!isIntact) continue;
        sums = addSums(words, start, 8, sums, swapped);
        sums = addSums(words, start + frameHeadBytes, pageBytes, sums, swapped);
        isIntact = sums[0] === block.readInt32BE(start + 16) && sums[1] === block.readInt32BE(start + 20);
        if (!isIntact) continue;
        intact = first + at + 1;
        const page = block.readUInt32BE(start);
        pages.set(page, pageSum(block.subarray(start + frameHeadBytes, start + frameBytes)));
        uncommitted.push([page, first + at]);
        // Only the last frame of a transaction has the size of the file in this field.
        if (block.readUInt32BE(start + 4) === 0) continue;
        for (const [page, frame] of uncommitted) committed.set(page, frame);
        uncommitted = [];
      }
      if (read < wanted || wanted === 0) break;
    }
    return { salt, intact, present, pages, committed };
  } finally {
    closeSync(file);
  }
}

/** The salt of the log at a path, if there is one. */
export function saltOf(path: string): Salt | undefined {
  const file = openIfThere(path);
  if (file === undefined) return undefined;
  try {
    const header = Buffer.alloc(headerBytes);
    return readSync(file, header, 0, headerBytes, 0) < headerBytes ? undefined : header.readBigUInt64BE(16);
  } finally {
    closeSync(file);
  }
}

/** True if the checksums of a log with this header use the other byte order. */
export const isSwapped = (header: Buffer): boolean => header.readUInt32BE(0) !== littleEndianMagic;

/** The checksum of a page. 0 is reserved for an unknown checksum. */
export const pageSum = (page: Buffer): number => crc32(page) || 1;

type Sums = readonly [number, number];

/** Adds words to SQLite's checksum. V8 adds signed 32-bit integers without allocating. */
export function addSums(words: Int32Array, start: number, length: number, [before0, before1]: Sums, swapped: boolean): Sums {
  let [s0, s1] = [before0, before1];
  const end = (start + length) / 4;
  for (let at = start / 4; at < end; at += 2) {
    const [first, second] = [words[at] as number, words[at + 1] as number];
    s0 = (s0 + (swapped ? swap(first) : first) + s1) | 0;
    s1 = (s1 + (swapped ? swap(second) : second) + s0) | 0;
  }
  return [s0, s1];
}

const swap = (word: number) => (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24) | 0;

function openIfThere(path: string): number | undefined {
  try {
    return openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
