import { statfs } from 'node:fs/promises';
import { isEmbeddedDatabase } from '../../lib/database/file-state.ts';
import { config } from '../../lib/settings/config.ts';
import { settings } from '../../lib/settings/settings.ts';

/**
 * The free bytes on the disk of each directory that the service writes to, by its content. Only
 * space that this account may use counts.
 */
export async function freeSpace(): Promise<Record<string, number>> {
  const { files, backups } = config;
  const directories = {
    database: isEmbeddedDatabase() ? process.env.DATA_DIR?.trim() || settings.DATA_DIR.fallback : '',
    files: files.directory,
    backups: backups.directory,
  };
  const found: Record<string, number> = {};
  for (const [place, directory] of Object.entries(directories)) {
    const disk = directory === '' ? undefined : await statfs(directory).catch(() => undefined);
    if (disk) found[place] = disk.bavail * disk.bsize;
  }
  return found;
}
