import type { CellReader, Place } from './cell-reader.ts';
import { identityOf, idKeyOf } from './identities.ts';
import { bestFitting, fits, namesIn } from './lost-roots.ts';
import { isBetween, type Outline, ownerOf } from './outline.ts';
import type { Leaf, Trees } from './trees.ts';

/**
 * Assigns stray documents to their collections. Returns true if there were documents without an
 * owner, so that a tree or an index may lack pages without another sign.
 */
export function assignStrays(trees: Trees, cells: CellReader, outlines: readonly Outline[]): boolean {
  let areSomeLeft = false;
  const assign = (places: readonly Place[]) => {
    const onPage = new Set<Outline>();
    const found = places.flatMap((place) => {
      const document = cells.document(place);
      if (document === undefined) return [];
      const identity = identityOf(document);
      const listing = outlines.filter(({ identities }) => identities.get(place.rid) === identity);
      for (const owner of listing) if (isSure(owner, document)) onPage.add(owner);
      return [{ place, listing }];
    });
    for (const { place, listing } of found) {
      // Not kept in memory, because the cells of a damaged page may lead to many large documents.
      const document = cells.document(place);
      if (document === undefined) continue;
      const likely = trees.isFreeListWhole ? likelyOwners(document, listing, onPage, outlines) : [];
      const owners = [...listing.filter((owner) => isSure(owner, document)), ...likely];
      // A damaged index may list documents of another collection, which has better claims.
      const doubtful = listing.filter(({ identities }) => owners.length === 0 || !identities.isIncomplete);
      if (owners.length + doubtful.length === 0) areSomeLeft = true;
      for (const { strays } of new Set([...owners, ...doubtful])) strays.push(place);
    }
  };
  const strangers = outlines.flatMap((outline) => strangersOf(outline, outlines, cells));
  for (const places of strangers) assign(places);
  for (const page of trees.strayLeaves()) assign(placesOn(page, cells));
  // A tree that leads to a free page is damaged, or the list of free pages is. Documents there come
  // after all others with the same number.
  for (const { freeLeaves } of outlines) for (const { page } of freeLeaves) assign(placesOn(page, cells));
  for (const { strays } of outlines) strays.sort((one, other) => one.rid - other.rid);
  return areSomeLeft;
}

const placesOn = (page: number, cells: CellReader): Place[] => cells.on(page).map(({ rid }, cell) => ({ page, cell, rid }));

/**
 * The documents on the leaves of a collection that do not belong there, page by page. If the index
 * of ids lacks documents that do belong there, it lost pages without another sign.
 */
function strangersOf(outline: Outline, outlines: readonly Outline[], cells: CellReader): Place[][] {
  const { identities, leaves } = outline;
  const others = outlines.filter((other) => other !== outline);
  const isStranger = (leaf: Leaf, place: Place): boolean => {
    if (!isBetween(place.rid, leaf)) return true;
    if (cells.isIntact(leaf.page) && identities.get(place.rid) !== 0) return false;
    const document = cells.document(place);
    if (document === undefined) return false;
    if (ownerOf(outline, others, cells, place, document) !== 'this') return true;
    if (identities.get(place.rid) === 0 && !identities.mayHaveHad(idKeyOf(document))) identities.missAll();
    return false;
  };
  return leaves
    .map((leaf) => placesOn(leaf.page, cells).filter((place) => isStranger(leaf, place)))
    .filter((places) => places.length > 0);
}

/**
 * True if a document may belong to a collection whose index lists it. A page of another index may
 * stand in the place of one of that index.
 */
const isSure = ({ fields }: Outline, document: Buffer): boolean => fits(fields, namesIn(document));

/**
 * The collections that may own a document although they do not list it: that part of their index is
 * lost. If the index lost other parts, the document was removed. All documents on a page belong to
 * one collection, so an owner of others on the page comes first. Collections that lack pages come
 * next. A tree may also lack pages without a sign: one of its own pages may stand in the place of
 * its first page.
 */
function likelyOwners(
  document: Buffer,
  listing: readonly Outline[],
  onPage: ReadonlySet<Outline>,
  outlines: readonly Outline[],
): Outline[] {
  const key = idKeyOf(document);
  const candidates = outlines.filter(
    (outline) => !listing.includes(outline) && outline.documents !== undefined && outline.identities.mayHaveHad(key),
  );
  const ownersOfOthers = candidates.filter((outline) => onPage.has(outline));
  if (ownersOfOthers.length > 0 || listing.some((owner) => isSure(owner, document))) return ownersOfOthers;
  const names = namesIn(document);
  const lacking = candidates.filter(({ lostPages }) => lostPages > 0);
  const owner = bestFitting(lacking, names) ?? bestFitting(candidates, names);
  return owner ? [owner] : [];
}
