import { DatabaseError } from '../../values/errors.ts';
import { topOf, valuesAt } from '../../values/path.ts';
import { hasSameField, RawCursor, type RawValue, rawDocument, rawField, textOf } from '../../values/raw.ts';
import { bsonType, type Doc } from '../../values/value.ts';
import { unlessDamaged } from '../file/damage.ts';
import type { DatabaseFile } from '../file/file.ts';
import { limitClause } from '../file/sqlite.ts';
import { storedDocument } from '../stored-document.ts';
import { WordSums } from './entry-sums.ts';
import { type IndexField, type IndexIdentity, type IndexKeys, indexFields, indexKeys, type Presence } from './index-keys.ts';
import { searchable, tokensOfTexts } from './words.ts';

/** So many documents, or characters of their words, wait for being stored together; a start reads them again. */
const mostPending = 100;
const mostPendingLength = 64 * 1024;

/** When so many documents, or this share of all, were stored one by one, the table is put together again. */
const mostApart = 1000;
const shareApart = 1 / 8;

/** Documents without a word wait as well, for nothing, so that the next start would read them. */
const mostPassed = 1000;

/**
 * A text index: a table of SQLite's full-text search, which finds documents by the words in them, newest first. The words of the
 * latest documents are only in memory: each has its own place in the table, and many documents together write it once. Nothing
 * is lost with this memory, for the words are read from the stored documents again.
 */
export class TextIndex {
  readonly kind = 'text';
  readonly id: number;
  readonly spec: Doc;
  readonly name: string;
  readonly pattern: Doc;
  readonly table: string;
  /** The fields before the text: a search gives a value for each. */
  readonly prefix: readonly IndexField[];
  presence: Presence = { isOver: false };
  /** The statement that makes its table, which has no texts but only where words are found, and of which documents can be removed. */
  readonly tableSql: string;
  readonly #texts: readonly Buffer[][];
  readonly #override: Buffer;
  /** The fields at the top of documents that decide about what is indexed. */
  readonly #deciding: readonly string[];
  readonly #file: DatabaseFile;
  readonly #sql: {
    readonly insert: string;
    readonly remove: string;
    readonly newest: string;
    readonly among: string;
    readonly merge: string;
  };
  /** By the number of the document its words, as they will be stored. */
  readonly #pending = new Map<number, string>();
  #pendingLength = 0;
  #storedTo: number;
  #storedApart = 0;
  #isMerging = false;

  /** `documents` is the table of its collection. */
  constructor({ id, spec, storedTo }: IndexIdentity, documents: string, file: DatabaseFile) {
    this.id = id;
    this.spec = spec;
    this.name = spec.get('name') as string;
    this.pattern = spec.get('key') as Doc;
    this.table = `i${id}`;
    this.tableSql = `CREATE VIRTUAL TABLE ${this.table} USING fts5(words, content='', contentless_delete=1, detail=none, tokenize='ascii')`;
    this.prefix = indexFields(new Map([...this.pattern].filter(([name]) => name !== '_fts' && name !== '_ftsx')));
    this.#texts = [...(spec.get('weights') as Doc).keys()].map((path) => path.split('.').map((part) => Buffer.from(part)));
    const override = spec.get('language_override') as string;
    this.#override = Buffer.from(override);
    const paths = [...(spec.get('weights') as Doc).keys(), ...this.prefix.map(({ name }) => name)];
    this.#deciding = [...new Set([...paths.map(topOf), override])];
    this.#file = file;
    this.#storedTo = storedTo;
    const found = `SELECT rowid FROM ${this.table} WHERE ${this.table} MATCH ?`;
    this.#sql = {
      insert: `INSERT INTO ${this.table} (rowid, words) VALUES (${integer}, ?)`,
      remove: `DELETE FROM ${this.table} WHERE rowid = ${integer}`,
      newest: `${found} AND rowid < ${integer} ORDER BY rowid DESC ${limitClause}`,
      among: `${found} AND rowid BETWEEN ${integer} AND ${integer} ${limitClause}`,
      merge: `INSERT INTO ${this.table} (${this.table}, rank) VALUES ('merge', ${integer})`,
    };
    // Damage must not keep the other documents from being read.
    unlessDamaged(() => this.#readPending(documents), undefined);
  }

  /** The words of a document, as they are stored, in the place of keys. */
  keysOf(document: Buffer): IndexKeys {
    const language = rawField(rawDocument(document), this.#override);
    if (language?.type === bsonType.string && textOf(language) !== 'none')
      throw new DatabaseError(17262, `language override unsupported: ${textOf(language)}`);
    const [prefix, other] = indexKeys(this.prefix, document, false).keys;
    if (prefix === undefined || other !== undefined)
      throw new DatabaseError(16675, 'cannot have a multi-key as a prefix to a text index');
    const tokens = tokensOfTexts(prefix, this.textsOf(document));
    return { keys: tokens === '' ? [] : [Buffer.from(tokens, 'latin1')], multikey: 0 };
  }

  /** The texts of a document that are indexed, in the form in which they are searched. */
  textsOf(document: Buffer): string[] {
    const root = rawDocument(document);
    return searchable(this.#texts.flatMap((path) => textsAt(root, path, 0)));
  }

  /** The same of a decoded one. */
  textsOfDoc(doc: Doc): string[] {
    const paths = [...(this.spec.get('weights') as Doc).keys()];
    const values = paths.flatMap((path) => valuesAt(doc, path.split('.')));
    return searchable(values.filter((value) => typeof value === 'string'));
  }

  /**
   * Whether a change leaves all as it is that is indexed; if it cannot be told at a glance, it does not. `changed` has the
   * fields that differ, if that is known.
   */
  leavesUntouched(before: Buffer, after: Buffer, changed: ReadonlySet<string> | undefined): boolean {
    return this.#deciding.every((field) =>
      changed === undefined ? hasSameField(before, after, Buffer.from(field)) : !changed.has(field),
    );
  }

  put({ keys: [words] }: IndexKeys, rid: number): void {
    if (rid <= this.#storedTo) {
      if (words !== undefined) this.#store(rid, words.toString('latin1'));
      return;
    }
    if (words !== undefined) this.#add(rid, words.toString('latin1'));
    if (this.#pending.size >= mostPending || this.#pendingLength >= mostPendingLength || rid - this.#storedTo > mostPassed)
      this.#storePending(Math.max(rid, ...this.#pending.keys()));
  }

  remove({ keys: [words] }: IndexKeys, rid: number): void {
    if (words === undefined) return;
    if (rid <= this.#storedTo) this.#file.prepare(this.#sql.remove).run(rid);
    else if (this.#pending.delete(rid)) this.#pendingLength -= words.length;
  }

  /** The sums over all words of the index, each once for every document that has it. */
  wordSums(): WordSums {
    const sums = new WordSums();
    const vocabulary = `temp.${this.table}_words`;
    this.#file.exec(`CREATE VIRTUAL TABLE ${vocabulary} USING fts5vocab('main', '${this.table}', 'instance')`);
    try {
      const words = this.#file.prepare(`SELECT term, count(*), total(doc) FROM ${vocabulary} GROUP BY term`);
      for (const row of words.iterate()) sums.add(...(row as unknown as [word: string, documents: number, rids: number]));
    } finally {
      this.#file.forget(`${this.table}_words`);
      this.#file.exec(`DROP TABLE ${vocabulary}`);
    }
    for (const [rid, words] of this.#pending) for (const word of words.split(' ')) sums.add(word, 1, rid);
    return sums;
  }

  /** The latest documents, newest first, whose words wait for being stored and have one of those asked for. */
  pending(tokens: readonly string[]): number[] {
    const found: number[] = [];
    for (const [rid, words] of this.#pending) if (tokens.some((token) => words.includes(token))) found.push(rid);
    return found.sort((a, b) => b - a);
  }

  /** The newest stored documents before a given one for which an expression holds. */
  newest(expression: string, before: number, limit: number): number[] {
    return this.#rids(this.#sql.newest, expression, before, limit);
  }

  /** Which stored documents between two, both included, an expression holds for; at most as many as asked for, in any order. */
  among(expression: string, first: number, last: number, limit: number): number[] {
    return this.#rids(this.#sql.among, expression, first, last, limit);
  }

  /** Whether the table has got into so many parts, one for each time that documents were stored, that each search has to look into many. */
  get isUntidy(): boolean {
    return this.#isMerging || this.#storedApart > Math.max(mostApart, this.#storedTo * shareApart);
  }

  /**
   * Puts parts of the table together, as much as makes so many pages of 4 KB. A negative number begins with all parts that there are, a
   * positive one goes on with those, and leaves what was stored since for the next time: otherwise it would not end while documents come.
   */
  merge(pages: number): void {
    if (!this.#isMerging) this.#storedApart = 0;
    const changes = () => (this.#file.prepare('SELECT total_changes()').get() as unknown as [number])[0];
    const before = changes();
    this.#file.prepare(this.#sql.merge).run(this.#isMerging ? pages : -pages);
    // The statement itself counts as one.
    this.#isMerging = changes() - before > 1;
  }

  #store(rid: number, words: string): void {
    this.#file.prepare(this.#sql.insert).run(rid, words);
    this.#storedApart++;
  }

  #rids(sql: string, ...values: (string | number)[]): number[] {
    return (this.#file.prepare(sql).all(...values) as unknown as [number][]).map(([rid]) => rid);
  }

  #add(rid: number, words: string): void {
    this.#pending.set(rid, words);
    this.#pendingLength += words.length;
  }

  #storePending(last: number): void {
    for (const [rid, words] of [...this.#pending].sort(([a], [b]) => a - b)) this.#store(rid, words);
    this.#pending.clear();
    this.#pendingLength = 0;
    this.#storedTo = last;
    this.#file.prepare('UPDATE indexes SET stored_to = ? WHERE id = ?').run(last, this.id);
  }

  #readPending(documents: string): void {
    const sql = `SELECT rid, doc FROM ${documents} WHERE rid > ? ORDER BY rid ${limitClause}`;
    // More than that never wait: the number up to which documents are stored is damaged.
    const rows = this.#file.prepare(sql).all(this.#storedTo, mostPassed + 1);
    for (const [rid, document] of rows as unknown as [number, unknown][]) {
      const keys = () => this.keysOf(storedDocument(document, documents, rid)).keys;
      const [words] = unlessDamaged(keys, []);
      if (words !== undefined) this.#add(rid, words.toString('latin1'));
    }
  }
}

/** A parameter for a document's number: all numbers of JavaScript come as real ones, which full-text search does not take. */
const integer = 'CAST(? AS INTEGER)';

/** The texts at a path, through arrays. */
function textsAt(value: RawValue, path: readonly Buffer[], at: number, texts: string[] = []): string[] {
  if (value.type === bsonType.array) for (const item = new RawCursor(value); item.next(); ) textsAt(item, path, at, texts);
  const part = path[at];
  if (part === undefined && value.type === bsonType.string) texts.push(textOf(value));
  const inner = part !== undefined && value.type === bsonType.object ? rawField(value, part) : undefined;
  return inner === undefined ? texts : textsAt(inner, path, at + 1, texts);
}
