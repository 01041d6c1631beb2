import { DatabaseError, damaged } from '../values/errors.ts';
import { isDamage } from './file/damage.ts';
import type { DatabaseFile } from './file/file.ts';

/** So many commits lie between two looks at the length of the log. */
const commitsPerLook = 16;

/** Frames of 4 KB, together 64 MB, in the log beyond which it is written back into the database: a page that changed often is written once. */
const checkpointFrames = 16_384;

const sqliteIoerr = 10;
const sqliteFull = 13;

/** Told how the transaction ended that a statement ran in: `undefined`, or why nothing of it is stored. */
export type SettleCallback = (failure: DatabaseError | undefined) => void;

/** Housekeeping that may as well be done later: it is passed over while the disk takes no writes. */
export function ifPossible(step: () => void): void {
  try {
    step();
  } catch (error) {
    if (!(error instanceof DatabaseError)) throw error;
  }
}

/**
 * Runs all that arrives in one turn of the event loop in one SQLite transaction, which is synced once. Nothing that was read or
 * written in the turn may be told to a client before `settled` is called.
 */
export type GroupCommit = {
  /** Runs a change that has looked before for all that may stand against it; should it break, the whole turn's writes are lost. */
  write<T>(change: () => T): T;
  /** Runs a change that may be refused half-way wholly or, if it throws, not at all; what others change in the turn is not touched. */
  atomically<T>(change: () => T): T;
  /** Runs what may be told once it is committed, though the next synced commit alone saves it from a power cut. */
  unsynced<T>(step: () => T): T;
  /** Calls back once the present turn's transaction has ended; what comes before its first change does not depend on it. */
  settled(callback: SettleCallback): void;
  /** How many changes were asked for so far. */
  readonly changes: number;
  /** Why writes are no longer accepted, if so. */
  readonly failure: DatabaseError | undefined;
  /** Why writes are refused, or were when they needed space, as far as is known. */
  readonly refusal: DatabaseError | undefined;
  /** Finds out whether there is space again, if a write was refused for want of it. */
  tryAgain(): void;
  /** Ends the present transaction at once. */
  flush(): void;
};

/**
 * `rolledBack` is called when memory no longer agrees with the stored data and must be read again, `grown` now and then when there
 * were commits.
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

  /** Begins the turn's transaction, unless it has begun. Once changes are to be synced, those before that need no sync have one of their own. */
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

  /** How far the log is synced after a commit; undefined if that cannot be told, because an earlier mark is true as well. */
  const syncedFrames = (): number | undefined => {
    try {
      return file.frames();
    } catch {
      return undefined;
    }
  };

  /** Notes how far the log is synced, so that a start misses what was taken from it. The answers need not wait for that. */
  const mark = (frames: number) => {
    try {
      file.sums.mark(frames);
    } catch {
      // An earlier mark is true as well.
    }
  };

  const rollback = () => {
    try {
      file.exec('ROLLBACK');
    } catch {
      // SQLite has already rolled back by itself, as it does after an I/O error.
    }
    reload();
  };

  /** Reads again what memory holds. If that fails, later writes are refused. */
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
    // After a failed sync the kernel may have dropped the pages it could not write; a second sync would claim success.
    if ((code & 0xff) === sqliteIoerr)
      failure = new DatabaseError(39, `writing to disk failed (${message}); no writes until the database is restarted`);
    return failure ?? new DatabaseError(96, `writing to disk failed: ${message}`);
  };

  const undo = (reason: DatabaseError, nothingChanged: boolean) => {
    try {
      // What refuses itself before it has changed anything leaves nothing to undo.
      if (!nothingChanged) file.exec('ROLLBACK TO change');
      file.prepare('RELEASE change').run();
      if (!nothingChanged) reload();
    } catch {
      // The savepoint is gone: SQLite has rolled back the whole transaction.
      doomed = reason;
    }
  };

  const checkpoint = () => {
    try {
      const frames = file.frames();
      if (frames > checkpointFrames) file.checkpoint();
      else file.writeAhead(frames);
    } catch (error) {
      // A full disk only leaves the log longer.
      storageError(error);
    }
  };

  /** Runs a change in the turn's transaction; `undo` is told why it broke, and whether it had asked for changes before. */
  const run = <T>(change: () => T, undo: (reason: DatabaseError, nothingChanged: boolean) => void): T => {
    changes++;
    if (failure !== undefined) throw failure;
    if (doomed !== undefined) throw doomed;
    // A change that is part of a greater one stands or falls with it.
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
    // The savepoint has SQLite copy every page before its first change, which single documents, one after the other, are spared.
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
      // A small write may still find its place in what the log has ahead.
      if (refusal === undefined || failure !== undefined || !file.hasSpace()) return;
      refusal = undefined;
      ifPossible(() => write(() => file.prepare('UPDATE file_id SET id = id').run()));
      flush();
    },
    flush,
  };
}
