import { chmodSync, closeSync, existsSync, fsyncSync, mkdirSync, openSync, readdirSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/**
 * Creates a private directory and its parents, and syncs them. It does not use `recursive: true`,
 * because Node 24 then hangs in /proc.
 */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  if (!existsSync(dirname(directory))) makeDirectory(dirname(directory));
  mkdirSync(directory, 0o700);
  syncDirectory(dirname(directory));
}

/** Syncs the entries of a directory. Windows neither needs nor allows this. */
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
 * Creates a file that only its owner can read. Does not open an existing file: closing it would
 * release this process's locks on it.
 */
export function makePrivateFile(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'ax', 0o600));
}

/**
 * Restricts a directory and those of its files that are in the list to their owner. A directory
 * with only other files is left alone.
 */
export function makePrivate(directory: string, files: readonly string[]): void {
  const found = readdirSync(directory);
  const own = found.filter((name) => files.includes(name));
  const isShared = found.length > 0 && own.length === 0;
  const paths = [...(isShared ? [] : [directory]), ...own.map((name) => join(directory, name))];
  for (const path of paths) {
    const { uid, mode } = statSync(path);
    // A sticky bit marks a directory that many accounts share.
    if (uid !== process.getuid?.() || (mode & 0o1077) === 0 || (mode & 0o1000) !== 0) continue;
    chmodSync(path, mode & 0o700);
  }
}
