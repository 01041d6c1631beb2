import { CellReader, type Place } from './cell-reader.ts';
import { type ExpectedCollections, type FoundCollection, findCollections } from './found-catalog.ts';
import { Identities, identityOf, idKeyOf } from './identities.ts';
import { assignLostTrees, bestFitting, fits, namesIn } from './lost-roots.ts';
import { openPages } from './page-source.ts';
import { type Leaf, Trees } from './trees.ts';

/*
 * Reads the remains of a damaged database without SQLite. SQLite reads nothing of a file without
 * its first page, and no row of a table whose first page is damaged. The trees are walked as far as
 * their links lead. Pages with documents that no tree leads to are then assigned by the index of
 * ids. It has the number of each document in its collection. Nothing is written, and the work is
 * proportional to the size of the file.
 */

/** A collection whose readable content is read once. */
export type RescuedCollection = {
  readonly db: string;
  readonly name: string;
  /** The documents that can be read, in the order in which they were inserted. */
  documents(): Generator<Buffer>;
  /** Returns the losses, once all documents were asked for. */
  lost(): Loss;
};

/**
 * How many documents could not be read, and whether there are not more; how many were read from
 * pages with wrong checksums.
 */
export type Loss = { readonly documents: number; readonly isExact: boolean; readonly doubtful: number };

/** The readable documents of a database. */
export type Rescue = {
  readonly collections: readonly RescuedCollection[];
  /** Frames at the end of the log that cannot be read, though they had been acknowledged. */
  readonly lostFrames: number;
  close(): void;
};

/** The facts about a collection before its documents are read. */
type Outline = FoundCollection & {
  readonly identities: Identities;
  readonly leaves: Leaf[];
  readonly freeLeaves: readonly Leaf[];
  readonly lostPages: number;
  /** Documents on pages that its tree does not lead to. */
  readonly strays: Place[];
};

/**
 * Opens the readable rest of the database in a directory, which nobody has open. Collections that
 * lost their names get the expected ones.
 */
export function openRescue(directory: string, expected?: ExpectedCollections): Rescue {
  const pages = openPages(directory);
  const [trees, cells] = [new Trees(pages), new CellReader(pages)];
  const outlines = findCollections(pages, expected).map((found) => outlineOf(trees, cells, found));
  assignStrays(trees, cells, outlines);
  assignLostTrees(trees, cells, outlines);
  return {
    collections: outlines.map((outline) => rescued(outline, outlines, cells)),
    lostFrames: pages.lostFrames,
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

/** Assigns stray documents to their collections. */
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
  // A tree that leads to a free page is damaged, or the list of free pages is. Documents there come
  // after all others with the same number.
  for (const { freeLeaves } of outlines) for (const { page } of freeLeaves) assignAll(page);
  for (const { strays } of outlines) strays.sort((one, other) => one.rid - other.rid);
}

/**
 * The collection of a document that is in no index: one that lacks pages and that part of its
 * index. If it lacks other parts, the document was removed.
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
  let [listed, unreadable, doubtful, isRead] = [0, 0, 0, false];

  /**
   * Finds the owner of a document. A page of another collection may have been written to the place
   * of one of this collection.
   */
  const ownerOf = ({ page, rid }: Place, document: Buffer): 'this' | 'other' | 'unknown' => {
    const identity = identityOf(document);
    if (cells.isIntact(page) || identities.get(rid) === identity) return 'this';
    if (others.some((other) => other.identities.get(rid) === identity)) return 'other';
    return fits(fields, namesIn(document)) ? 'this' : 'unknown';
  };

  return {
    db,
    name,
    *documents() {
      [listed, unreadable, doubtful, isRead] = [0, 0, 0, false];
      let last = Number.NEGATIVE_INFINITY;
      for (const place of placesOf(outline, cells)) {
        if (place.rid <= last) continue;
        const document = cells.document(place);
        const owner = document && ownerOf(place, document);
        if (owner === undefined || owner === 'unknown') unreadable++;
        if (document === undefined || owner !== 'this') continue;
        last = place.rid;
        if (cells.isDoubtful) doubtful++;
        if (identities.get(place.rid) !== 0) listed++;
        yield document;
      }
      isRead = true;
    },
    lost() {
      if (!isRead) throw new Error('The documents are not read yet.');
      const documents = identities.isIncomplete ? Math.max(identities.size - listed, unreadable) : identities.size - listed;
      return { documents, isExact: !identities.isIncomplete || (lostPages === 0 && unreadable === 0), doubtful };
    },
  };
}

const isBetween = (rid: number, { low, high }: Pick<Leaf, 'low' | 'high'>): boolean => rid > low && rid <= high;

/**
 * All places of a collection's documents, by their numbers; a document that its tree leads to comes
 * before a stray one with its number.
 */
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
