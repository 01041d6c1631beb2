import { readCatalog } from '../../src/rescue/catalog-rows.ts';
import { cellsOf } from '../../src/rescue/cells.ts';
import { findCollections } from '../../src/rescue/found-catalog.ts';
import { openPages } from '../../src/rescue/page-source.ts';
import { columnsOf } from '../../src/rescue/records.ts';
import { Trees } from '../../src/rescue/trees.ts';
import { copyTable } from '../../src/storage/catalog-copy.ts';
import { decode } from '../../src/values/bson.ts';

/** A document of an undamaged database: its collection and key, its bytes, and its pages. */
export type PlacedDocument = { readonly key: string; readonly bytes: Buffer; readonly pages: ReadonlySet<number> };

/**
 * The content of a database that nobody has open. It also returns the pages with the catalog and
 * the free list, and the pages with a copy of them.
 */
export function placedDocuments(directory: string): {
  documents: PlacedDocument[];
  catalogPages: ReadonlySet<number>;
  copyPages: ReadonlySet<number>;
  pageCount: number;
} {
  const pages = openPages(directory);
  let touched = new Set<number>();
  const read = (page: number) => {
    touched.add(page);
    return pages.read(page);
  };
  const watched = { ...pages, read };
  const copyRoot = readCatalog(pages).roots.get(copyTable) ?? 0;
  const copyPages = new Set<number>();
  for (const { page } of new Trees(pages).leavesOf(copyRoot).leaves) {
    touched = new Set([page]);
    for (const { record } of cellsOf(pages.read(page) as Buffer, page)) record(watched);
    for (const own of touched) copyPages.add(own);
  }
  touched = new Set();
  const trees = new Trees(watched);
  const collections = findCollections(watched);
  const catalogPages = new Set([...touched, ...trees.free].filter((page) => !copyPages.has(page)));
  const documents: PlacedDocument[] = [];
  for (const { db, name, documents: root = 0 } of collections)
    for (const { page } of trees.leavesOf(root).leaves)
      for (const { record } of cellsOf(pages.read(page) as Buffer, page)) {
        touched = new Set([page]);
        const [, bytes] = columnsOf(record(watched) as Buffer) ?? [];
        documents.push({ key: keyOf(db, name, bytes as Buffer), bytes: bytes as Buffer, pages: touched });
      }
  pages.close();
  return { documents, catalogPages, copyPages, pageCount: pages.count };
}

/** A name for a document among those of all collections. */
export const keyOf = (db: string, name: string, bytes: Buffer): string =>
  `${db}.${name} ${JSON.stringify([decode(bytes).get('_id')])}`;
