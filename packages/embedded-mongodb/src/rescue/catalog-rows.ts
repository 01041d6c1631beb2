import { type CopiedCollection, copyTable, readCatalogCopy } from '../storage/catalog-copy.ts';
import { cellCount, cellsOf, pageType, typeOfPage } from './cells.ts';
import type { PageSource } from './page-source.ts';
import { type Column, columnsOf } from './records.ts';
import { Trees } from './trees.ts';

/** A row of a table: its number and its columns. */
export type TableRow = { readonly rid: number; readonly columns: readonly Column[] };

/** The readable rows of the catalog. */
export type CatalogRows = {
  /** By the names of tables their first pages. */
  readonly roots: ReadonlyMap<string, number>;
  readonly collections: readonly TableRow[];
  readonly indexes: readonly TableRow[];
  /** The second copy of what the catalog says about collections, if it is intact. */
  readonly copy: readonly CopiedCollection[] | undefined;
  /** True if no tree of the catalog is damaged. */
  readonly isWhole: boolean;
};

type IsRow = (row: TableRow) => boolean;

/**
 * Rows of the catalog are recognised by their columns, because those of a damaged table are
 * looked for in the whole file.
 */
const kinds = {
  schema: ({ columns: [type, name, table, root] }) =>
    typeof type === 'string' && typeof name === 'string' && typeof table === 'string' && typeof root === 'number',
  collections: ({ columns: [id, db, name, options] }) =>
    id === null && typeof db === 'string' && typeof name === 'string' && Buffer.isBuffer(options),
  indexes: ({ columns: [id, collection, spec] }) => id === null && typeof collection === 'number' && Buffer.isBuffer(spec),
  copy: ({ columns: [id, sum, content] }) => readCatalogCopy([id, sum, content]) !== undefined,
} satisfies Record<string, IsRow>;

type Kind = keyof typeof kinds;

/**
 * Reads the catalog along its trees, and from pages that they do not lead to if a tree is damaged.
 */
export function readCatalog(pages: PageSource): CatalogRows {
  let strays: Record<Kind, TableRow[]> | undefined;
  let isCatalogWhole = true;
  const rowsOf = (root: number | undefined, kind: Kind): TableRow[] => {
    const { rows, isWhole } = rowsOfTree(pages, root, kinds[kind]);
    if (isWhole) return rows;
    if (kind !== 'copy') isCatalogWhole = false;
    strays ??= allRows(pages);
    const known = new Set(rows.map(({ rid }) => rid));
    return [...rows, ...strays[kind].filter(({ rid }) => !known.has(rid))];
  };
  const roots = new Map<string, number>();
  for (const { columns } of rowsOf(1, 'schema'))
    if (columns[0] === 'table' && !roots.has(columns[1] as string)) roots.set(columns[1] as string, columns[3] as number);
  const [copy] = rowsOf(roots.get(copyTable), 'copy');
  const collections = rowsOf(roots.get('collections'), 'collections');
  const indexes = rowsOf(roots.get('indexes'), 'indexes');
  const copied = copy && readCatalogCopy(copy.columns as [Column, Column, Column]);
  return { roots, collections, indexes, copy: copied, isWhole: isCatalogWhole };
}

/** The rows of a table, and whether all of them are there and of their kind. */
function rowsOfTree(pages: PageSource, root: number | undefined, isRow: IsRow): { rows: TableRow[]; isWhole: boolean } {
  // With trees of its own, because a damaged catalog may lead to pages of documents, which must not
  // be taken from their collections.
  const { leaves, lost } = root === undefined ? { leaves: [], lost: 1 } : new Trees(pages).leavesOf(root);
  const found = leaves.map(({ page }) => rowsOnPage(pages, page));
  const rows = found.flatMap(({ rows }) => rows).filter(isRow);
  const isWhole = lost === 0 && found.every(({ rows, isWhole }) => isWhole && rows.every(isRow));
  return { rows, isWhole };
}

/** The rows on one page, and whether all of them can be read and its checksum is right. */
function rowsOnPage(pages: PageSource, page: number): { rows: TableRow[]; isWhole: boolean } {
  const bytes = pages.read(page);
  if (bytes === undefined) return { rows: [], isWhole: false };
  const rows: TableRow[] = [];
  for (const { rid, record } of cellsOf(bytes, page)) {
    const columns = columnsOf(record(pages) ?? Buffer.alloc(0));
    if (columns !== undefined) rows.push({ rid, columns });
  }
  return { rows, isWhole: rows.length === cellCount(bytes, page) && pages.isIntact(page) !== false };
}

/** All rows of the catalog's kinds in the file, those on damaged pages last. */
function allRows(pages: PageSource): Record<Kind, TableRow[]> {
  const found: Record<Kind, TableRow[]> = { schema: [], collections: [], indexes: [], copy: [] };
  const damaged: number[] = [];
  const { free, isFreeListWhole } = new Trees(pages);
  const add = (page: number) => {
    for (const row of rowsOnPage(pages, page).rows)
      for (const kind of Object.keys(kinds) as Kind[]) if (kinds[kind](row)) found[kind].push(row);
  };
  for (const page of pages.numbers()) {
    const bytes = pages.read(page);
    if (bytes === undefined || typeOfPage(bytes, page) !== pageType.tableLeaf) continue;
    if (isFreeListWhole && free.has(page)) continue;
    if (pages.isIntact(page) !== false) add(page);
    else damaged.push(page);
  }
  for (const page of damaged) add(page);
  return found;
}
