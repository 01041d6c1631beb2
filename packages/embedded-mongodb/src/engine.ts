import { ObjectId } from 'bson';
import { createDispatcher } from './dispatch.ts';
import type { Database } from './protocol/command.ts';
import type { Handler } from './protocol/connection.ts';
import { createCursors } from './sessions/cursors.ts';
import { createRetryableWrites } from './sessions/retryable-writes.ts';
import { Catalog } from './storage/catalog.ts';
import { describeDropped, isDamage, isDamageError, unlessDamaged } from './storage/file/damage.ts';
import { type DatabaseFile, openDatabaseFile } from './storage/file/file.ts';
import { damagedStart } from './storage/file/open-file.ts';
import type { DroppedWrites } from './storage/file/page-sums.ts';
import { createGroupCommit, type GroupCommit } from './storage/group-commit.ts';
import { createTextMerges } from './storage/text-merges.ts';
import { removeExpired } from './storage/ttl.ts';
import { decodeStored } from './values/bson.ts';

/** Interval of the removal of expired documents, cursors and stored answers. */
const usualSweepMillis = 60_000;

/** An open database that answers messages, independent of the transport. */
type Engine = {
  readonly handle: Handler;
  /**
   * The number of the last change to a collection's documents; `undefined` if the collection does
   * not exist.
   */
  readonly lastChange: (db: string, collection: string) => number | undefined;
  /** Publishes the database's address to other processes of this machine. */
  announce(uri: string): void;
  close(): void;
};

/**
 * Opens the database in a directory. If that fails, throws a DatabaseStartError that says why in
 * one sentence.
 */
export async function openEngine(dataDir: string, sweepMillis = usualSweepMillis): Promise<Engine> {
  const file = await openDatabaseFile(dataDir);
  try {
    const database = assemble(file);
    tellDropped(database);
    const sweep = () => {
      database.cursors.expire();
      if (database.commits.failure !== undefined) return;
      // Damage must not end the process, nor prevent reads of the other documents.
      unlessDamaged(() => database.retryableWrites.expire(), undefined);
      removeExpired(file, database.catalog);
    };
    sweep();
    const sweeper = setInterval(sweep, sweepMillis).unref();
    return {
      handle: createDispatcher(database),
      lastChange: (db, collection) => database.catalog.get(db, collection)?.lastChange,
      announce: (uri) => file.announce(uri),
      close() {
        clearInterval(sweeper);
        database.commits.flush();
        file.close();
      },
    };
  } catch (error) {
    file.close();
    throw isDamage(error) || isDamageError(error) ? damagedStart(dataDir, error as Error) : error;
  }
}

/** Reports the writes of the log that the start had to drop, and records them in the file. */
function tellDropped({ file, catalog }: Database): void {
  const { acknowledged, others, isUncertain } = file.unusable;
  if (acknowledged + others === 0) return;
  const since = latestTime(catalog);
  file.sums.noteDropped({
    frames: Math.max(acknowledged, others),
    acknowledged: acknowledged > 0,
    isUncertain,
    ...(since !== undefined && { since }),
  });
  process.stderr.write(`${describeDropped(file.sums.dropped as DroppedWrites)}\n`);
}

/** The creation time of the latest document, according to the ObjectIds. */
function latestTime(catalog: Catalog): string | undefined {
  const times = catalog.all().map((collection) =>
    unlessDamaged(() => {
      const latest = collection.get(collection.lastRid());
      const id = latest && decodeStored(latest).get('_id');
      return id instanceof ObjectId ? id.getTimestamp().getTime() : 0;
    }, 0),
  );
  const latest = Math.max(0, ...times);
  return latest === 0 ? undefined : new Date(latest).toISOString();
}

function assemble(file: DatabaseFile): Database {
  const commits: GroupCommit = createGroupCommit(
    file,
    () => catalog.load(),
    () => mergeTexts(),
  );
  const catalog = new Catalog(file, () => commits);
  const mergeTexts = createTextMerges(catalog, commits);
  const retryableWrites = createRetryableWrites(file, () => commits);
  return { file, catalog, commits, cursors: createCursors(), retryableWrites, memory: { held: 0 } };
}
