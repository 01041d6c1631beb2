import type { Collection } from './collection.ts';
import type { DatabaseFile } from './file.ts';
import { asBuffer } from './raw.ts';
import type { StoredIndex } from './stored-index.ts';

/** The keys from `low`, inclusive, to `high`, exclusive. */
export interface KeyRange {
  readonly low: Buffer;
  readonly high: Buffer;
}

/** A stored document as a scan meets it. */
export interface Stored {
  readonly rid: number;
  readonly document: Buffer;
}

/** Rows fetched at once; enough to make a query cheap, few enough to keep memory flat. */
const CHUNK = 100;

/**
 * The documents of a range of an index in key order. The scan holds no SQLite cursor while it is suspended: it goes on behind
 * the last key it saw, whatever was written in between.
 */
export function* scanIndex(
  file: DatabaseFile,
  collection: Collection,
  index: StoredIndex,
  range: KeyRange,
  backward: boolean,
  expected = CHUNK,
): Generator<Stored> {
  const order = backward ? 'DESC' : 'ASC';
  const select = (condition: string) =>
    file.prepare(
      `SELECT i.key, i.rid, c.doc FROM ${index.table} i CROSS JOIN ${collection.table} c ON c.rid = i.rid ` +
        `WHERE ${condition} ORDER BY i.key ${order}, i.rid ${order} LIMIT ?`,
    );
  // Most scans end with their first rows; without the comparison of pairs SQLite finds those in half the time.
  let rows = select('i.key >= ? AND i.key < ?').all(range.low, range.high, expected) as unknown as Found[];
  for (let wanted = expected; ; wanted = CHUNK) {
    for (const [, rid, document] of rows) yield { rid, document: asBuffer(document) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < wanted) return;
    const behind = backward ? '(i.key, i.rid) < (?, ?) AND i.key >= ?' : '(i.key, i.rid) > (?, ?) AND i.key < ?';
    rows = select(behind).all(last[0], last[1], backward ? range.low : range.high, CHUNK) as unknown as Found[];
  }
}

type Found = [key: Uint8Array, rid: number, document: Uint8Array];

/** All documents in the order in which they were inserted, or against it. */
export function* scanTable(file: DatabaseFile, collection: Collection, backward: boolean, expected = CHUNK): Generator<Stored> {
  const statement = file.prepare(
    `SELECT rid, doc FROM ${collection.table} WHERE rid ${backward ? '<' : '>'} ? ORDER BY rid ${backward ? 'DESC' : 'ASC'} LIMIT ?`,
  );
  let rid = backward ? Number.MAX_SAFE_INTEGER : 0;
  for (let wanted = expected; ; wanted = CHUNK) {
    const rows = statement.all(rid, wanted) as unknown as [number, Uint8Array][];
    for (const row of rows) yield { rid: row[0], document: asBuffer(row[1]) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < wanted) return;
    rid = last[0];
  }
}

/** How many entries a range of an index has. */
export function countRange(file: DatabaseFile, index: StoredIndex, range: KeyRange): number {
  const statement = file.prepare(`SELECT count(*) FROM ${index.table} WHERE key >= ? AND key < ?`);
  return (statement.get(range.low, range.high) as unknown as [number])[0];
}
