import { DatabaseError, damaged } from '../values/errors.ts';
import { isDamage } from './file/damage.ts';
import type { DatabaseFile } from './file/file.ts';

/** Number of commits between two checks of the log's length. */
const commitsPerLook = 16;

/**
 * Length of the log, in frames of 4 KB (64 MB in all), beyond which it is written back. A page that
 * changed often is written back only once.
 */
const checkpointFrames = 16_384;

const sqliteIoerr = 10;
const sqliteFull = 13;

/** Receives the result of a transaction: `undefined`, or the reason why none of it is stored. */
export type SettleCallback = (failure: DatabaseError | undefined) => void;

/** Runs housekeeping that can wait. It is skipped while the disk rejects writes. */
export function ifPossible(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
  }
}

/**
 * Runs everything that arrives in one turn of the event loop in one SQLite transaction with one
 * sync. Answers must not be sent before `settled` calls back.
 */
export type GroupCommit = {
  /**
   * Runs a change that has already detected all conflicts. If it throws, all writes of the turn are
   * lost.
   */
  write<T>(change: () => T): T;
  /**
   * Runs a change that may fail halfway. If it throws, it is rolled back, and the other changes of
   * the turn are kept.
   */
  atomically<T>(change: () => T): T;
  /**
   * Runs a change that may be acknowledged before it is synced. It survives a power cut only after
   * the next synced commit.
   */
  unsynced<T>(step: () => T): T;
  /**
   * Calls back when the current turn's transaction has ended. A caller that comes before the first
   * change of the turn always receives `undefined`.
   */
  settled(callback: SettleCallback): void;
  /** The number of changes requested so far. */
  readonly changes: number;
  /** The reason why all writes are rejected until a restart. */
  readonly failure: DatabaseError | undefined;
  /** The reason why writes are rejected: `failure`, or a full disk at the latest attempt. */
  readonly refusal: DatabaseError | undefined;
  /** Tests whether the disk has space again, after a write was rejected because it was full. */
  tryAgain(): void;
  /** Ends the current transaction immediately. */
  flush(): void;
};

/**
 * Creates the group commit of a database file. It calls `rolledBack` when cached state must be
 * loaded again, and `grown` now and then after commits.
 */
export function createGroupCommit(file: DatabaseFile, rolledBack: () => void, grown: () => void = () => {}): GroupCommit {
  let open = false;
  let wantsSync = true;
  let syncs = true;
  let changes = 0;
  let commits = 0;
  let changing = false;
  let doomed: DatabaseError | undefined;
  let failure: DatabaseError | undefined;
  let refusal: DatabaseError | undefined;
  let waiting: SettleCallback[] = [];
  let scheduled: NodeJS.Immediate | undefined;

  const flush = () => {
    clearImmediate(scheduled);
    scheduled = undefined;
    const callbacks = waiting;
    waiting = [];
    const wrote = open || doomed !== undefined;
    const error = wrote ? commit() : undefined;
    const synced = wrote && error === undefined && syncs ? syncedFrames() : undefined;
    for (const callback of callbacks) callback(error);
    if (synced !== undefined) mark(synced);
    if (!wrote || error !== undefined || ++commits % commitsPerLook !== 0) return;
    checkpoint();
    grown();
  };

  const schedule = () => {
    scheduled ??= setImmediate(flush);
  };

  /**
   * Begins the transaction of the turn. If unsynced changes are pending and a change needs a sync,
   * they are committed first.
   */
  const begin = () => {
    if (open && (syncs || !wantsSync)) return;
    if (open) file.prepare('COMMIT').run();
    open = false;
    if (syncs !== wantsSync) file.exec(`PRAGMA synchronous = ${wantsSync ? 'FULL' : 'NORMAL'}`);
    syncs = wantsSync;
    file.prepare('BEGIN IMMEDIATE').run();
    open = true;
  };

  const commit = () => {
    open = false;
    try {
      if (doomed === undefined) file.prepare('COMMIT').run();
    } catch (error) {
      doomed = storageError(error);
    }
    if (doomed !== undefined) rollback();
    const result = doomed;
    doomed = undefined;
    return result;
  };

  /**
   * The synced length of the log in frames; `undefined` if it is unknown. An earlier mark remains
   * valid.
   */
  const syncedFrames = (): number | undefined => {
    try {
      return file.frames();
    } catch {
      return undefined;
    }
  };

  /**
   * Stores the synced length of the log, so that a start detects a shortened log. Answers need not
   * wait for it.
   */
  const mark = (frames: number) => {
    try {
      file.sums.mark(frames);
    } catch {
      // An earlier mark remains valid.
    }
  };

  const rollback = () => {
    try {
      file.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back by itself, e.g. after an I/O error.
    }
    reload();
  };

  /** Loads the cached state again. If that fails, later writes are rejected. */
  const reload = () => {
    try {
      rolledBack();
    } catch (error) {
      failure ??= new DatabaseError(
        39,
        `reading failed after a write (${(error as Error).message}); no writes until the database is restarted`,
      );
    }
  };

  const storageError = (error: unknown): DatabaseError => {
    const code = (error as { errcode?: number }).errcode;
    const message = (error as Error).message;
    if (error instanceof DatabaseError) return error;
    if (isDamage(error)) return damaged(`${message}.`);
    if (code === undefined) return new DatabaseError(1, `internal error: ${message}`);
    if ((code & 0xff) === sqliteFull) {
      refusal = new DatabaseError(14031, 'no space left on the device; nothing was written');
      return refusal;
    }
    // After a failed sync, the kernel may have dropped the unwritten pages, and a second sync would
    // falsely succeed.
    if ((code & 0xff) === sqliteIoerr)
      failure = new DatabaseError(39, `writing to disk failed (${message}); no writes until the database is restarted`);
    return failure ?? new DatabaseError(96, `writing to disk failed: ${message}`);
  };

  const undo = (reason: DatabaseError, nothingChanged: boolean) => {
    try {
      // A change that threw before it wrote anything need not be undone.
      if (!nothingChanged) file.exec('ROLLBACK TO change');
      file.prepare('RELEASE change').run();
      if (!nothingChanged) reload();
    } catch {
      // The savepoint is gone because SQLite has rolled back the whole transaction.
      doomed = reason;
    }
  };

  const checkpoint = () => {
    try {
      const frames = file.frames();
      if (frames > checkpointFrames) file.checkpoint();
      else file.writeAhead(frames);
    } catch (error) {
      // If the disk is full, the log only stays longer.
      storageError(error);
    }
  };

  /**
   * Runs a change in the turn's transaction. If it throws, calls `undo` with the reason and with
   * whether it had not changed anything yet.
   */
  const run = <T>(change: () => T, undo: (reason: DatabaseError, nothingChanged: boolean) => void): T => {
    changes++;
    if (failure !== undefined) throw failure;
    if (doomed !== undefined) throw doomed;
    // A nested change is part of the outer one.
    if (changing) return change();
    schedule();
    const before = changes;
    changing = true;
    try {
      begin();
      return change();
    } catch (error) {
      const reason = storageError(error);
      undo(reason, error instanceof DatabaseError && changes === before);
      throw reason;
    } finally {
      changing = false;
    }
  };

  const write = <T>(change: () => T): T =>
    run(change, (reason) => {
      doomed = reason;
    });

  return {
    write,
    // A savepoint makes SQLite copy each page before its first change. Writes of single documents
    // avoid that cost.
    atomically: (change) =>
      changing
        ? change()
        : run(() => {
            file.prepare('SAVEPOINT change').run();
            const result = change();
            file.prepare('RELEASE change').run();
            return result;
          }, undo),
    unsynced(step) {
      wantsSync = false;
      try {
        return step();
      } finally {
        wantsSync = true;
      }
    },
    settled(callback) {
      const touched = open || doomed !== undefined;
      waiting.push(touched ? callback : () => callback(undefined));
      schedule();
    },
    get changes() {
      return changes;
    },
    get failure() {
      return failure;
    },
    get refusal() {
      return failure ?? refusal;
    },
    tryAgain() {
      // A small write may still fit into the extended part of the log.
      if (refusal === undefined || failure !== undefined || !file.hasSpace()) return;
      refusal = undefined;
      ifPossible(() => write(() => file.prepare('UPDATE file_id SET id = id').run()));
      flush();
    },
    flush,
  };
}
