import type { Operation } from '../operation.ts';
import type { Collection } from '../storage/collection.ts';
import { DatabaseError } from '../values/errors.ts';

/** A query's answer that goes out in several batches. */
type Cursor = {
  readonly id: bigint;
  readonly namespace: string;
  readonly documents: Documents;
  /** If it is dropped, the cursor ends. */
  readonly collection: Collection | undefined;
  /** The session that opened it; its end is the cursor's. */
  readonly session: string | undefined;
  /** Reads the documents, and keeps what that takes. */
  readonly operation: Operation;
  used: number;
  inUse: boolean;
};

/** Encoded documents, one after the other. */
export type Documents = {
  /** The next one, if there is another, without taking it; `undefined` where others may have their turn before. */
  peek(): IteratorResult<Uint8Array | undefined, unknown>;
  take(): void;
  close(): void;
};

/** MongoDB closes cursors that nobody asks for ten minutes long. */
const idleMinutes = 10;

/** With so many open, the one that was asked longest ago gives way to a new one. */
const mostCursors = 1000;

/** Turns a sequence of encoded documents, and `undefined` where others may have their turn, into one that can be looked ahead at. */
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

/** The open cursors, those that were asked longest ago first. */
export function createCursors() {
  const cursors = new Map<bigint, Cursor>();
  const close = (id: bigint) => {
    const cursor = cursors.get(id);
    cursor?.documents.close();
    cursor?.operation.release();
    return cursors.delete(id);
  };
  return {
    open(cursor: Omit<Cursor, 'id' | 'used' | 'inUse'>): Cursor {
      for (const { id } of cursors.values()) if (cursors.size >= mostCursors) close(id);
      let id: bigint;
      do id = BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) + 1);
      while (cursors.has(id));
      const opened = { ...cursor, id, used: Date.now(), inUse: false };
      cursors.set(id, opened);
      opened.operation.outlivesCommand = true;
      return opened;
    },
    /** Takes a cursor for a batch; it must be given back, or closed. */
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
    },
    close,
    /** Closes the cursors that nobody has asked for in a long time. */
    expire(now = Date.now()): void {
      for (const { id, used } of cursors.values()) if (used < now - idleMinutes * 60_000) close(id);
    },
    endSession(session: string): void {
      for (const cursor of cursors.values()) if (cursor.session === session) close(cursor.id);
    },
    get size() {
      return cursors.size;
    },
  };
}

/** What `createCursors` makes. */
export type Cursors = ReturnType<typeof createCursors>;
