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

/**
 * Documents, and characters of their words, that may be pending. The more there are, the cheaper is
 * each. A start has to read them again, and a search compares the words of all of them.
 */
const mostPending = 240;
const mostPendingLength = 160 * 1024;

/**
 * Number, and share of all documents, that may be stored one by one before the table is merged. A
 * merge rewrites the whole table, so its cost per document grows as the share falls. SQLite itself
 * limits the segments meanwhile.
 */
const mostApart = 1000;
const shareApart = 1 / 4;

/**
 * Documents without words are not stored, but a start reads them again, so their number is limited.
 */
const mostPassed = 1000;

/**
 * A text index: a table of SQLite's full-text search, which finds documents by their words, newest
 * first. The words of the latest documents are pending in memory, and many documents are written
 * together. Pending words are not lost in a crash: a start reads them from the documents again.
 */
export class TextIndex {
  readonly kind = 'text';
  readonly id: number;
  readonly spec: Doc;
  readonly name: string;
  readonly pattern: Doc;
  readonly table: string;
  /** The fields before the text. A search must specify a value for each. */
  readonly prefix: readonly IndexField[];
  presence: Presence = { isOver: false };
  /**
   * The statement that creates its table. It stores which documents have a word, but not the texts,
   * and allows deletion.
   */
  readonly tableSql: string;
  readonly #texts: readonly Buffer[][];
  readonly #override: Buffer;
  /** The top-level fields that the indexed words depend on. */
  readonly #deciding: readonly string[];
  readonly #file: DatabaseFile;
  readonly #sql: {
    readonly insert: string;
    readonly remove: string;
    readonly newest: string;
    readonly among: string;
    readonly merge: string;
  };
  /** The words of pending documents by row number, in stored form. */
  readonly #pending = new Map<number, string>();
  #pendingLength = 0;
  #storedTo: number;
  #storedApart = 0;
  #isMerging = false;

  /** `documents` is the table of the collection. */
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
    // Damage must not prevent reads of the other documents.
    unlessDamaged(() => this.#readPending(documents), undefined);
  }

  /** The words of a document in stored form. They take the place of keys. */
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

  /** The indexed texts of an encoded document, normalized for search. */
  textsOf(document: Buffer): string[] {
    const root = rawDocument(document);
    return searchable(this.#texts.flatMap((path) => textsAt(root, path, 0)));
  }

  /** The indexed texts of a decoded document, normalized for search. */
  textsOfDoc(doc: Doc): string[] {
    const paths = [...(this.spec.get('weights') as Doc).keys()];
    const values = paths.flatMap((path) => valuesAt(doc, path.split('.')));
    return searchable(values.filter((value) => typeof value === 'string'));
  }

  /**
   * True if a change certainly does not affect the indexed words. `changed` has the fields that
   * differ, if they are known.
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

  /** Sums over all words of the index. A word counts once for each of its documents. */
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

  /** The pending documents that have one of the tokens, newest first. */
  pending(tokens: readonly string[]): number[] {
    const found: number[] = [];
    for (const [rid, words] of this.#pending) if (tokens.some((token) => words.includes(token))) found.push(rid);
    return found.sort((a, b) => b - a);
  }

  /** The newest stored documents before `before` that match an expression. */
  newest(expression: string, before: number, limit: number): number[] {
    return this.#rids(this.#sql.newest, expression, before, limit);
  }

  /**
   * Stored documents from `first` to `last` that match an expression, at most `limit`, in any
   * order.
   */
  among(expression: string, first: number, last: number, limit: number): number[] {
    return this.#rids(this.#sql.among, expression, first, last, limit);
  }

  /**
   * True if the table has many segments, which slow down each search. Each time documents are
   * stored, a segment is added.
   */
  get isUntidy(): boolean {
    return this.#isMerging || this.#storedApart > Math.max(mostApart, this.#storedTo * shareApart);
  }

  /**
   * Merges segments of the table, up to `pages` pages of 4 KB. A negative number starts a merge of
   * all existing segments, a positive one continues it. Newer segments wait for the next merge;
   * otherwise it might never end.
   */
  merge(pages: number): void {
    if (!this.#isMerging) this.#storedApart = 0;
    const changes = () => (this.#file.prepare('SELECT total_changes()').get() as unknown as [number])[0];
    const before = changes();
    this.#file.prepare(this.#sql.merge).run(this.#isMerging ? pages : -pages);
    // The statement itself counts as one change.
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
    // There are never more pending documents, so in that case `stored_to` is damaged.
    const rows = this.#file.prepare(sql).all(this.#storedTo, mostPassed + 1);
    for (const [rid, document] of rows as unknown as [number, unknown][]) {
      const keys = () => this.keysOf(storedDocument(document, documents, rid)).keys;
      const [words] = unlessDamaged(keys, []);
      if (words !== undefined) this.#add(rid, words.toString('latin1'));
    }
  }
}

/**
 * A parameter for a row number. JavaScript numbers are bound as reals, which full-text search
 * rejects.
 */
const integer = 'CAST(? AS INTEGER)';

/** The strings at a path, also inside arrays. */
function textsAt(value: RawValue, path: readonly Buffer[], at: number, texts: string[] = []): string[] {
  if (value.type === bsonType.array) for (const item = new RawCursor(value); item.next(); ) textsAt(item, path, at, texts);
  const part = path[at];
  if (part === undefined && value.type === bsonType.string) texts.push(textOf(value));
  const inner = part !== undefined && value.type === bsonType.object ? rawField(value, part) : undefined;
  return inner === undefined ? texts : textsAt(inner, path, at + 1, texts);
}
