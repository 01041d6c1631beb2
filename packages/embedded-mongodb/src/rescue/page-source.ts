import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';
import { databaseFileName } from '../storage/file/holder.ts';
import { frameBytes, frameHeadBytes, headerBytes, logName, pageBytes, readLog } from '../storage/file/log-reader.ts';

/** The pages of a database that nobody has open: those of its file, and over them what its log has of committed transactions. */
export type PageSource = {
  /** The highest number of a page; the numbers begin with 1. */
  readonly count: number;
  /** The numbers of all pages. A damaged log may have a page far beyond the end of the file, with none between them. */
  numbers(): Iterable<number>;
  /** A page; undefined if it is not there or the disk cannot read it. */
  read(page: number): Buffer | undefined;
  close(): void;
};

/** Opens the files of a directory for reading alone. */
export function openPages(directory: string): PageSource {
  const path = join(directory, databaseFileName);
  const logPath = join(directory, logName);
  const file = openSync(path, 'r');
  const { committed } = readLog(logPath);
  const log = committed.size > 0 ? openSync(logPath, 'r') : undefined;
  const inFile = Math.ceil(fstatSync(file).size / pageBytes);
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
    close() {
      closeSync(file);
      if (log !== undefined) closeSync(log);
    },
  };
}

function readPage(file: number, at: number): Buffer | undefined {
  const page = Buffer.alloc(pageBytes);
  try {
    // What is missing of a last page that was cut off counts as zeros.
    return readSync(file, page, 0, pageBytes, at) === 0 ? undefined : page;
  } catch {
    return undefined;
  }
}
