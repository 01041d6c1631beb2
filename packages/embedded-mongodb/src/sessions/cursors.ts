import type { Operation } from '../operation.ts';
import type { Collection } from '../storage/collection.ts';
import { DatabaseError } from '../values/errors.ts';

/** A query whose result is returned in several batches. */
type Cursor = {
  readonly id: bigint;
  readonly namespace: string;
  readonly documents: Documents;
  /** If it is dropped, the cursor ends. */
  readonly collection: Collection | undefined;
  /** The session that opened it. The cursor ends with the session. */
  readonly session: string | undefined;
  /** Limits time and memory of reading the documents. */
  readonly operation: Operation;
  used: number;
  inUse: boolean;
  /** It was closed, perhaps while it was in use. */
  isClosed: boolean;
};

/** A sequence of encoded documents with lookahead. */
export type Documents = {
  /**
   * The next document without consuming it. `undefined` means that other commands may run first.
   */
  peek(): IteratorResult<Uint8Array | undefined, unknown>;
  take(): void;
  close(): void;
};

/** MongoDB closes cursors that are idle for ten minutes. */
const idleMinutes = 10;

/** Beyond this number, a new cursor closes the least recently used one. */
const mostCursors = 1000;

/**
 * Adds lookahead to a sequence of encoded documents. An `undefined` in it marks a point at which
 * other commands may run.
 */
export function documentsOf(source: Iterator<Uint8Array | undefined>): Documents {
  let ahead: IteratorResult<Uint8Array | undefined, unknown> | undefined;
  return {
    peek() {
      if (ahead === undefined || (!ahead.done && ahead.value === undefined)) ahead = source.next();
      return ahead;
    },
    take() {
      ahead = undefined;
    },
    close() {
      source.return?.();
    },
  };
}

/** Creates the registry of open cursors. It is ordered by last use, oldest first. */
export function createCursors() {
  const cursors = new Map<bigint, Cursor>();
  const close = (id: bigint) => {
    const cursor = cursors.get(id);
    if (cursor === undefined) return false;
    cursor.isClosed = true;
    cursor.documents.close();
    cursor.operation.release();
    return cursors.delete(id);
  };
  const isIdle = ({ inUse }: Cursor) => !inUse;
  return {
    open(cursor: Omit<Cursor, 'id' | 'used' | 'inUse' | 'isClosed'>): Cursor {
      if (cursors.size >= mostCursors) closeOldest();
      let id: bigint;
      do id = BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) + 1);
      while (cursors.has(id));
      const opened = { ...cursor, id, used: Date.now(), inUse: false, isClosed: false };
      cursors.set(id, opened);
      opened.operation.outlivesCommand = true;
      return opened;
    },
    /** Takes a cursor for a batch. It must be given back or closed. */
    take(id: bigint, namespace: string): Cursor {
      const cursor = cursors.get(id);
      if (cursor === undefined) throw new DatabaseError(43, `cursor id ${id} not found`);
      if (cursor.namespace !== namespace)
        throw new DatabaseError(
          13,
          `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
        );
      if (cursor.inUse) throw new DatabaseError(12051, `cursor id ${id} is already in use`);
      cursor.inUse = true;
      cursor.used = Date.now();
      cursors.delete(id);
      cursors.set(id, cursor);
      return cursor;
    },
    giveBack(cursor: Cursor): void {
      cursor.inUse = false;
      cursor.used = Date.now();
    },
    close,
    /** Closes cursors that have been idle for too long. */
    expire(now = Date.now()): void {
      for (const cursor of cursors.values()) if (isIdle(cursor) && cursor.used < now - idleMinutes * 60_000) close(cursor.id);
    },
    endSession(session: string): void {
      for (const cursor of cursors.values()) if (cursor.session === session) close(cursor.id);
    },
    get size() {
      return cursors.size;
    },
  };

  /** Closes the least recently used cursors that no command reads from. */
  function closeOldest(): void {
    for (const cursor of cursors.values()) {
      if (cursors.size < mostCursors) return;
      if (isIdle(cursor)) close(cursor.id);
    }
  }
}

export type Cursors = ReturnType<typeof createCursors>;
