import { setPriority } from 'node:os';
import { Operation } from '../src/operation.ts';
import { Catalog } from '../src/storage/catalog.ts';
import { checkFile } from '../src/storage/check.ts';
import type { CheckMessage, CopyCheck } from '../src/storage/file/backup.ts';
import { isDamage, isDamageError } from '../src/storage/file/damage.ts';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import type { DatabaseStartError } from '../src/storage/file/start-error.ts';
import { createGroupCommit } from '../src/storage/group-commit.ts';

/*
 * Checks a copy of a database that nobody has open: `node packages/embedded-mongodb/bin/check.ts DIRECTORY [--full]`. A process that has
 * forked it gets its progress and its result as messages, and ends it if it makes no progress; otherwise the result is printed.
 */

process.umask(0o077);
try {
  // Others go first.
  setPriority(10);
} catch {
  // systemd may not allow it.
}

/** The caller gets a message no more often than this. */
const messageMillis = 200;
let toldAt = 0;

const damagedStarts: readonly unknown[] = ['DAMAGED', 'LOST', 'UNKNOWN_FORMAT'] satisfies DatabaseStartError['code'][];
const parent = process.ppid;

const [directory = '', full] = process.argv.slice(2);
const result = await check();
if (process.send) process.send({ result } satisfies CheckMessage, () => process.disconnect());
else process.stdout.write(`${JSON.stringify(result)}\n`);

async function check(): Promise<CopyCheck> {
  try {
    const file = await openDatabaseFile(directory);
    try {
      const commits = createGroupCommit(file, () => {});
      return checkFile(file, new Catalog(file, () => commits).all(), full === '--full', new Operation(), progress);
    } finally {
      file.close();
    }
  } catch (error) {
    // A full disk, for example, is not damage.
    if (!(isDamage(error) || isDamageError(error) || damagedStarts.includes((error as DatabaseStartError).code))) throw error;
    return { documents: {}, errors: [(error as Error).message] };
  }
}

function progress(what: string): void {
  if (performance.now() - toldAt < messageMillis) return;
  toldAt = performance.now();
  // The result would be for nobody.
  if (process.ppid !== parent) process.exit(1);
  process.send?.({ progress: what } satisfies CheckMessage);
}
