import { closeSync, existsSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFile } from './directories.ts';
import { sqlite } from './sqlite.ts';

/**
 * The name of the database file in its directory. The process that has it open holds SQLite's lock.
 */
export const databaseFileName = 'database.sqlite';
/** The file in which the holder publishes its process id and address. */
export const holderFile = 'holder.json';
/** In bytes; more than the URI with the longest socket path takes. */
const holderLength = 1024;
const sqliteBusy = 5;

/** The process that has a directory's database open, and its address. */
export type Holder = {
  readonly pid: number;
  readonly uri: string;
};

/** The content of the holder file. Earlier versions do not write `keepsSums`. */
type AnnouncedHolder = Holder & { readonly keepsSums: true };

/** The process that has the database of a directory open and has published its address, if any. */
export function readHolder(directory: string): Holder | undefined {
  // The file alone proves nothing: a killed process leaves it behind.
  const announced = readAnnounced(directory);
  return announced !== undefined && isHeld(directory) ? announced : undefined;
}

/** True if a process has the database of a directory open, even if it does not answer. */
export function isHeld(directory: string): boolean {
  const path = join(directory, databaseFileName);
  if (!existsSync(path)) return false;
  try {
    // Must be read-only: closing a writable connection would write back the log of a killed
    // process, without checking its end, and remove it. This locking mode also avoids the
    // shared-memory file.
    const probe = new sqlite.DatabaseSync(path, { readOnly: true });
    try {
      probe.exec('PRAGMA locking_mode = EXCLUSIVE; SELECT 1 FROM sqlite_schema');
    } finally {
      probe.close();
    }
    return false;
  } catch (error) {
    return isBusy(error);
  }
}

/** The latest published holder. It is valid only while that process holds the lock. */
export function readAnnounced(directory: string): Holder | undefined {
  const { pid, uri } = readHolderFile(directory);
  return typeof pid === 'number' && typeof uri === 'string' ? { pid, uri } : undefined;
}

/** Reads the holder file. The result is empty if the file is missing or damaged. */
function readHolderFile(directory: string): Partial<Record<keyof AnnouncedHolder, unknown>> {
  try {
    const file = openSync(join(directory, holderFile), 'r');
    try {
      const bytes = Buffer.alloc(holderLength);
      const read = readSync(file, bytes, 0, holderLength, 0);
      return Object(JSON.parse(bytes.toString('utf8', 0, read)));
    } finally {
      closeSync(file);
    }
  } catch {
    return {};
  }
}

/** Publishes the address of a directory's database to other processes of this machine. */
export function announce(directory: string, uri: string): void {
  const holder: AnnouncedHolder = { pid: process.pid, uri, keepsSums: true };
  overwrite(directory, JSON.stringify(holder));
}

/**
 * Withdraws the published address. Call it only while holding the lock: otherwise the file may
 * belong to another process.
 */
export function withdraw(directory: string): void {
  overwrite(directory, JSON.stringify({ keepsSums: true }));
}

/** True if the latest holder was a version that keeps page checksums. */
export const keptSums = (directory: string): boolean => readHolderFile(directory).keepsSums === true;

/**
 * Overwrites the holder file in place and with constant length, so that it also works on a full
 * disk.
 */
function overwrite(directory: string, text: string): void {
  const path = join(directory, holderFile);
  makePrivateFile(path);
  writeFileSync(path, text.padEnd(holderLength), { flag: 'r+' });
}

/**
 * True if another process holds SQLite's lock. The lowest byte of an extended error code is the
 * plain code.
 */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === sqliteBusy;
}
