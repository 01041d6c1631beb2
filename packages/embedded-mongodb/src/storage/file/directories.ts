import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Makes a directory, and those above it, that last and are their owner's alone. Not `recursive: true`, with which Node 24 never
 * returns in /proc.
 */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  if (!existsSync(dirname(directory))) makeDirectory(dirname(directory));
  mkdirSync(directory, 0o700);
  syncDirectory(dirname(directory));
}

/** Makes the entries of a directory last; Windows neither needs nor allows it. */
export function syncDirectory(directory: string): void {
  if (process.platform === 'win32') return;
  const file = openSync(directory, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/**
 * Makes a file that only its owner can read. One that is there is not even opened: to close it again would end this process's
 * locks on it.
 */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600));
}

/**
 * Takes a directory with these files, and what there is of them, from everybody but its owner. One that holds other things stays
 * as it is.
 */
export function makePrivate(directory: string, files: readonly string[]): void {
  const found = readdirSync(directory);
  const own = found.filter((name) => files.includes(name));
  const isShared = found.length > 0 && own.length === 0;
  const paths = [...(isShared ? [] : [directory]), ...own.map((name) => join(directory, name))];
  for (const path of paths) {
    const { uid, mode } = statSync(path);
    // The sticky bit tells of a directory that is meant for many.
    if (uid !== process.getuid?.() || (mode & 0o1077) === 0 || (mode & 0o1000) !== 0) continue;
    chmodSync(path, mode & 0o700);
  }
}
