import type { Binary } from 'bson';
import { decodeStored } from '../values/bson.ts';
import { changedFields } from '../values/changed-fields.ts';
import { damaged } from '../values/errors.ts';
import type { Doc } from '../values/value.ts';
import type { DatabaseFile } from './file/file.ts';
import type { GroupCommit } from './group-commit.ts';
import { duplicateKey } from './index/duplicate-key.ts';
import type { IndexKeys, Presence } from './index/index-keys.ts';
import type { StoredIndex } from './index/stored-index.ts';
import type { TextIndex } from './index/text-index.ts';
import { storedDocument } from './stored-document.ts';
import { ValidatedDocuments } from './validated-documents.ts';

export type CollectionIndex = StoredIndex | TextIndex;

/** The catalog's entry of a collection. */
type CollectionIdentity = {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly uuid: Binary;
};

/**
 * The documents of one collection, in a table of (rid, BSON as received), and its indexes. Each
 * change detects conflicts before it writes, so that a rejected document leaves no trace.
 */
export class Collection {
  readonly identity: CollectionIdentity;
  readonly namespace: string;
  readonly table: string;
  readonly indexes: CollectionIndex[] = [];
  readonly validated = new ValidatedDocuments();
  presence: Presence = { isOver: false };
  readonly #file: DatabaseFile;
  readonly #commits: () => GroupCommit;
  readonly #sql: { readonly insert: string; readonly update: string; readonly remove: string; readonly get: string };
  #lastChange: number;
  #lastRid: number | undefined;
  #count: number | undefined;

  constructor(identity: CollectionIdentity, file: DatabaseFile, commits: () => GroupCommit) {
    this.identity = identity;
    this.namespace = `${identity.db}.${identity.name}`;
    this.table = `c${identity.id}`;
    this.#file = file;
    this.#commits = commits;
    this.#lastChange = commits().changes;
    this.#sql = {
      insert: `INSERT INTO ${this.table} VALUES (?, ?)`,
      update: `UPDATE ${this.table} SET doc = ? WHERE rid = ?`,
      remove: `DELETE FROM ${this.table} WHERE rid = ?`,
      get: `SELECT doc FROM ${this.table} WHERE rid = ?`,
    };
  }

  get db(): string {
    return this.identity.db;
  }

  /**
   * The number of the last change to its documents. It grows with each change, also with one that
   * is rolled back.
   */
  get lastChange(): number {
    return this.#lastChange;
  }

  /** The indexes that are sorted by values. */
  get ordered(): StoredIndex[] {
    return this.indexes.filter((index) => index.kind === 'ordered');
  }

  /** The text index; a collection has at most one. */
  get text(): TextIndex | undefined {
    return this.indexes.find((index) => index.kind === 'text');
  }

  /** Inserts a document. `doc` decodes it on demand. */
  insert(document: Buffer, doc: () => Doc): void {
    const keys = this.indexes.map((index) => index.keysOf(document, doc));
    this.#refuseDuplicates(document, this.indexes, keys, undefined);
    this.#write(() => {
      const rid = this.lastRid() + 1;
      this.#lastRid = rid;
      this.#file.prepare(this.#sql.insert).run(rid, document);
      keys.forEach((key, i) => {
        this.indexes[i]?.put(key, rid);
      });
      if (this.#count !== undefined) this.#count++;
    });
  }

  /** Replaces a stored document by a new version. */
  replace(rid: number, before: Buffer, after: Buffer, docBefore: () => Doc, docAfter: () => Doc): void {
    const changed = changedFields(before, after);
    const touched = this.indexes.filter((index) => !index.leavesUntouched(before, after, changed));
    const oldKeys = touched.map((index) => index.keysOf(before, docBefore));
    const newKeys = touched.map((index) => index.keysOf(after, docAfter));
    this.#refuseDuplicates(after, touched, newKeys, rid);
    this.#write(() => {
      this.#file.prepare(this.#sql.update).run(after, rid);
      touched.forEach((index, i) => {
        const [gone, added] = difference(oldKeys[i] as IndexKeys, newKeys[i] as IndexKeys);
        index.remove(gone, rid);
        index.put(added, rid);
      });
    });
  }

  remove(rid: number, document: Buffer, doc: () => Doc): void {
    const keys = this.indexes.map((index) => index.keysOf(document, doc));
    this.#write(() => {
      this.#file.prepare(this.#sql.remove).run(rid);
      keys.forEach((key, i) => {
        this.indexes[i]?.remove(key, rid);
      });
      if (this.#count !== undefined) this.#count--;
    });
  }

  get(rid: number): Buffer | undefined {
    const row = this.#file.prepare(this.#sql.get).get(rid) as unknown as [Uint8Array] | undefined;
    return row && storedDocument(row[0], this.namespace, rid);
  }

  /** The highest row number. */
  lastRid(): number {
    if (this.#lastRid === undefined) {
      const row = this.#file.prepare(`SELECT coalesce(max(rid), 0) FROM ${this.table}`).get();
      this.#lastRid = (row as unknown as [number])[0];
    }
    return this.#lastRid;
  }

  /** The number of documents. It is counted once and then kept up to date. */
  count(): number {
    this.#count ??= (this.#file.prepare(`SELECT count(*) FROM ${this.table}`).get() as unknown as [number])[0];
    return this.#count;
  }

  /** Fills a new index from the existing documents. Throws if they violate its uniqueness. */
  fill(index: CollectionIndex): void {
    this.#commits().write(() => {
      const rows = this.#file.prepare(`SELECT rid, doc FROM ${this.table} WHERE rid > ? ORDER BY rid LIMIT 500`);
      for (let last = 0, batch: [number, Uint8Array][]; ; ) {
        batch = rows.all(last) as unknown as [number, Uint8Array][];
        if (batch.length === 0) return;
        for (const [rid, bytes] of batch) {
          const document = storedDocument(bytes, this.namespace, rid);
          const keys = index.keysOf(document, () => decodeStored(document));
          if (!(rid > last)) throw damaged(`the documents of ${this.namespace} are not in order.`);
          this.#refuseDuplicates(document, [index], [keys], rid);
          index.put(keys, rid);
          last = rid;
        }
      }
    });
  }

  #write(change: () => void): void {
    const commits = this.#commits();
    commits.write(() => {
      this.#lastChange = commits.changes;
      change();
    });
  }

  #refuseDuplicates(
    document: Buffer,
    indexes: readonly CollectionIndex[],
    keys: readonly IndexKeys[],
    rid: number | undefined,
  ): void {
    keys.forEach(({ keys }, i) => {
      const index = indexes[i] as CollectionIndex;
      if (index.kind === 'text') return;
      const conflict = index.conflict(keys, rid);
      if (conflict !== undefined) throw duplicateKey(this.namespace, index, document, conflict.key);
    });
  }
}

/** The removed and the added keys of a change. */
function difference(before: IndexKeys, after: IndexKeys): [IndexKeys, IndexKeys] {
  return [
    { keys: without(before.keys, after.keys), multikey: 0 },
    { keys: without(after.keys, before.keys), multikey: after.multikey },
  ];
}

function without(keys: readonly Buffer[], others: readonly Buffer[]): Buffer[] {
  const known = new Set(others.map((key) => key.toString('latin1')));
  return keys.filter((key) => !known.has(key.toString('latin1')));
}
