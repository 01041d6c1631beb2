import { closeSync, existsSync, openSync, readSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makePrivateFile } from './directories.ts';
import { sqlite } from './sqlite.ts';

/** The name of the database file in its directory; the process that has it open holds SQLite's lock on it. */
export const databaseFileName = 'database.sqlite';
/** Where its holder says who it is. */
export const holderFile = 'holder.json';
/** More than the longest path of a socket takes, in a URI. */
const holderLength = 1024;
const sqliteBusy = 5;

/** The process that has a directory's database open, and where it answers. */
export type Holder = {
  readonly pid: number;
  readonly uri: string;
};

/** What a holder writes: earlier versions say nothing of checksums. */
type AnnouncedHolder = Holder & { readonly keepsSums: true };

/** The process that holds the database of a directory, if there is one that answers. */
export function readHolder(directory: string): Holder | undefined {
  // The file alone proves nothing: a process that was killed leaves it.
  const announced = readAnnounced(directory);
  return announced !== undefined && isHeld(directory) ? announced : undefined;
}

/** Whether some process has the database of a directory open, answering or not. */
export function isHeld(directory: string): boolean {
  const path = join(directory, databaseFileName);
  if (!existsSync(path)) return false;
  try {
    // A connection that may write would write the log of a killed process back when it is closed, without a look at its end, and remove it.
    // In this locking mode there is no file of shared memory, either.
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

/** What the latest holder said about itself; true only as long as it holds the lock. */
export function readAnnounced(directory: string): Holder | undefined {
  const { pid, uri } = readHolderFile(directory);
  return typeof pid === 'number' && typeof uri === 'string' ? { pid, uri } : undefined;
}

/** What the file says; nothing if it is missing or damaged. */
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

/** Tells other processes of this machine where the database of a directory answers. */
export function announce(directory: string, uri: string): void {
  const holder: AnnouncedHolder = { pid: process.pid, uri, keepsSums: true };
  overwrite(directory, JSON.stringify(holder));
}

/** Takes back what was announced; only while the lock is held, lest it be another one's. */
export function withdraw(directory: string): void {
  overwrite(directory, JSON.stringify({ keepsSums: true }));
}

/** Whether the latest holder was of a version that keeps the checksums of pages. */
export const keptSums = (directory: string): boolean => readHolderFile(directory).keepsSums === true;

/** The file stays and keeps its length: a disk that is full would not give its space back at the next start. */
function overwrite(directory: string, text: string): void {
  const path = join(directory, holderFile);
  makePrivateFile(path);
  writeFileSync(path, text.padEnd(holderLength), { flag: 'r+' });
}

/** Whether SQLite refused because another process holds the lock; extended codes carry the plain one in their lowest byte. */
export function isBusy(error: unknown): boolean {
  const { errcode } = error as { errcode?: number };
  return errcode !== undefined && (errcode & 0xff) === sqliteBusy;
}
