import { CellReader, type Place } from './cell-reader.ts';
import { type ExpectedCollections, findCollections } from './found-catalog.ts';
import { assignLostTrees } from './lost-roots.ts';
import { isBetween, type Outline, outlineOf, ownerOf } from './outline.ts';
import { openPages } from './page-source.ts';
import { assignStrays } from './strays.ts';
import { Trees } from './trees.ts';

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

/**
 * Opens the readable rest of the database in a directory, which nobody has open. Collections that
 * lost their names get the expected ones.
 */
export function openRescue(directory: string, expected?: ExpectedCollections): Rescue {
  const pages = openPages(directory);
  const [trees, cells] = [new Trees(pages), new CellReader(pages)];
  const outlines = findCollections(pages, expected).map((found) => outlineOf(trees, cells, found));
  const areSomeLeft = assignStrays(trees, cells, outlines);
  assignLostTrees(trees, cells, outlines);
  return {
    collections: outlines.map((outline) => rescued(outline, outlines, cells, areSomeLeft)),
    lostFrames: pages.lostFrames,
    close: () => pages.close(),
  };
}

function rescued(outline: Outline, all: readonly Outline[], cells: CellReader, areSomeLeft: boolean): RescuedCollection {
  const { db, name, identities, lostPages, isTreeVerified, isIndexVerified } = outline;
  const others = all.filter((other) => other !== outline);
  let [listed, unreadable, doubtful, isRead] = [0, 0, 0, false];

  return {
    db,
    name,
    *documents() {
      [listed, unreadable, doubtful, isRead] = [0, 0, 0, false];
      let last = Number.NEGATIVE_INFINITY;
      for (const place of placesOf(outline, cells)) {
        if (place.rid <= last) continue;
        const document = cells.document(place);
        const owner = document && ownerOf(outline, others, cells, place, document);
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
      const isIndexWhole = !identities.isIncomplete && (isIndexVerified || !areSomeLeft);
      const isTreeWhole = isTreeVerified && lostPages === 0 && unreadable === 0;
      return { documents, isExact: isIndexWhole || isTreeWhole, doubtful };
    },
  };
}

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
