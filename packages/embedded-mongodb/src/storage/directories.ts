import { closeSync, existsSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { dirname } from 'node:path';

/** Makes a directory, and those above it, that last. Not `recursive: true`, with which Node 24 never returns in /proc. */
export function makeDirectory(directory: string): void {
  if (existsSync(directory)) return;
  if (!existsSync(dirname(directory))) makeDirectory(dirname(directory));
  mkdirSync(directory);
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
