import type { TimeLimit } from '../plan/time-limit.ts';
import type { Collection } from '../storage/collection.ts';
import { DatabaseError } from '../values/errors.ts';

/** A query's answer that goes out in several batches. */
export type Cursor = {
  readonly id: bigint;
  readonly namespace: string;
  readonly documents: Documents;
  /** If it is dropped, the cursor ends. */
  readonly collection: Collection | undefined;
  /** The session that opened it; its end is the cursor's. */
  readonly session: string | undefined;
  readonly timeLimit: TimeLimit | undefined;
  used: number;
};

/** Encoded documents, one after the other; `peek` tells whether there is another one. */
export type Documents = {
  next(): Uint8Array | undefined;
  peek(): Uint8Array | undefined;
  close(): void;
};

/** MongoDB closes cursors that nobody asks for ten minutes long. */
const idleMinutes = 10;

/** Turns any sequence of encoded documents into one that can be looked ahead at. */
export function documentsOf(source: Iterator<Uint8Array>): Documents {
  let ahead: Uint8Array | undefined;
  const peek = () => {
    if (ahead === undefined) {
      const result = source.next();
      ahead = result.done ? undefined : result.value;
    }
    return ahead;
  };
  return {
    peek,
    next() {
      const document = peek();
      ahead = undefined;
      return document;
    },
    close: () => {
      source.return?.();
    },
  };
}

/** The open cursors. */
export function createCursors() {
  const cursors = new Map<bigint, Cursor>();
  const close = (id: bigint) => {
    cursors.get(id)?.documents.close();
    return cursors.delete(id);
  };
  return {
    open(cursor: Omit<Cursor, 'id' | 'used'>): Cursor {
      let id: bigint;
      do id = BigInt(Math.floor(Math.random() * Number.MAX_SAFE_INTEGER) + 1);
      while (cursors.has(id));
      const opened = { ...cursor, id, used: Date.now() };
      cursors.set(id, opened);
      return opened;
    },
    get(id: bigint, namespace: string): Cursor {
      const cursor = cursors.get(id);
      if (cursor === undefined) throw new DatabaseError(43, `cursor id ${id} not found`);
      if (cursor.namespace !== namespace)
        throw new DatabaseError(
          13,
          `Requested getMore on namespace '${namespace}', but cursor belongs to a different namespace ${cursor.namespace}`,
        );
      cursor.used = Date.now();
      return cursor;
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

/** 175: the collection went away under a cursor. */
export const collectionDropped = (collection: Collection) =>
  new DatabaseError(175, `collection dropped. UUID ${collection.identity.uuid.toUUID().toString()}`);
