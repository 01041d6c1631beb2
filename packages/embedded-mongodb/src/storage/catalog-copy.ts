import { crc32 } from 'node:zlib';
import type { Collection } from './collection.ts';
import type { DatabaseFile } from './file/file.ts';

/*
 * A second copy of the catalog's facts about collections, in a row of its own. A rescue reads it if
 * a page of the catalog is damaged. Without names and first pages, documents on intact pages cannot
 * be assigned to a collection.
 */

/** A collection, with the first pages of its documents and of the index of their ids. */
export type CopiedCollection = {
  readonly id: number;
  readonly db: string;
  readonly name: string;
  readonly documents: number;
  readonly ids: number;
};

/** The columns of the row that a rescue reads. */
type CopyColumns = readonly [id: unknown, sum: unknown, content: unknown];

export const copyTable = 'catalog_copy';

/** Replaces the copy, within the transaction that changes the catalog. */
export function writeCatalogCopy(file: DatabaseFile, collections: readonly Collection[]): void {
  const rows = file.prepare("SELECT name, rootpage FROM sqlite_schema WHERE type = 'table'").all();
  const roots = new Map(rows as unknown as [string, number][]);
  const copied = collections.map(({ identity: { id, db, name }, table, indexes }): CopiedCollection => {
    const ids = indexes.find((index) => index.name === '_id_')?.table ?? '';
    return { id, db, name, documents: roots.get(table) ?? 0, ids: roots.get(ids) ?? 0 };
  });
  const content = JSON.stringify(copied);
  file.exec(`CREATE TABLE IF NOT EXISTS ${copyTable} (id INTEGER PRIMARY KEY, sum INTEGER NOT NULL, content TEXT NOT NULL)`);
  file.prepare(`INSERT OR REPLACE INTO ${copyTable} VALUES (1, ?, ?)`).run(crc32(content), content);
}

/** The collections in a copy; undefined if these are not the columns of an intact one. */
export function readCatalogCopy([id, sum, content]: CopyColumns): readonly CopiedCollection[] | undefined {
  const isIntact = id === null && typeof sum === 'number' && typeof content === 'string' && crc32(content) === sum;
  return isIntact ? JSON.parse(content) : undefined;
}
