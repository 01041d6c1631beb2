import { createRequire } from 'node:module';

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

/** The end of a statement whose rows are limited by a parameter. A bare `LIMIT ?` would be compiled anew for each value. */
export const limitClause = 'LIMIT ? + 0';
