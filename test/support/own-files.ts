import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { useConfig, useOwnDatabase } from './config.ts';

/**
 * Gives the test file an empty store of files, small quotas and a separate database. Returns the
 * store's directory.
 */
export function useOwnFiles(): string {
  const directory = mkdtempSync(join(tmpdir(), 'chat-files-'));
  useConfig({ FILES: directory, FILES_PER_USER: '100kB', FILES_IN_ALL: '250kB' });
  useOwnDatabase();
  return directory;
}
