import { type Decimal128, type Double, Int32, type Long } from 'bson';
import { compileFilter, type Filter } from '../query/match.ts';
import type { Doc } from '../query/value.ts';
import type { DatabaseFile } from './file.ts';
import { type IndexField, type IndexKeys, indexFields, indexKeys } from './index-keys.ts';
import { hasSameField } from './raw.ts';
import { TextIndex } from './text-index.ts';

/** The index that every collection has. */
export const idIndexSpec = (): Doc =>
  new Map<string, Int32 | string | Doc>([
    ['v', new Int32(2)],
    ['key', new Map([['_id', new Int32(1)]])],
    ['name', '_id_'],
  ]);

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
  readonly hidden: boolean;
  readonly partialFilter: Doc | undefined;
  readonly expireAfterSeconds: number | undefined;
  readonly table: string;
  /** The fields, as bits, that in some document led through an array: bounds on them must not be intersected. */
  multikey: number;
  readonly #file: DatabaseFile;
  readonly #partial: Filter | undefined;

  constructor(id: number, spec: Doc, multikey: number, file: DatabaseFile) {
    this.id = id;
    this.spec = spec;
    this.multikey = multikey;
    this.#file = file;
    this.name = spec.get('name') as string;
    this.pattern = spec.get('key') as Doc;
    this.text = this.pattern.has('_fts') ? new TextIndex(spec) : undefined;
    this.fields = this.text === undefined ? indexFields(this.pattern) : [...this.text.prefix, WORD];
    this.unique = this.name === '_id_' || spec.get('unique') === true;
    this.sparse = spec.get('sparse') === true;
    this.hidden = spec.get('hidden') === true;
    this.partialFilter = spec.get('partialFilterExpression') as Doc | undefined;
    this.#partial = this.partialFilter && compileFilter(this.partialFilter);
    const expiry = spec.get('expireAfterSeconds') as Int32 | Double | Long | Decimal128 | undefined;
    this.expireAfterSeconds = expiry === undefined ? undefined : Number(expiry.toString());
    this.table = `i${id}`;
  }

  /** Whether all documents can be found by their values at a path, for it is the first field and none is left out. */
  leadsBy(path: string): boolean {
    return (
      this.fields[0]?.name === path && this.text === undefined && !this.hidden && !this.sparse && this.partialFilter === undefined
    );
  }

  /** The keys under which a document stands in this index. */
  keysOf(document: Buffer, doc: () => Doc): IndexKeys {
    if (this.#partial !== undefined && !this.#partial.matches(doc())) return NO_KEYS;
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
    const holders = this.#file.prepare(`SELECT rid FROM ${this.table} WHERE key = ? LIMIT 2`);
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
    const put = this.#file.prepare(`INSERT INTO ${this.table} VALUES (?, ?)`);
    for (const key of keys.keys) put.run(key, rid);
  }

  remove(keys: IndexKeys, rid: number): void {
    const remove = this.#file.prepare(`DELETE FROM ${this.table} WHERE key = ? AND rid = ?`);
    for (const key of keys.keys) remove.run(key, rid);
  }
}

const WORD: IndexField = { name: '_fts', path: [], descending: false };

const NO_KEYS: IndexKeys = { keys: [], multikey: 0 };
