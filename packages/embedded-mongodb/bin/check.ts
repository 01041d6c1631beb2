import { setPriority } from 'node:os';
import { Catalog } from '../src/storage/catalog.ts';
import { checkFile } from '../src/storage/check.ts';
import type { CopyCheck } from '../src/storage/file/backup.ts';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import { createGroupCommit } from '../src/storage/group-commit.ts';

/*
 * Checks a copy of a database that nobody has open, and prints what it has and what is wrong with it, as JSON:
 * `node packages/embedded-mongodb/bin/check.ts DIRECTORY [--full]`. The caller ends it when it takes too long.
 */

process.umask(0o077);
try {
  // Others go first.
  setPriority(10);
} catch {
  // systemd may not allow it.
}

const [directory = '', full] = process.argv.slice(2);
process.stdout.write(JSON.stringify(await check()));

async function check(): Promise<CopyCheck> {
  try {
    const file = await openDatabaseFile(directory);
    try {
      const commits = createGroupCommit(file, () => {});
      return checkFile(file, new Catalog(file, () => commits).all(), full === '--full');
    } finally {
      file.close();
    }
  } catch (error) {
    return { documents: {}, errors: [(error as Error).message] };
  }
}
