import type { CellReader, Place } from './cell-reader.ts';
import type { FoundCollection } from './found-catalog.ts';
import { Identities, identityOf, idKeyOf } from './identities.ts';
import { fits, namesIn, sharedBy } from './lost-roots.ts';
import type { Leaf, Trees } from './trees.ts';

/** The facts about a collection before its documents are read. */
export type Outline = FoundCollection & {
  readonly identities: Identities;
  readonly leaves: Leaf[];
  readonly freeLeaves: readonly Leaf[];
  readonly lostPages: number;
  /** True if the checksums of all pages of its tree are known and right. */
  readonly isTreeVerified: boolean;
  /** True if those of the index of its ids are. */
  readonly isIndexVerified: boolean;
  /** Documents on pages that its tree does not lead to. */
  readonly strays: Place[];
};

const noTree = { leaves: [], lost: 1, isVerified: false };

export function outlineOf(trees: Trees, cells: CellReader, found: FoundCollection): Outline {
  const identities = new Identities();
  if (found.ids === undefined) identities.missAll();
  const isIndexVerified =
    found.ids !== undefined &&
    trees.readEntries(
      found.ids,
      (entry) => identities.add(entry),
      (limits) => identities.miss(limits),
    );
  const tree = found.documents === undefined ? noTree : trees.leavesOf(found.documents);
  const { leaves: all, lost, isVerified: isTreeVerified } = tree;
  const [leaves, freeLeaves] = [all.filter(({ page }) => !trees.free.has(page)), all.filter(({ page }) => trees.free.has(page))];
  // A page that stands in the place of another one.
  const misplaced = leaves.filter((leaf) => cells.on(leaf.page).some(({ rid }) => !isBetween(rid, leaf)));
  const lostPages = lost + misplaced.length + freeLeaves.length;
  return { ...found, identities, leaves, freeLeaves, lostPages, isTreeVerified, isIndexVerified, strays: [] };
}

/**
 * Finds the owner of a document that the tree of a collection leads to. A page of another
 * collection may have been written to the place of one of this collection, or a page of another
 * index. Two collections may also have documents with the same id and number. So if indexes
 * disagree, the fields decide.
 */
export function ownerOf(
  outline: Outline,
  others: readonly Outline[],
  cells: CellReader,
  { page, rid }: Place,
  document: Buffer,
): 'this' | 'other' | 'unknown' {
  const { identities, fields } = outline;
  const identity = identityOf(document);
  if (identities.get(rid) === identity) return 'this';
  const names = namesIn(document);
  const listing = others.filter((other) => other.identities.get(rid) === identity);
  if (listing.some((other) => sharedBy(other.fields, names) > sharedBy(fields, names))) return 'other';
  if (cells.isIntact(page)) return 'this';
  if (listing.length > 0 && !identities.mayHaveHad(idKeyOf(document))) return 'other';
  return fits(fields, names) ? 'this' : 'unknown';
}

export const isBetween = (rid: number, { low, high }: Pick<Leaf, 'low' | 'high'>): boolean => rid > low && rid <= high;
