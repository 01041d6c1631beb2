import { asBuffer } from '../values/raw.ts';
import type { Collection } from './collection.ts';
import type { DatabaseFile } from './file.ts';
import type { KeyRange } from './key.ts';
import { compareEntries, type IndexEntry } from './pending-keys.ts';
import { limitClause } from './sqlite.ts';
import type { StoredIndex } from './stored-index.ts';

/** A stored document as a scan meets it. */
export type Stored = {
  readonly rid: number;
  readonly document: Buffer;
};

/** Rows fetched at once; enough to make a query cheap, few enough to keep memory flat. */
const chunkRows = 100;

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
  expected = chunkRows,
): Generator<Stored> {
  const sql = backward ? index.sql.backward : index.sql.forward;
  const complete = (rows: Found[], wanted: number, after?: Found) =>
    index.text === undefined ? rows : withPending(rows, wanted, collection, index, range, backward, after);
  let rows = complete(file.prepare(sql.first).all(range.low, range.high, expected) as unknown as Found[], expected);
  for (let wanted = expected; ; wanted = chunkRows) {
    for (const [, rid, document] of rows) yield { rid, document: asBuffer(document) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < wanted) return;
    const bound = backward ? range.low : range.high;
    rows = complete(file.prepare(sql.further).all(last[0], last[1], bound, chunkRows) as unknown as Found[], chunkRows, last);
  }
}

/** The first of the rows of a chunk and of the entries behind `after` that the index has not stored yet; only their documents are read. */
function withPending(
  rows: Found[],
  wanted: number,
  collection: Collection,
  index: StoredIndex,
  range: KeyRange,
  backward: boolean,
  after: Found | undefined,
): Found[] {
  const direction = backward ? -1 : 1;
  const order = ([key, rid]: Entry, [otherKey, otherRid]: Entry) => direction * compareEntries([key, rid], [otherKey, otherRid]);
  const pending: Entry[] = index.pending(range).filter((entry) => after === undefined || order(entry, after) > 0);
  if (pending.length === 0) return rows;
  const first = [...rows, ...pending].sort(order).slice(0, wanted);
  return first.map(([key, rid, document]) => [key, rid, document ?? (collection.get(rid) as Buffer)]);
}

type Entry = readonly [...IndexEntry, document?: Uint8Array];

type Found = [key: Uint8Array, rid: number, document: Uint8Array];

/** All documents in the order in which they were inserted, or against it. */
export function* scanTable(
  file: DatabaseFile,
  collection: Collection,
  backward: boolean,
  expected = chunkRows,
): Generator<Stored> {
  const statement = file.prepare(
    `SELECT rid, doc FROM ${collection.table} WHERE rid ${backward ? '<' : '>'} ? ORDER BY rid ${backward ? 'DESC' : 'ASC'} ${limitClause}`,
  );
  let rid = backward ? Number.MAX_SAFE_INTEGER : 0;
  for (let wanted = expected; ; wanted = chunkRows) {
    const rows = statement.all(rid, wanted) as unknown as [number, Uint8Array][];
    for (const row of rows) yield { rid: row[0], document: asBuffer(row[1]) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < wanted) return;
    rid = last[0];
  }
}
