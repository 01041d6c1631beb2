import type { Operation } from '../operation.ts';
import { DatabaseError, damaged } from '../values/errors.ts';
import type { Collection, CollectionIndex } from './collection.ts';
import type { DatabaseFile } from './file/file.ts';
import { limitClause, smallDocument } from './file/sqlite.ts';
import type { KeyRange } from './index/key.ts';
import type { PieceSql, StoredIndex } from './index/stored-index.ts';
import { storedDocument } from './stored-document.ts';

/** A stored document with its row number. */
export type StoredDocument = {
  readonly rid: number;
  readonly document: Buffer;
};

/** The source and the direction of a scan. */
export type Scan = {
  readonly file: DatabaseFile;
  readonly collection: Collection;
  readonly backward: boolean;
  /** The expected number of rows. More are read if some do not match. */
  readonly expected?: number | undefined;
  readonly operation: Operation;
};

/** Rows per query: enough to be fast, few enough to bound memory. */
const chunkRows = 100;

/** Total size of large documents that ends a chunk early. */
const chunkBytes = 1_000_000;

/**
 * Yields the documents of an index range in key order, and `undefined` at points at which other
 * commands may run. It keeps no SQLite cursor while it is suspended: it continues after the last
 * key, whatever was written in between.
 */
export function* scanIndex(index: StoredIndex, range: KeyRange, scan: Scan): Generator<StoredDocument | undefined> {
  const { file, collection, expected = chunkRows, operation } = scan;
  let last: Entry | undefined;
  // A query for one document usually finds only one, so ask for a second row to see the end.
  for (let wanted = Math.max(expected, 2); ; wanted = chunkRows) {
    const [sql, values] = pieceAfter(index, range, last, scan.backward);
    const { rows, isLast } = fetch(scan, sql.documents, values, wanted);
    // Returning a key takes half as long as returning a document, and only the last key may be
    // needed.
    const next = isLast ? undefined : (file.prepare(sql.nth).get(...values, rows.length - 1) as unknown as Entry | undefined);
    if (!isLast) checkOrder(index, last, next, scan.backward);
    last = next;
    for (const [rid, document] of rows) {
      yield { rid, document: storedDocument(document, collection.namespace, rid) };
      if (operation.isDue()) yield undefined;
    }
    if (last === undefined) return;
    checkThere(collection, index);
  }
}

/** The document with the first key of a range, in a unique index. */
export function findByKey(
  index: StoredIndex,
  { low }: KeyRange,
  { file, collection, operation }: Scan,
): StoredDocument | undefined {
  operation.check();
  const row = file.prepare(index.sql.one).get(low) as unknown as Row | undefined;
  if (row === undefined) return undefined;
  const [rid, small] = row;
  const document = small ?? collection.get(rid);
  if (document === undefined) throw damaged(`document ${rid} of ${collection.namespace} cannot be found.`);
  return { rid, document: storedDocument(document, collection.namespace, rid) };
}

/**
 * Yields all documents in insertion order or reverse, and `undefined` at points at which other
 * commands may run.
 */
export function* scanTable(scan: Scan): Generator<StoredDocument | undefined> {
  const { collection, backward, expected, operation } = scan;
  const [after, order] = backward ? ['<', 'DESC'] : ['>', 'ASC'];
  const sql = `SELECT rid, ${smallDocument('doc')} FROM ${collection.table} WHERE rid ${after} ? ORDER BY rid ${order} ${limitClause}`;
  let last = backward ? Number.MAX_SAFE_INTEGER : 0;
  for (let wanted = expected ?? chunkRows; ; wanted = chunkRows) {
    const { rows, isLast } = fetch(scan, sql, [last], wanted);
    for (const [rid, document] of rows) {
      // In a damaged table, rows may form a loop.
      if (!(backward ? rid < last : rid > last)) throw damaged(`the documents of ${collection.namespace} are not in order.`);
      last = rid;
      yield { rid, document: storedDocument(document, collection.namespace, rid) };
      if (operation.isDue()) yield undefined;
    }
    if (isLast) return;
    checkThere(collection);
  }
}

/** An index entry: the key, and the row number of its document. */
export type Entry = readonly [key: Uint8Array, rid: number];

/** The next entries of an index range after `last`, or its first entries, without the documents. */
export function entriesAfter(index: StoredIndex, range: KeyRange, last: Entry | undefined, scan: Scan, wanted: number): Entry[] {
  checkThere(scan.collection, index);
  const [sql, values] = pieceAfter(index, range, last, scan.backward);
  const entries = scan.file.prepare(sql.entries).all(...values, wanted) as unknown as Entry[];
  if (entries.length > 0) checkOrder(index, last, entries.at(-1), scan.backward);
  return entries;
}

/** In a damaged index, entries may form a loop. */
function checkOrder(index: StoredIndex, last: Entry | undefined, next: Entry | undefined, backward: boolean): void {
  const isInOrder = next?.[0] instanceof Uint8Array && (last === undefined || order(last, next) < 0 !== backward);
  if (!isInOrder) throw damaged(`the entries of index '${index.name}' are not in order.`);
}

const order = ([key, rid]: Entry, [otherKey, otherRid]: Entry): number => Buffer.compare(key, otherKey) || rid - otherRid;

/** The statements and parameters for the entries of a range after `last`, or from its start. */
function pieceAfter(index: StoredIndex, { low, high }: KeyRange, last: Entry | undefined, backward: boolean): [PieceSql, Values] {
  const { first, further } = backward ? index.sql.backward : index.sql.forward;
  return last === undefined ? [first, [low, high]] : [further, [...last, backward ? low : high]];
}

type Row = [rid: number, document: Uint8Array | null];
type Values = readonly (Uint8Array | number)[];

/**
 * Fetches rows with a statement that selects a rid and a `smallDocument`, and takes the number of
 * rows as its last parameter.
 */
function fetch(
  { file, collection }: Scan,
  sql: string,
  values: Values,
  wanted: number,
): { readonly rows: Row[]; readonly isLast: boolean } {
  const rows = file.prepare(sql).all(...values, wanted) as unknown as Row[];
  let bytes = 0;
  for (let at = 0; at < rows.length; at++) {
    const row = rows[at] as Row;
    if (row[1] !== null) continue;
    const document = collection.get(row[0]);
    if (document === undefined) throw damaged(`document ${row[0]} of ${collection.namespace} cannot be found.`);
    row[1] = document;
    bytes += row[1].length;
    if (bytes >= chunkBytes) return { rows: rows.slice(0, at + 1), isLast: false };
  }
  return { rows, isLast: rows.length < wanted };
}

/** Throws if the collection or the index of a scan was dropped. */
export function checkThere(collection: Collection, index?: CollectionIndex): void {
  if (collection.presence.isOver) throw collectionDropped(collection);
  if (index?.presence.isOver) throw new DatabaseError(175, `query plan killed :: index '${index.name}' dropped`);
}

/** Error 175: the collection was dropped during a scan. */
export const collectionDropped = (collection: Collection) =>
  new DatabaseError(175, `collection dropped. UUID ${collection.identity.uuid.toUUID().toString()}`);
