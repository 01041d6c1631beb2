import type { Operation } from '../operation.ts';
import { DatabaseError, damaged } from '../values/errors.ts';
import type { Collection, CollectionIndex } from './collection.ts';
import type { DatabaseFile } from './file/file.ts';
import { limitClause, smallDocument } from './file/sqlite.ts';
import type { KeyRange } from './index/key.ts';
import type { PieceSql, StoredIndex } from './index/stored-index.ts';
import { storedDocument } from './stored-document.ts';

/** A stored document as a scan meets it. */
export type StoredDocument = {
  readonly rid: number;
  readonly document: Buffer;
};

/** What is read and how. */
export type Scan = {
  readonly file: DatabaseFile;
  readonly collection: Collection;
  readonly backward: boolean;
  /** How many rows will probably be wanted; more where some of them do not match. */
  readonly expected?: number | undefined;
  readonly operation: Operation;
};

/** Rows fetched at once: enough to make a query cheap, few enough to keep memory flat. */
const chunkRows = 100;

/** With so many bytes of large documents, a chunk ends early. */
const chunkBytes = 1_000_000;

/**
 * The documents of a range of an index in key order, and `undefined` where others may have their turn. The scan holds no SQLite
 * cursor while it is suspended: it goes on after the last key it saw, whatever was written in between.
 */
export function* scanIndex(index: StoredIndex, range: KeyRange, scan: Scan): Generator<StoredDocument | undefined> {
  const { file, collection, expected = chunkRows, operation } = scan;
  let last: Entry | undefined;
  // Where one document is wanted, there mostly is no other one.
  for (let wanted = Math.max(expected, 2); ; wanted = chunkRows) {
    const [sql, values] = pieceAfter(index, range, last, scan.backward);
    const { rows, isLast } = fetch(scan, sql.documents, values, wanted);
    // To hand out a key takes half as long as to hand out a document, and only the last one may be needed.
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

/** The document under the key with which a range begins, in an index with at most one for each. */
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

/** All documents in the order in which they were inserted, or against it; `undefined` where others may have their turn. */
export function* scanTable(scan: Scan): Generator<StoredDocument | undefined> {
  const { collection, backward, expected, operation } = scan;
  const [after, order] = backward ? ['<', 'DESC'] : ['>', 'ASC'];
  const sql = `SELECT rid, ${smallDocument('doc')} FROM ${collection.table} WHERE rid ${after} ? ORDER BY rid ${order} ${limitClause}`;
  let last = backward ? Number.MAX_SAFE_INTEGER : 0;
  for (let wanted = expected ?? chunkRows; ; wanted = chunkRows) {
    const { rows, isLast } = fetch(scan, sql, [last], wanted);
    for (const [rid, document] of rows) {
      // In a damaged table they may lead back to where they came from, for ever.
      if (!(backward ? rid < last : rid > last)) throw damaged(`the documents of ${collection.namespace} are not in order.`);
      last = rid;
      yield { rid, document: storedDocument(document, collection.namespace, rid) };
      if (operation.isDue()) yield undefined;
    }
    if (isLast) return;
    checkThere(collection);
  }
}

/** An entry of an index: the key, and the document that stands under it. */
export type Entry = readonly [key: Uint8Array, rid: number];

/** The next entries of a range of an index, without the documents; the first ones, unless there were some before. */
export function entriesAfter(index: StoredIndex, range: KeyRange, last: Entry | undefined, scan: Scan, wanted: number): Entry[] {
  checkThere(scan.collection, index);
  const [sql, values] = pieceAfter(index, range, last, scan.backward);
  const entries = scan.file.prepare(sql.entries).all(...values, wanted) as unknown as Entry[];
  if (entries.length > 0) checkOrder(index, last, entries.at(-1), scan.backward);
  return entries;
}

/** In a damaged index the next entries may lead back to those before, for ever. */
function checkOrder(index: StoredIndex, last: Entry | undefined, next: Entry | undefined, backward: boolean): void {
  const isInOrder = next?.[0] instanceof Uint8Array && (last === undefined || order(last, next) < 0 !== backward);
  if (!isInOrder) throw damaged(`the entries of index '${index.name}' are not in order.`);
}

const order = ([key, rid]: Entry, [otherKey, otherRid]: Entry): number => Buffer.compare(key, otherKey) || rid - otherRid;

/** The statements for what comes in a range after an entry, or for its beginning, and their parameters. */
function pieceAfter(index: StoredIndex, { low, high }: KeyRange, last: Entry | undefined, backward: boolean): [PieceSql, Values] {
  const { first, further } = backward ? index.sql.backward : index.sql.forward;
  return last === undefined ? [first, [low, high]] : [further, [...last, backward ? low : high]];
}

type Row = [rid: number, document: Uint8Array | null];
type Values = readonly (Uint8Array | number)[];

/** The next rows of a statement that gives a rid and the `smallDocument`, and whose last parameter is the number of rows. */
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

/** Ends a scan whose collection or index was dropped since its last rows. */
export function checkThere(collection: Collection, index?: CollectionIndex): void {
  if (collection.presence.isOver) throw collectionDropped(collection);
  if (index?.presence.isOver) throw new DatabaseError(175, `query plan killed :: index '${index.name}' dropped`);
}

/** 175: the collection went away during a scan. */
export const collectionDropped = (collection: Collection) =>
  new DatabaseError(175, `collection dropped. UUID ${collection.identity.uuid.toUUID().toString()}`);
