import { type Decimal128, type Double, Int32, type Long } from 'bson';
import { compileFilter, type Filter } from '../match/filter.ts';
import { decode } from '../values/bson.ts';
import { asBuffer, hasSameField } from '../values/raw.ts';
import type { Doc } from '../values/value.ts';
import type { DatabaseFile } from './file.ts';
import { type IndexField, type IndexKeys, indexFields, indexKeys } from './index-keys.ts';
import type { KeyRange } from './key.ts';
import { type IndexEntry, PendingKeys } from './pending-keys.ts';
import { limitClause } from './sqlite.ts';
import { TextIndex } from './text-index.ts';

/** The index that every collection has. */
export const idIndexSpec = (): Doc =>
  new Map<string, Int32 | string | Doc>([
    ['v', new Int32(2)],
    ['key', new Map([['_id', new Int32(1)]])],
    ['name', '_id_'],
  ]);

/** What the catalog stores about an index. */
export type IndexIdentity = {
  readonly id: number;
  readonly spec: Doc;
  /** The fields, as bits, that in some document led through an array. */
  readonly multikey: number;
  /** Of a text index: the last document whose keys are in its table; those of later ones are pending. */
  readonly storedTo: number;
};

/** So many words, or documents that may have none: a search looks through what is pending, and a start makes it again. */
const mostPending = 1000;

/** So many entries are stored with one statement where there are many. */
const together = 10;

/** An index: a table of (key, rid) in key order, with what its specification says. */
export class StoredIndex {
  readonly id: number;
  readonly spec: Doc;
  readonly name: string;
  readonly pattern: Doc;
  readonly fields: readonly IndexField[];
  /** Set for a text index, whose last field stands for the words. */
  readonly text: TextIndex | undefined;
  readonly unique: boolean;
  readonly sparse: boolean;
  readonly partialFilter: Doc | undefined;
  readonly expireAfterSeconds: number | undefined;
  readonly table: string;
  /** The fields, as bits, that in some document led through an array: bounds on them must not be intersected. */
  multikey: number;
  readonly sql: IndexSql;
  readonly #file: DatabaseFile;
  readonly #partial: Filter | undefined;
  readonly #pending = new PendingKeys();
  #storedTo: number;

  /** `documents` is the table of its collection. */
  constructor({ id, spec, multikey, storedTo }: IndexIdentity, documents: string, file: DatabaseFile) {
    this.id = id;
    this.spec = spec;
    this.multikey = multikey;
    this.#storedTo = storedTo;
    this.#file = file;
    this.name = spec.get('name') as string;
    this.pattern = spec.get('key') as Doc;
    this.text = this.pattern.has('_fts') ? new TextIndex(spec) : undefined;
    this.fields = this.text === undefined ? indexFields(this.pattern) : [...this.text.prefix, wordField];
    this.unique = this.name === '_id_' || spec.get('unique') === true;
    this.sparse = spec.get('sparse') === true;
    this.partialFilter = spec.get('partialFilterExpression') as Doc | undefined;
    this.#partial = this.partialFilter && compileFilter(this.partialFilter);
    const expiry = spec.get('expireAfterSeconds') as Int32 | Double | Long | Decimal128 | undefined;
    this.expireAfterSeconds = expiry === undefined ? undefined : Number(expiry.toString());
    this.table = `i${id}`;
    this.sql = indexSql(this.table, documents);
    if (this.text !== undefined) this.#readPending(documents);
  }

  /** Whether all documents can be found by their values at a path, for it is the first field and none is left out. */
  leadsBy(path: string): boolean {
    return this.fields[0]?.name === path && this.text === undefined && !this.sparse && this.partialFilter === undefined;
  }

  /** The keys under which a document stands in this index. */
  keysOf(document: Buffer, doc: () => Doc): IndexKeys {
    if (this.#partial !== undefined && !this.#partial.matches(doc())) return noKeys;
    return this.text?.keysOf(document, doc()) ?? indexKeys(this.fields, document, this.sparse);
  }

  /** Whether a change leaves all as it is that the keys are made of; if it cannot be told at a glance, it does not. */
  leavesUntouched(before: Buffer, after: Buffer): boolean {
    if (this.#partial !== undefined || this.text !== undefined) return false;
    return this.fields.every(({ path: [top] }) => top !== undefined && hasSameField(before, after, top));
  }

  /** The document, other than `rid`, that already has one of the keys, if the index is unique. */
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
    if (this.#isPending(rid)) {
      this.#pending.add(keys.keys, rid);
      if (this.#pending.count > mostPending || rid - this.#storedTo > mostPending) this.#storePending();
    } else for (const key of keys.keys) this.#store(key, rid);
  }

  remove(keys: IndexKeys, rid: number): void {
    if (this.#isPending(rid)) {
      this.#pending.remove(keys.keys, rid);
      return;
    }
    const remove = this.#file.prepare(this.sql.remove);
    for (const key of keys.keys) remove.run(key, rid);
  }

  /** Whether a document stands under a key. */
  has(key: Buffer, rid: number): boolean {
    if (this.#isPending(rid)) return this.#pending.has(key, rid);
    return this.#file.prepare(`SELECT 1 FROM ${this.table} WHERE key = ? AND rid = ?`).get(key, rid) !== undefined;
  }

  /** How many entries there are, in a range or in all. */
  count(range?: KeyRange): number {
    const counted = `SELECT count(*) FROM ${this.table}`;
    const stored =
      range === undefined
        ? this.#file.prepare(counted).get()
        : this.#file.prepare(`${counted} WHERE key >= ? AND key < ?`).get(range.low, range.high);
    return (stored as unknown as [number])[0] + this.#pending.entries(range).length;
  }

  /** The entries of a range that are not in the table, in order. */
  pending(range: KeyRange): IndexEntry[] {
    return this.#pending.entries(range);
  }

  #isPending(rid: number): boolean {
    return this.text !== undefined && rid > this.#storedTo;
  }

  #store(key: Uint8Array, rid: number): void {
    this.#file.prepare(this.sql.insert).run(key, rid);
  }

  #storePending(): void {
    const entries = this.#pending.entries();
    const alone = entries.length % together;
    for (const [key, rid] of entries.slice(0, alone)) this.#store(key, rid);
    const insert = this.#file.prepare(this.sql.insertMany);
    for (let at = alone; at < entries.length; at += together) insert.run(...entries.slice(at, at + together).flat());
    this.#storedTo = this.#pending.last;
    this.#pending.clear();
    this.#file.prepare('UPDATE indexes SET stored_to = ? WHERE id = ?').run(this.#storedTo, this.id);
  }

  #readPending(documents: string): void {
    for (const row of this.#file.prepare(`SELECT rid, doc FROM ${documents} WHERE rid > ?`).all(this.#storedTo)) {
      const [rid, bytes] = row as unknown as [number, Uint8Array];
      const document = asBuffer(bytes);
      this.#pending.add(this.keysOf(document, () => decode(document)).keys, rid);
    }
  }
}

/** The statements that are needed most, as texts: made once, they are found at once among the prepared ones. */
type IndexSql = {
  readonly insert: string;
  readonly insertMany: string;
  readonly remove: string;
  readonly holders: string;
  /** Scans with the documents, in key order or against it: from its beginning, and from behind an entry on. */
  readonly forward: ScanSql;
  readonly backward: ScanSql;
};

type ScanSql = {
  readonly first: string;
  readonly further: string;
};

function indexSql(table: string, documents: string): IndexSql {
  const scan = (condition: string, order: string) =>
    `SELECT i.key, i.rid, c.doc FROM ${table} i CROSS JOIN ${documents} c ON c.rid = i.rid ` +
    `WHERE ${condition} ORDER BY i.key ${order}, i.rid ${order} ${limitClause}`;
  // Most scans end with their first rows; without the comparison of pairs SQLite finds those in half the time.
  const first = 'i.key >= ? AND i.key < ?';
  return {
    insert: `INSERT INTO ${table} VALUES (?, ?)`,
    insertMany: `INSERT INTO ${table} VALUES ${Array(together).fill('(?, ?)')}`,
    remove: `DELETE FROM ${table} WHERE key = ? AND rid = ?`,
    holders: `SELECT rid FROM ${table} WHERE key = ? LIMIT 2`,
    forward: { first: scan(first, 'ASC'), further: scan('(i.key, i.rid) > (?, ?) AND i.key < ?', 'ASC') },
    backward: { first: scan(first, 'DESC'), further: scan('(i.key, i.rid) < (?, ?) AND i.key >= ?', 'DESC') },
  };
}

const wordField: IndexField = { name: '_fts', path: [], descending: false };

const noKeys: IndexKeys = { keys: [], multikey: 0 };
