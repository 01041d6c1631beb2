import { createRequire } from 'node:module';
import { DatabaseStartError } from './start-error.ts';

/** Loads `node:sqlite` without the warning that it is experimental. */
function loadQuietly(): typeof import('node:sqlite') {
  const emitWarning = process.emitWarning;
  process.emitWarning = () => {};
  try {
    return createRequire(import.meta.url)('node:sqlite');
  } finally {
    process.emitWarning = emitWarning;
  }
}

/** The SQLite module of Node. */
export const sqlite = loadQuietly();

/**
 * Ends a statement whose row limit is a parameter. SQLite would recompile a bare `LIMIT ?` for each
 * value.
 */
export const limitClause = 'LIMIT ? + 0';

/**
 * Selects a document, or null if it is large, so that a batch of rows stays small. SQLite knows the
 * length without reading the document.
 */
export const smallDocument = (column: string) => `iif(length(${column}) <= 65536, ${column}, NULL)`;

/** The first version of SQLite that reports the length of the log without a checkpoint. */
const earliest = [3, 51] as const;

/** Throws if Node's SQLite is too old for the database. */
export function checkVersion(version = process.versions.sqlite ?? ''): void {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  if (major > earliest[0] || (major === earliest[0] && minor >= earliest[1])) return;
  const what = `The database needs SQLite ${earliest.join('.')} or later, and Node.js ${process.versions.node} has ${version || 'none'}.`;
  throw new DatabaseStartError('FAILED', `${what} A later Node.js 24 has one.`);
}
