import { CellReader, type Place } from './cell-reader.ts';
import { type ExpectedCollections, type FoundCollection, findCollections } from './found-catalog.ts';
import { Identities, identityOf, idKeyOf } from './identities.ts';
import { assignLostTrees, bestFitting, fits, namesIn } from './lost-roots.ts';
import { openPages } from './page-source.ts';
import { type Leaf, Trees } from './trees.ts';

/*
 * Reads what is left of a damaged database, without SQLite, which reads nothing of a file without its first page, and no row of a table whose
 * first page is damaged. The trees are walked as far as they lead. Pages with documents that no tree leads to are then assigned by the index of
 * ids: it says which document of which collection has which number. Nothing is written, and the work is proportional to the size of the file.
 */

/** A collection of which everything that can be read is read once. */
export type RescuedCollection = {
  readonly db: string;
  readonly name: string;
  /** The documents that can be read, in the order in which they were inserted. */
  documents(): Generator<Buffer>;
  /** How many documents could not be read, once all were asked for; `isExact`: there are not more. */
  lost(): { readonly documents: number; readonly isExact: boolean };
};

/** What is left of a database. */
export type Rescue = { readonly collections: readonly RescuedCollection[]; close(): void };

/** What is known of a collection before its documents are read. */
type Outline = FoundCollection & {
  readonly identities: Identities;
  readonly leaves: Leaf[];
  readonly freeLeaves: readonly Leaf[];
  readonly lostPages: number;
  /** Documents that lie on pages to which its tree does not lead. */
  readonly strays: Place[];
};

/** Opens what is left of the database in a directory, which nobody has open. Collections whose names are lost get those that are expected. */
export function openRescue(directory: string, expected?: ExpectedCollections): Rescue {
  const pages = openPages(directory);
  const [trees, cells] = [new Trees(pages), new CellReader(pages)];
  const outlines = findCollections(trees, expected).map((found) => outlineOf(trees, cells, found));
  assignStrays(trees, cells, outlines);
  assignLostTrees(trees, cells, outlines);
  return {
    collections: outlines.map((outline) => rescued(outline, outlines, cells)),
    close: () => pages.close(),
  };
}

function outlineOf(trees: Trees, cells: CellReader, found: FoundCollection): Outline {
  const identities = new Identities();
  if (found.ids === undefined) identities.miss({ low: undefined, high: undefined });
  else
    trees.readEntries(
      found.ids,
      (entry) => identities.add(entry),
      (limits) => identities.miss(limits),
    );
  const { leaves: all, lost } = found.documents === undefined ? { leaves: [], lost: 1 } : trees.leavesOf(found.documents);
  const [leaves, freeLeaves] = [all.filter(({ page }) => !trees.free.has(page)), all.filter(({ page }) => trees.free.has(page))];
  // A page that stands in the place of another one.
  const misplaced = leaves.filter((leaf) => cells.on(leaf.page).some(({ rid }) => !isBetween(rid, leaf)));
  return { ...found, identities, leaves, freeLeaves, lostPages: lost + misplaced.length + freeLeaves.length, strays: [] };
}

/** Gives each collection its documents that lie where its tree does not lead. */
function assignStrays(trees: Trees, cells: CellReader, outlines: readonly Outline[]): void {
  const assign = (place: Place) => {
    const document = cells.document(place);
    if (document === undefined) return;
    const identity = identityOf(document);
    const owners = outlines.filter(({ identities }) => identities.get(place.rid) === identity);
    const likely = owners.length > 0 || !trees.isFreeListWhole ? undefined : likelyOwner(document, outlines);
    for (const { strays } of likely ? [likely] : owners) strays.push(place);
  };
  const assignAll = (page: number) => {
    for (const [cell, { rid }] of cells.on(page).entries()) assign({ page, cell, rid });
  };
  for (const { leaves, identities } of outlines)
    for (const { page, low, high } of leaves)
      for (const [cell, { rid }] of cells.on(page).entries())
        if (!isBetween(rid, { low, high }) || identities.get(rid) === 0) assign({ page, cell, rid });
  for (const page of trees.strayLeaves()) assignAll(page);
  // A tree that leads to a free page is damaged, or the list of free pages is. Documents there come after all others with the same number.
  for (const { freeLeaves } of outlines) for (const { page } of freeLeaves) assignAll(page);
  for (const { strays } of outlines) strays.sort((one, other) => one.rid - other.rid);
}

/**
 * The collection to which a document belongs that no index has: one that lacks pages, and that part of its index. If it lacks other parts, the
 * document was removed.
 */
function likelyOwner(document: Buffer, outlines: readonly Outline[]): Outline | undefined {
  const key = idKeyOf(document);
  const lacking = outlines.filter(
    ({ identities, lostPages, documents }) => lostPages > 0 && documents !== undefined && identities.mayHaveHad(key),
  );
  return bestFitting(lacking, namesIn(document));
}

function rescued(outline: Outline, all: readonly Outline[], cells: CellReader): RescuedCollection {
  const { db, name, fields, identities, lostPages } = outline;
  const others = all.filter((other) => other !== outline);
  let [listed, unreadable, isRead] = [0, 0, false];

  /** Whether a document is not one of another collection, whose page was written here by mistake. */
  const isOwn = (rid: number, document: Buffer): boolean => {
    const identity = identityOf(document);
    if (identities.get(rid) === identity) return true;
    return !others.some((other) => other.identities.get(rid) === identity) && fits(fields, namesIn(document));
  };

  return {
    db,
    name,
    *documents() {
      [listed, unreadable, isRead] = [0, 0, false];
      let last = Number.NEGATIVE_INFINITY;
      for (const place of placesOf(outline, cells)) {
        if (place.rid <= last) continue;
        const document = cells.document(place);
        if (document === undefined) {
          unreadable++;
          continue;
        }
        if (!isOwn(place.rid, document)) continue;
        last = place.rid;
        if (identities.get(place.rid) !== 0) listed++;
        yield document;
      }
      isRead = true;
    },
    lost() {
      if (!isRead) throw new Error('The documents are not read yet.');
      const documents = identities.isIncomplete ? Math.max(identities.size - listed, unreadable) : identities.size - listed;
      return { documents, isExact: !identities.isIncomplete || (lostPages === 0 && unreadable === 0) };
    },
  };
}

const isBetween = (rid: number, { low, high }: Pick<Leaf, 'low' | 'high'>): boolean => rid > low && rid <= high;

/** All places of a collection's documents, by their numbers; a document that its tree leads to comes before a stray one with its number. */
function* placesOf({ leaves, strays }: Outline, cells: CellReader): Generator<Place> {
  let stray = 0;
  for (const { page, low, high } of leaves)
    for (const [cell, { rid }] of cells.on(page).entries()) {
      if (!isBetween(rid, { low, high })) continue;
      for (let place = strays[stray]; place !== undefined && place.rid < rid; place = strays[++stray]) yield place;
      yield { page, cell, rid };
    }
  yield* strays.slice(stray);
}
