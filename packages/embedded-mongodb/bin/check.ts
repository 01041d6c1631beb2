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
 * Checks a copy that no process has open:
 * `node packages/embedded-mongodb/bin/check.ts DIRECTORY [--full]`. If another process forked it,
 * it sends progress and result as messages, and the parent kills it if it makes no progress.
 * Otherwise it prints the result.
 */

process.umask(0o077);
try {
  // Give other processes priority.
  setPriority(10);
} catch {
  // systemd may forbid it.
}

/** The shortest interval between progress messages. */
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
    // Other failures, e.g. a full disk, are not damage.
    if (!(isDamage(error) || isDamageError(error) || damagedStarts.includes((error as DatabaseStartError).code))) throw error;
    return { documents: {}, errors: [(error as Error).message] };
  }
}

function progress(what: string): void {
  if (performance.now() - toldAt < messageMillis) return;
  toldAt = performance.now();
  // The parent is gone, so nothing would receive the result.
  if (process.ppid !== parent) process.exit(1);
  process.send?.({ progress: what } satisfies CheckMessage);
}
