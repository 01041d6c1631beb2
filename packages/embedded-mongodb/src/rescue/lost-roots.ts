import { RawCursor, rawDocument } from '../values/raw.ts';
import type { CellReader } from './cell-reader.ts';
import { lastChild, pageType, typeOfPage } from './cells.ts';
import type { FoundCollection } from './found-catalog.ts';
import type { Leaf, Trees } from './trees.ts';

/** A collection whose root page is lost, with the leaves that are assigned to it. */
type Rootless = Pick<FoundCollection, 'documents' | 'fields'> & { readonly leaves: Leaf[] };

/**
 * Assigns trees that no table refers to. Each goes to the collection whose indexes fit the fields
 * of its documents.
 */
export function assignLostTrees(trees: Trees, cells: CellReader, collections: readonly Rootless[]): void {
  const rootless = collections.filter(({ documents }) => documents === undefined);
  if (rootless.length === 0) return;
  for (const root of strayRoots(trees, cells)) {
    const { leaves } = trees.leavesOf(root);
    const names = namesOnFirst(leaves, cells);
    bestFitting(rootless, names)?.leaves.push(...leaves);
  }
  for (const { leaves } of rootless) leaves.sort((one, other) => firstRid(one, cells) - firstRid(other, cells));
}

/** The collection whose indexed fields fit the fields of documents best. */
export function bestFitting<T extends Pick<FoundCollection, 'fields'>>(
  collections: readonly T[],
  names: ReadonlySet<string>,
): T | undefined {
  return collections
    .filter(({ fields }) => fields.size > 0 && fits(fields, names))
    .sort((one, other) => sharedBy(other.fields, names) - sharedBy(one.fields, names))[0];
}

/**
 * The root pages of lost trees: table pages that no tree reaches and that are not the child of such
 * a page.
 */
function strayRoots(trees: Trees, cells: CellReader): number[] {
  const stray = trees.strayPages([pageType.tableLeaf, pageType.tableInterior]);
  const children = new Set<number>();
  for (const page of stray) {
    const bytes = trees.pages.read(page);
    if (bytes === undefined || typeOfPage(bytes, page) !== pageType.tableInterior) continue;
    children.add(lastChild(bytes, page));
    for (const { child } of cells.on(page)) children.add(child);
  }
  return stray.filter((page) => !children.has(page));
}

const firstRid = ({ page }: Leaf, cells: CellReader): number => cells.on(page)[0]?.rid ?? 0;

/** The field names on the first leaf that has readable documents. */
function namesOnFirst(leaves: readonly Leaf[], cells: CellReader): ReadonlySet<string> {
  const names = new Set<string>();
  for (const { page } of leaves) {
    for (const [cell, { rid }] of cells.on(page).entries()) {
      const document = cells.document({ page, cell, rid });
      if (document === undefined) continue;
      for (const name of namesIn(document)) names.add(name);
    }
    if (names.size > 0) break;
  }
  return names;
}

/** How many of these fields a document with these names has. */
export const sharedBy = (fields: ReadonlySet<string>, names: ReadonlySet<string>): number =>
  [...fields].filter((field) => names.has(field)).length;

/**
 * True if documents with these names may belong to a collection with these indexed fields.
 * Documents need not have all indexed fields.
 */
export const fits = (fields: ReadonlySet<string>, names: ReadonlySet<string>): boolean =>
  sharedBy(fields, names) >= fields.size / 3;

/** The top-level field names of a document. */
export function namesIn(document: Buffer): Set<string> {
  const names = new Set<string>();
  for (const field = new RawCursor(rawDocument(document)); field.next(); )
    names.add(document.toString('utf8', field.nameStart, field.start - 1));
  return names;
}
