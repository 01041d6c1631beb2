import { type Decimal128, type Double, Int32, type Long } from 'bson';
import { compileFilter, type Filter } from '../../match/filter.ts';
import { topOf } from '../../values/path.ts';
import { hasSameField } from '../../values/raw.ts';
import type { Doc } from '../../values/value.ts';
import type { DatabaseFile } from '../file/file.ts';
import { limitClause, smallDocument } from '../file/sqlite.ts';
import { type IndexField, type IndexIdentity, type IndexKeys, indexFields, indexKeys, type Presence } from './index-keys.ts';
import type { KeyRange } from './key.ts';

/** The `_id` index, which every collection has. */
export const idIndexSpec = (): Doc =>
  new Map<string, Int32 | string | Doc>([
    ['v', new Int32(2)],
    ['key', new Map([['_id', new Int32(1)]])],
    ['name', '_id_'],
  ]);

/** An index, stored as a table of (key, rid) in key order. */
export class StoredIndex {
  readonly kind = 'ordered';
  readonly id: number;
  readonly spec: Doc;
  readonly name: string;
  readonly pattern: Doc;
  readonly fields: readonly IndexField[];
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilter: Doc | undefined;
  readonly expireAfterSeconds: number | undefined;
  readonly table: string;
  /**
   * A bit mask of the fields that lead through an array in some document. Bounds on them must not
   * be intersected.
   */
  multikey: number;
  presence: Presence = { isOver: false };
  /** The statement that creates its table. */
  readonly tableSql: string;
  readonly sql: IndexSql;
  readonly #file: DatabaseFile;
  readonly #partial: Filter | undefined;
  /** The top-level fields that the keys depend on; `undefined` if they may depend on any. */
  readonly #deciding: readonly string[] | undefined;

  /** `documents` is the table of the collection. */
  constructor({ id, spec, multikey }: IndexIdentity, documents: string, file: DatabaseFile) {
    this.id = id;
    this.spec = spec;
    this.multikey = multikey;
    this.#file = file;
    this.name = spec.get('name') as string;
    this.pattern = spec.get('key') as Doc;
    this.fields = indexFields(this.pattern);
    this.unique = this.name === '_id_' || spec.get('unique') === true;
    this.sparse = spec.get('sparse') === true;
    this.partialFilter = spec.get('partialFilterExpression') as Doc | undefined;
    this.#partial = this.partialFilter && compileFilter(this.partialFilter);
    this.#deciding = decidingFields(this.pattern, this.partialFilter);
    const expiry = spec.get('expireAfterSeconds') as Int32 | Double | Long | Decimal128 | undefined;
    this.expireAfterSeconds = expiry === undefined ? undefined : Number(expiry.toString());
    this.table = `i${id}`;
    this.tableSql = `CREATE TABLE ${this.table} (key BLOB, rid INTEGER, PRIMARY KEY (key, rid)) WITHOUT ROWID`;
    this.sql = indexSql(this.table, documents);
  }

  /**
   * True if the index finds all documents by their value at a path: the path is its first field,
   * and the index has all documents.
   */
  leadsBy(path: string): boolean {
    return this.fields[0]?.name === path && !this.sparse && this.partialFilter === undefined;
  }

  /** The keys of a document in this index. */
  keysOf(document: Buffer, doc: () => Doc): IndexKeys {
    if (this.#partial !== undefined && !this.#partial.matches(doc())) return noKeys;
    return indexKeys(this.fields, document, this.sparse);
  }

  /**
   * True if a change certainly does not affect the keys. `changed` has the fields that differ, if
   * they are known.
   */
  leavesUntouched(before: Buffer, after: Buffer, changed: ReadonlySet<string> | undefined): boolean {
    if (this.#deciding === undefined) return false;
    return changed === undefined
      ? this.#deciding.every((field) => hasSameField(before, after, Buffer.from(field)))
      : !this.#deciding.some((field) => changed.has(field));
  }

  /** For a unique index, the document other than `rid` that already has one of the keys. */
  conflict(keys: readonly Buffer[], rid: number | undefined): { key: Buffer; rid: number } | undefined {
    if (!this.unique) return undefined;
    const holders = this.#file.prepare(this.sql.holders);
    for (const key of keys) {
      for (const [holder] of holders.all(key) as unknown as [number][]) if (holder !== rid) return { key, rid: holder };
    }
    return undefined;
  }

  put(keys: IndexKeys, rid: number): void {
    if ((this.multikey | keys.multikey) !== this.multikey) {
      this.multikey |= keys.multikey;
      this.#file.prepare('UPDATE indexes SET multikey = ? WHERE id = ?').run(this.multikey, this.id);
    }
    const insert = this.#file.prepare(this.sql.insert);
    for (const key of keys.keys) insert.run(key, rid);
  }

  remove(keys: IndexKeys, rid: number): void {
    const remove = this.#file.prepare(this.sql.remove);
    for (const key of keys.keys) remove.run(key, rid);
  }

  /** True if the index has this entry. */
  has(key: Buffer, rid: number): boolean {
    return this.#file.prepare(`SELECT 1 FROM ${this.table} WHERE key = ? AND rid = ?`).get(key, rid) !== undefined;
  }

  /** The number of entries in a range, or of all. */
  count(range?: KeyRange): number {
    const counted = `SELECT count(*) FROM ${this.table}`;
    const row =
      range === undefined
        ? this.#file.prepare(counted).get()
        : this.#file.prepare(`${counted} WHERE key >= ? AND key < ?`).get(range.low, range.high);
    return (row as unknown as [number])[0];
  }
}

/**
 * The most frequent statements. Constant strings are fast keys of the cache of prepared statements.
 */
type IndexSql = {
  readonly insert: string;
  readonly remove: string;
  readonly holders: string;
  /** The document with a key. */
  readonly one: string;
  /** Scans in ascending and descending key order. */
  readonly forward: ScanSql;
  readonly backward: ScanSql;
};

/** The statements of a scan: `first` starts it, and `further` continues it after an entry. */
type ScanSql = { readonly first: PieceSql; readonly further: PieceSql };

/** Ways to read a part of a scan: documents, entries, or the entry at an offset. */
export type PieceSql = { readonly documents: string; readonly entries: string; readonly nth: string };

function indexSql(table: string, documents: string): IndexSql {
  const entries = `SELECT i.key, i.rid FROM ${table} i`;
  const withDocuments = `SELECT i.rid, ${smallDocument('c.doc')} FROM ${table} i CROSS JOIN ${documents} c ON c.rid = i.rid`;
  const piece = (order: string, condition: string): PieceSql => {
    const sql = (rows: string, limit: string) => `${rows} WHERE ${condition} ORDER BY i.key ${order}, i.rid ${order} ${limit}`;
    return {
      documents: sql(withDocuments, limitClause),
      entries: sql(entries, limitClause),
      nth: sql(entries, 'LIMIT 1 OFFSET ? + 0'),
    };
  };
  // Most scans end with their first rows. Without a comparison of pairs, SQLite finds those in half
  // the time.
  const scan = (order: string, further: string): ScanSql => ({
    first: piece(order, 'i.key >= ? AND i.key < ?'),
    further: piece(order, further),
  });
  return {
    insert: `INSERT INTO ${table} VALUES (?, ?)`,
    remove: `DELETE FROM ${table} WHERE key = ? AND rid = ?`,
    holders: `SELECT rid FROM ${table} WHERE key = ? LIMIT 2`,
    one: `${withDocuments} WHERE i.key = ? LIMIT 1`,
    forward: scan('ASC', '(i.key, i.rid) > (?, ?) AND i.key < ?'),
    backward: scan('DESC', '(i.key, i.rid) < (?, ?) AND i.key >= ?'),
  };
}

function decidingFields(pattern: Doc, partialFilter: Doc = new Map()): string[] | undefined {
  const paths = [...pattern.keys(), ...partialFilter.keys()];
  if (paths.some((path) => path.startsWith('$'))) return undefined;
  return [...new Set(paths.map(topOf))];
}

const noKeys: IndexKeys = { keys: [], multikey: 0 };
