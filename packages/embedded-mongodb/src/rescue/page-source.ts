import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFileName, keptSums } from '../storage/file/holder.ts';
import { frameBytes, frameHeadBytes, headerBytes, logName, pageBytes, pageSum, readLog } from '../storage/file/log-reader.ts';
import { readMark, readPageSums } from '../storage/file/page-sums.ts';

/**
 * The pages of a database that nobody has open: those of its file, and over them what its log has
 * of committed transactions.
 */
export type PageSource = {
  /** The highest number of a page; the numbers begin with 1. */
  readonly count: number;
  /**
   * The numbers of all pages. A damaged log may have a page far beyond the end of the file, with
   * none between them.
   */
  numbers(): Iterable<number>;
  /** A page; undefined if it is not there or the disk cannot read it. */
  read(page: number): Buffer | undefined;
  /** Returns true if a page matches its checksum; undefined if that is unknown. */
  isIntact(page: number): boolean | undefined;
  /** Frames at the end of the log that cannot be read, though they had been synced. */
  readonly lostFrames: number;
  close(): void;
};

/** Pages whose checksums are compared in one read. */
const pagesPerRead = 256;

/** Opens the files of a directory for reading alone. */
export function openPages(directory: string): PageSource {
  const path = join(directory, databaseFileName);
  const logPath = join(directory, logName);
  const file = openSync(path, 'r');
  const { committed, intact, salt } = readLog(logPath);
  const mark = keptSums(directory) ? readMark(directory) : undefined;
  const isMarkOfLog = mark !== undefined && mark.frames > 0 && mark.salt === salt;
  const log = committed.size > 0 ? openSync(logPath, 'r') : undefined;
  const inFile = Math.ceil(fstatSync(file).size / pageBytes);
  const intactInFile = intactPages(directory, file, inFile);
  const beyond = [...committed.keys()].filter((page) => page > inFile).sort((one, other) => one - other);
  return {
    count: beyond.at(-1) ?? inFile,
    *numbers() {
      for (let page = 1; page <= inFile; page++) yield page;
      yield* beyond;
    },
    read(page) {
      const frame = committed.get(page);
      if (frame !== undefined && log !== undefined) return readPage(log, headerBytes + frame * frameBytes + frameHeadBytes);
      return readPage(file, (page - 1) * pageBytes);
    },
    isIntact: (page) => committed.has(page) || intactInFile.get(page),
    lostFrames: Math.max(0, (mark?.frames ?? 0) - (isMarkOfLog ? intact : 0)),
    close() {
      closeSync(file);
      if (log !== undefined) closeSync(log);
    },
  };
}

function readPage(file: number, at: number): Buffer | undefined {
  const page = Buffer.alloc(pageBytes);
  try {
    // The missing part of a last page that was cut off counts as zeros.
    return readSync(file, page, 0, pageBytes, at) === 0 ? undefined : page;
  } catch {
    return undefined;
  }
}

/**
 * Compares the pages of the file with their checksums. If most differ, the checksums belong to
 * another file, and the result is empty.
 */
function intactPages(directory: string, file: number, count: number): ReadonlyMap<number, boolean> {
  const sums = keptSums(directory) ? readPageSums(directory, count) : [];
  const intact = new Map<number, boolean>();
  const block = Buffer.alloc(pagesPerRead * pageBytes);
  let damaged = 0;
  for (let first = 0; first < sums.length; first += pagesPerRead) {
    block.fill(0);
    const isRead = readInto(file, block, first * pageBytes);
    for (let at = 0; at < pagesPerRead && first + at < sums.length; at++) {
      const sum = sums[first + at];
      if (!sum) continue;
      const isIntact = isRead && pageSum(block.subarray(at * pageBytes, (at + 1) * pageBytes)) === sum;
      intact.set(first + at + 1, isIntact);
      if (!isIntact) damaged++;
    }
  }
  return damaged > intact.size / 2 ? new Map() : intact;
}

function readInto(file: number, block: Buffer, at: number): boolean {
  try {
    readSync(file, block, 0, block.length, at);
    return true;
  } catch {
    return false;
  }
}
