import { closeSync, fstatSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { makePrivateFile } from './directories.ts';
import { idOfCopy } from './file-id.ts';
import { databaseFileName } from './holder.ts';
import { readLatestPages } from './log-pages.ts';
import { logName, pageBytes, pageSum, readLog, type Salt, saltOf } from './log-reader.ts';

/*
 * SQLite keeps no checksums of the pages of its file, so it reads damaged pages as if they were
 * valid. `database.sums` has a checksum for each page (0 if unknown), and how far the log was last
 * synced. The file only changes when the log is written back into it. If `database.sums` is removed
 * while the database is stopped, it starts empty again.
 */

export const sumsName = `${databaseFileName.replace('.sqlite', '')}.sums`;

/** The head of the file: the mark, and after it, as JSON, the notes. */
const headBytes = 4096;
const markBytes = 24;
/** Pages checked without a pause: a megabyte. */
export const pagesPerStep = 256;
/** Pages that are named; of more only the number is known. */
const mostNamed = 20;
/**
 * Sentences about damage that reading met, and their length at most: all of them fit into the head
 * of the file.
 */
const mostMet = 5;
const metLength = 300;
/** The most checksums that are read beyond the end of the file, which may have been longer. */
const mostBeyond = 1_000_000;

/** Damage of a database's files. */
export type Damage = {
  /** How many pages of the file do not have the content that was written to them. */
  readonly pages: number;
  /** The numbers of the first of them, which begin with 1. */
  readonly named: readonly number[];
  /** True if the log was damaged while it was in use. */
  readonly log: boolean;
  /** Damage that reading met, as sentences. Its pages may have right checksums. */
  readonly met?: readonly string[];
  /** When the first of it was found, as an ISO time. */
  readonly at: string;
};

/** Frames that a start had to leave out of the log. */
export type DroppedWrites = {
  readonly frames: number;
  /** True if it was acknowledged; otherwise it may have been interrupted. */
  readonly acknowledged: boolean;
  /** True if the synced length of the log is unknown, so that it may have been acknowledged. */
  readonly isUncertain?: boolean;
  /** The time of the latest surviving write, as an ISO time, if known. */
  readonly since?: string;
  readonly at: string;
};

type Notes = { id: string; damage?: Damage; dropped?: DroppedWrites };

/** The checksums of an open database. */
export type PageSums = {
  readonly damage: Damage | undefined;
  readonly dropped: DroppedWrites | undefined;
  /** How many pages the file has. */
  readonly pages: number;
  /** Notes that so many frames of the log are synced. */
  mark(frames: number): void;
  /** Writes the log of `frames` frames back with `run`, which returns true when it is done. */
  checkpoint(frames: number, run: () => boolean): void;
  /**
   * Checks `pagesPerStep` pages from one on (counting from 0), and learns those that are not known;
   * gives where to go on.
   */
  check(first: number): number;
  /** Checks the frames of the log. */
  checkLog(frames: number): void;
  noteDropped(dropped: Omit<DroppedWrites, 'at'>): void;
  /** Notes damage that reading met, as a sentence. */
  noteMet(what: string): void;
  /**
   * Forgets what a start had to leave out of the log, and what reading met: an operator knows of
   * it. Damaged pages are found again.
   */
  acknowledge(): void;
  /**
   * Forgets the expected checksums, because pages were changed without them. Earlier findings stay.
   */
  forget(): void;
  close(): void;
};

/**
 * The checksums of the first pages of a database that nobody has open; 0, or missing, if unknown.
 */
export function readPageSums(directory: string, pageCount: number): readonly number[] {
  try {
    const file = openSync(join(directory, sumsName), 'r');
    try {
      return readSums(file, pageCount);
    } finally {
      closeSync(file);
    }
  } catch {
    return [];
  }
}

/**
 * How far the log of a database that was not closed had been synced; to be read before it is
 * opened.
 */
export function readMark(directory: string): { readonly salt: Salt; readonly frames: number } | undefined {
  try {
    const file = openSync(join(directory, sumsName), 'r');
    try {
      const mark = Buffer.alloc(markBytes);
      readSync(file, mark, 0, markBytes, 0);
      if (crc32(mark.subarray(0, 16)) !== mark.readUInt32BE(16)) return undefined;
      return { salt: mark.readBigUInt64BE(0), frames: mark.readUInt32BE(8) };
    } finally {
      closeSync(file);
    }
  } catch {
    return undefined;
  }
}

/**
 * Opens the checksums of a database that this process has open. Checksums of another database are
 * discarded, and so are those that an earlier version did not maintain. `before` is the id of the
 * file when it was opened, undefined if its checksums cannot be trusted.
 */
export function openPageSums(directory: string, { id, before }: { id: string; before: string | undefined }): PageSums {
  const path = join(directory, sumsName);
  makePrivateFile(path);
  const file = openSync(path, 'r+');
  // Never closed while the database is open: that would end this process's locks on it.
  const database = openSync(join(directory, databaseFileName), 'r');
  const log = join(directory, logName);
  let notes = readNotes(file);
  let sums: number[] = [];
  let salt: Salt | undefined;
  const markBuffer = Buffer.alloc(markBytes);

  const pageCount = () => Math.ceil(fstatSync(database).size / pageBytes);
  sums = readSums(file, pageCount() + mostBeyond);

  const writeMark = (frames: number) => {
    markBuffer.writeBigUInt64BE(salt ?? 0n, 0);
    markBuffer.writeUInt32BE(frames, 8);
    markBuffer.writeUInt32BE(crc32(markBuffer.subarray(0, 16)), 16);
    writeSync(file, markBuffer, 0, markBytes, 0);
  };

  const writeNotes = () => {
    const text = Buffer.from(JSON.stringify(notes));
    const bytes = Buffer.alloc(headBytes - markBytes, ' ');
    bytes.writeUInt32BE(crc32(text), 0);
    bytes.writeUInt32BE(text.length, 4);
    text.copy(bytes, 8);
    writeSync(file, bytes, 0, bytes.length, markBytes);
    fsyncSync(file);
  };

  const writeSums = (first: number, last: number) => {
    const bytes = Buffer.alloc((last - first) * 4);
    for (let page = first; page < last; page++) bytes.writeUInt32BE(sums[page] ?? 0, (page - first) * 4);
    writeSync(file, bytes, 0, bytes.length, headBytes + first * 4);
  };

  const noteDamage = (pages: readonly number[], ofLog = false) => {
    const { damage } = notes;
    const named = damage?.named ?? [];
    // Beyond those that are named nobody knows which were found before.
    const fresh = named.length < mostNamed ? pages.filter((page) => !named.includes(page)) : [];
    if (fresh.length === 0 && (!ofLog || damage?.log)) return;
    addDamage({
      pages: (damage?.pages ?? 0) + fresh.length,
      named: [...named, ...fresh].slice(0, mostNamed),
      log: ofLog || damage?.log === true,
    });
  };

  const addDamage = (found: Partial<Damage>) => {
    notes.damage = { pages: 0, named: [], log: false, at: new Date().toISOString(), ...notes.damage, ...found };
    writeNotes();
  };

  /** Compares pages of the file with their checksums. */
  const compare = (first: number, bytes: Buffer, count: number, found: number[], learn: boolean): boolean => {
    let learnt = false;
    for (let at = 0; at < count; at++) {
      const page = first + at;
      const known = sums[page] ?? 0;
      if (known === 0 && !learn) continue;
      const sum = pageSum(bytes.subarray(at * pageBytes, (at + 1) * pageBytes));
      if (known === 0) {
        sums[page] = sum;
        learnt = true;
      } else if (known !== sum) found.push(page + 1);
    }
    return learnt;
  };

  if (notes.id !== before && (before === undefined || before === idOfCopy || isOther(before, notes.id))) {
    notes = { id: '' };
    sums = [];
    ftruncateSync(file, 0);
  }
  if (notes.id !== id) {
    notes.id = id;
    writeNotes();
  }
  writeMark(0);

  const block = Buffer.alloc(pagesPerStep * pageBytes);
  return {
    get damage() {
      return notes.damage;
    },
    get dropped() {
      return notes.dropped;
    },
    get pages() {
      return Math.max(pageCount(), sums.length);
    },
    mark(frames) {
      salt ??= saltOf(log);
      writeMark(frames);
    },
    checkpoint(frames, run) {
      const { isIntact, pages } = readLatestPages(log, frames);
      const touched = [...pages.keys()].map((page) => page - 1);
      const [first, end] = touched.reduce(([a, b], page) => [Math.min(a, page), Math.max(b, page + 1)], [sums.length, 0]);
      const found: number[] = [];
      // A page that was read while it was damaged, and then changed, is about to get a right
      // checksum.
      for (const page of pages.keys()) {
        const read = readSync(database, block, 0, pageBytes, (page - 1) * pageBytes);
        if (read > 0) compare(page - 1, block, 1, found, false);
      }
      noteDamage(found, !isIntact);
      // Should this be cut off, what the file has then is not known; the log still has all of it.
      while (sums.length < end) sums.push(0);
      for (const page of touched) sums[page] = 0;
      if (first < end) writeSums(first, end);
      fsyncSync(file);
      if (!run()) return;
      if (isIntact) for (const [page, sum] of pages) sums[page - 1] = sum;
      if (first < end) writeSums(first, end);
      // The log begins again with the next write.
      salt = undefined;
      writeMark(0);
      fsyncSync(file);
    },
    check(first) {
      const all = Math.max(pageCount(), sums.length);
      const found: number[] = [];
      const count = Math.min(pagesPerStep, all - first);
      if (count <= 0) return all;
      const read = readSync(database, block, 0, count * pageBytes, first * pageBytes);
      block.fill(0, read);
      const there = Math.ceil(read / pageBytes);
      while (sums.length < first + there) sums.push(0);
      if (compare(first, block, there, found, true)) writeSums(first, first + there);
      // The file is shorter than it was.
      for (let page = first + there; page < first + count; page++) if (sums[page]) found.push(page + 1);
      noteDamage(found);
      return first + count;
    },
    checkLog(frames) {
      noteDamage([], readLog(log, frames).intact < frames);
    },
    noteDropped(dropped) {
      notes.dropped = { ...dropped, at: new Date().toISOString() };
      writeNotes();
    },
    noteMet(what) {
      const met = notes.damage?.met ?? [];
      const sentence = what.slice(0, metLength);
      if (met.length < mostMet && !met.includes(sentence)) addDamage({ met: [...met, sentence] });
    },
    acknowledge() {
      const { damage } = notes;
      delete notes.dropped;
      if (damage !== undefined && damage.pages === 0 && !damage.log) delete notes.damage;
      else if (damage !== undefined) notes.damage = { ...damage, met: [] };
      writeNotes();
    },
    forget() {
      sums = [];
      ftruncateSync(file, headBytes);
    },
    close() {
      closeSync(database);
      closeSync(file);
    },
  };
}

/** True if this is the id of another database, not a damaged id of this one. */
const isOther = (found: string, id: string): boolean =>
  /^[0-9a-f]{24}$/.test(found) && [...found].filter((character, at) => character !== id[at]).length > 4;

function readNotes(file: number): Notes {
  const bytes = Buffer.alloc(headBytes - markBytes);
  readSync(file, bytes, 0, bytes.length, markBytes);
  const text = bytes.subarray(8, 8 + Math.min(bytes.readUInt32BE(4), bytes.length));
  // A new file, or one that is damaged itself.
  return text.length > 0 && crc32(text) === bytes.readUInt32BE(0) ? JSON.parse(text.toString()) : { id: '' };
}

function readSums(file: number, most: number): number[] {
  const bytes = Buffer.alloc(Math.min(Math.max(0, fstatSync(file).size - headBytes), 4 * most));
  const read = readSync(file, bytes, 0, bytes.length, headBytes);
  return Array.from({ length: Math.floor(read / 4) }, (_, page) => bytes.readUInt32BE(page * 4));
}
