import { createRequire } from 'node:module';
import { DatabaseStartError } from './start-error.ts';

/** Node 24 prints a warning that `node:sqlite` is experimental; a newcomer need not worry about it. */
function loadQuietly(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return createRequire(import.meta.url)('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** SQLite as it comes with Node. */
export const sqlite = loadQuietly();

/** The end of a statement whose rows are limited by a parameter. A bare `LIMIT ?` would be compiled again for each value. */
export const limitClause = 'LIMIT ? + 0';

/** A column's document, or null for one so large that many of them would be too much. Its length costs nothing to find. */
export const smallDocument = (column: string) => `iif(length(${column}) <= 65536, ${column}, NULL)`;

/** The first that tells how long its log is without writing it back. */
const earliest = [3, 51] as const;

/** Refuses a Node.js whose SQLite lacks what the database needs. */
export function checkVersion(version = process.versions.sqlite ?? ''): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > earliest[0] || (major === earliest[0] && minor >= earliest[1])) return;
  const what = `The database needs SQLite ${earliest.join('.')} or later, and Node.js ${process.versions.node} has ${version || 'none'}.`;
  throw new DatabaseStartError('FAILED', `${what} A later Node.js 24 has one.`);
}
