import { cellsOf } from '../../src/rescue/cells.ts';
import { findCollections } from '../../src/rescue/found-catalog.ts';
import { openPages } from '../../src/rescue/page-source.ts';
import { columnsOf } from '../../src/rescue/records.ts';
import { Trees } from '../../src/rescue/trees.ts';
import { decode } from '../../src/values/bson.ts';

/** A document of a database that is not damaged: where it belongs, its bytes, and the pages that hold it. */
export type PlacedDocument = { readonly key: string; readonly bytes: Buffer; readonly pages: ReadonlySet<number> };

/** The content of a database that nobody has open, and the pages that say where collections begin and which pages are free. */
export function placedDocuments(directory: string): {
  documents: PlacedDocument[];
  catalogPages: ReadonlySet<number>;
  pageCount: number;
} {
  const pages = openPages(directory);
  let touched = new Set<number>();
  const read = (page: number) => {
    touched.add(page);
    return pages.read(page);
  };
  const watched = { ...pages, read };
  const trees = new Trees(watched);
  const collections = findCollections(trees);
  const catalogPages = new Set([...touched, ...trees.free]);
  const documents: PlacedDocument[] = [];
  for (const { db, name, documents: root = 0 } of collections)
    for (const { page } of trees.leavesOf(root).leaves)
      for (const { record } of cellsOf(pages.read(page) as Buffer, page)) {
        touched = new Set([page]);
        const [, bytes] = columnsOf(record(watched) as Buffer) ?? [];
        documents.push({ key: keyOf(db, name, bytes as Buffer), bytes: bytes as Buffer, pages: touched });
      }
  pages.close();
  return { documents, catalogPages, pageCount: pages.count };
}

/** A name for a document among those of all collections. */
export const keyOf = (db: string, name: string, bytes: Buffer): string =>
  `${db}.${name} ${JSON.stringify([decode(bytes).get('_id')])}`;
