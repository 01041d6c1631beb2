import type { Collection } from './collection.ts';
import type { DatabaseFile } from './file.ts';

/** What a collection takes up, in bytes. */
export interface Sizes {
  readonly count: number;
  /** Of the documents themselves. */
  readonly data: number;
  /** Of the pages that hold them. */
  readonly storage: number;
  /** Of the pages of each index, by its name. */
  readonly indexes: ReadonlyMap<string, number>;
}

/** Measures a collection. */
export function sizesOf(file: DatabaseFile, collection: Collection): Sizes {
  const { count, size } = collection.totals();
  const pages = file.prepare('SELECT coalesce(sum(pgsize), 0) FROM dbstat WHERE name = ?');
  const bytesOf = (table: string) => (pages.get(table) as unknown as [number])[0];
  return {
    count,
    data: size,
    storage: bytesOf(collection.table),
    indexes: new Map(collection.indexes.map(({ name, table }) => [name, bytesOf(table)])),
  };
}
