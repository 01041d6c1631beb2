import { Binary, UUID } from 'bson';
import { decode, encode } from '../values/bson.ts';
import { damaged } from '../values/errors.ts';
import { type Doc, isDoc } from '../values/value.ts';
import { writeCatalogCopy } from './catalog-copy.ts';
import { Collection, type CollectionIndex } from './collection.ts';
import type { DatabaseFile } from './file/file.ts';
import type { GroupCommit } from './group-commit.ts';
import type { IndexIdentity, Presence } from './index/index-keys.ts';
import { idIndexSpec, StoredIndex } from './index/stored-index.ts';
import { TextIndex } from './index/text-index.ts';
import { checkNames } from './names.ts';

type CollectionRow = [id: number, db: string, name: string, options: Uint8Array];
type IndexRow = [id: number, collection: number, spec: Uint8Array, multikey: number, storedTo: number];

/**
 * The collections, their options and indexes. The file has them, and memory keeps a copy for speed.
 */
export class Catalog {
  readonly #file: DatabaseFile;
  readonly #commits: () => GroupCommit;
  #collections = new Map<string, Collection>();

  /**
   * `commits` is asked for late, because a group that is rolled back makes the catalog load again.
   */
  constructor(file: DatabaseFile, commits: () => GroupCommit) {
    this.#file = file;
    this.#commits = commits;
    this.load();
  }

  /** Reads everything from the file, forgetting what memory held. */
  load(): void {
    const before = this.all();
    this.#collections = new Map();
    const byId = new Map<number, Collection>();
    for (const row of this.#file.prepare('SELECT id, db, name, options FROM collections ORDER BY id').all()) {
      const [id, db, name, stored] = row as unknown as CollectionRow;
      intact(`collection ${id}`, () => {
        checkNames(db, name);
        const uuid = decode(stored).get('uuid');
        if (!(uuid instanceof Binary)) throw new TypeError('it has no UUID');
        const collection = new Collection({ id, db, name, uuid }, this.#file, this.#commits);
        byId.set(id, collection);
        this.#collections.set(collection.namespace, collection);
      });
    }
    for (const row of this.#file.prepare('SELECT id, collection, spec, multikey, stored_to FROM indexes ORDER BY id').all()) {
      const [id, owner, spec, multikey, storedTo] = row as unknown as IndexRow;
      const collection = byId.get(owner);
      intact(`index ${id} of ${collection?.namespace ?? `collection ${owner}`}`, () => {
        if (collection === undefined) throw new TypeError('there is no such collection');
        if (!Number.isSafeInteger(multikey) || !Number.isSafeInteger(storedTo)) throw new TypeError('it has a wrong number');
        collection.indexes.push(this.#open({ id, spec: checkedSpec(decode(spec)), multikey, storedTo }, collection));
      });
    }
    // Cursors that still read a dropped collection must be closed.
    for (const collection of before) {
      const after = byId.get(collection.identity.id);
      passOn(collection, after);
      for (const index of collection.indexes)
        passOn(
          index,
          after?.indexes.find(({ id }) => id === index.id),
        );
    }
  }

  get(db: string, name: string): Collection | undefined {
    return this.#collections.get(`${db}.${name}`);
  }

  all(): Collection[] {
    return [...this.#collections.values()];
  }

  inDatabase(db: string): Collection[] {
    return this.all().filter((collection) => collection.db === db);
  }

  create(db: string, name: string): Collection {
    checkNames(db, name);
    return this.#commits().write(() => {
      const uuid = new Binary(new UUID().buffer, Binary.SUBTYPE_UUID);
      const stored = encode(new Map([['uuid', uuid]]));
      const { lastInsertRowid } = this.#file
        .prepare('INSERT INTO collections (db, name, options) VALUES (?, ?, ?)')
        .run(db, name, stored);
      const collection = new Collection({ id: Number(lastInsertRowid), db, name, uuid }, this.#file, this.#commits);
      this.#file.exec(`CREATE TABLE ${collection.table} (rid INTEGER PRIMARY KEY, doc BLOB NOT NULL)`);
      this.#collections.set(collection.namespace, collection);
      this.addIndex(collection, idIndexSpec());
      writeCatalogCopy(this.#file, this.all());
      return collection;
    });
  }

  drop(collection: Collection): void {
    this.#commits().write(() => {
      for (const index of [...collection.indexes]) this.dropIndex(collection, index);
      this.#file.prepare('DELETE FROM collections WHERE id = ?').run(collection.identity.id);
      this.#dropTable(collection.table);
      this.#collections.delete(collection.namespace);
      writeCatalogCopy(this.#file, this.all());
      collection.presence.isOver = true;
    });
  }

  /**
   * Adds an index, still empty; the keys of the documents that are there go right into its table.
   */
  addIndex(collection: Collection, spec: Doc): CollectionIndex {
    return this.#commits().write(() => {
      const storedTo = collection.lastRid();
      const { lastInsertRowid } = this.#file
        .prepare('INSERT INTO indexes (collection, spec, stored_to) VALUES (?, ?, ?)')
        .run(collection.identity.id, encode(spec), storedTo);
      const index = this.#open({ id: Number(lastInsertRowid), spec, multikey: 0, storedTo }, collection);
      this.#file.exec(index.tableSql);
      collection.indexes.push(index);
      return index;
    });
  }

  dropIndex(collection: Collection, index: CollectionIndex): void {
    this.#commits().write(() => {
      this.#file.prepare('DELETE FROM indexes WHERE id = ?').run(index.id);
      this.#dropTable(index.table);
      collection.indexes.splice(collection.indexes.indexOf(index), 1);
      index.presence.isOver = true;
    });
  }

  #open(identity: IndexIdentity, { table }: Collection): CollectionIndex {
    const isText = (identity.spec.get('key') as Doc).has('_fts');
    return isText ? new TextIndex(identity, table, this.#file) : new StoredIndex(identity, table, this.#file);
  }

  #dropTable(table: string): void {
    this.#file.forget(table);
    this.#file.exec(`DROP TABLE ${table}`);
  }
}

/**
 * Loads a row of the catalog. Whatever goes wrong with one is damage, for they were right when they
 * were stored.
 */
function intact(what: string, load: () => void): void {
  try {
    load();
  } catch (error) {
    throw damaged(`${what} cannot be read: ${(error as Error).message}.`);
  }
}

/** Checks what a specification must have, before it is used. */
function checkedSpec(spec: Doc): Doc {
  const [name, key, weights, expiry] = ['name', 'key', 'weights', 'expireAfterSeconds'].map((field) => spec.get(field));
  if (typeof name !== 'string' || !isDoc(key) || key.size === 0) throw new TypeError('its specification lacks a field');
  if (key.has('_fts') && !(isDoc(weights) && typeof spec.get('language_override') === 'string'))
    throw new TypeError('its specification lacks a field');
  if (expiry !== undefined && !(Number(expiry?.toString()) >= 0)) throw new TypeError('its specification has a wrong time');
  return spec;
}

/** Gives what stands for the same from now on the presence of what stood for it before. */
function passOn(before: { readonly presence: Presence }, after: { presence: Presence } | undefined): void {
  if (after === undefined) before.presence.isOver = true;
  else if (!before.presence.isOver) after.presence = before.presence;
}
