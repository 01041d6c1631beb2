import { type Cell, cellCount, cellsOf, isInterior, lastChild, pageType, typeOfPage } from './cells.ts';
import type { PageSource } from './page-source.ts';
import { type Column, columnsOf } from './records.ts';

/** A page with rows of a table, whose numbers are higher than `low` and at most `high`. */
export type Leaf = { readonly page: number; readonly low: number; readonly high: number };

/** The keys between which others lie, if there are some. */
export type KeyLimits = { readonly low: Buffer | undefined; readonly high: Buffer | undefined };

/**
 * The trees of a database, walked as far as they lead. Each page is visited once, so that no circle
 * is endless.
 */
export class Trees {
  readonly pages: PageSource;
  /** Pages that are not in use, though they may still have the content of a removed document. */
  readonly free: ReadonlySet<number>;
  /** True if all free pages are known. Otherwise removed documents may look lost. */
  readonly isFreeListWhole: boolean;
  /** Pages that belong to a tree that was walked. */
  readonly claimed = new Set<number>();

  constructor(pages: PageSource) {
    this.pages = pages;
    const { free, isWhole } = freePages(pages);
    this.free = free;
    this.isFreeListWhole = isWhole;
  }

  /**
   * The leaves of a table in the order of their rows, and how many pages are damaged or could not
   * be followed. `isVerified` is true if the checksums of all pages are known and right.
   */
  leavesOf(root: number): { readonly leaves: Leaf[]; readonly lost: number; readonly isVerified: boolean } {
    const leaves: Leaf[] = [];
    let [lost, isVerified] = [0, true];
    const ahead: Leaf[] = [{ page: root, low: Number.NEGATIVE_INFINITY, high: Number.POSITIVE_INFINITY }];
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      const bytes = this.#claim(next.page, [pageType.tableLeaf, pageType.tableInterior], (cells) =>
        isMostly(cells, ({ rid }) => rid > next.low && rid <= next.high),
      );
      const isIntact = this.pages.isIntact(next.page);
      if (isIntact !== true) isVerified = false;
      // A leaf with a wrong checksum may stand in the place of another page.
      if (bytes === undefined || isIntact === false) lost++;
      if (bytes === undefined) continue;
      if (typeOfPage(bytes, next.page) === pageType.tableLeaf) leaves.push(next);
      else ahead.push(...childrenOf(bytes, next).reverse());
    }
    return { leaves, lost, isVerified };
  }

  /**
   * Reads the entries of an index, in no order. `miss` gets the key limits of each page that cannot
   * be read completely. Returns true if the checksums of all pages are known and right.
   */
  readEntries(root: number, visit: (entry: readonly Column[]) => void, miss: (keys: KeyLimits) => void): boolean {
    let isVerified = true;
    const ahead: IndexPage[] = [{ page: root, low: undefined, high: undefined }];
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) {
      const { page } = next;
      if (this.pages.isIntact(page) !== true) isVerified = false;
      let entries: Entry[] = [];
      const bytes = this.#claim(page, [pageType.indexLeaf, pageType.indexInterior], (cells) => {
        entries = this.#entriesOf(cells);
        return isMostly(entries, ({ columns: [key] }) => isWithin(key, next));
      });
      if (bytes === undefined) {
        miss(next);
        continue;
      }
      if (typeOfPage(bytes, page) === pageType.indexInterior)
        ahead.push(...childrenOfIndex(entries, lastChild(bytes, page), next));
      const intact = entries.filter(({ columns }) => columns.length > 0);
      if (intact.length < cellCount(bytes, page) || !areInOrder(intact) || this.pages.isIntact(page) === false) miss(next);
      for (const { columns } of intact) visit(columns);
    }
    return isVerified;
  }

  /** The entries of cells, without columns if they are damaged. */
  #entriesOf(cells: readonly Cell[]): Entry[] {
    return cells.map(({ child, record }) => ({ child, columns: columnsOf(record(this.pages) ?? Buffer.alloc(0)) ?? [] }));
  }

  /** The pages with rows that belong to no tree that was walked, and are not free. */
  strayLeaves(): number[] {
    return this.strayPages([pageType.tableLeaf]);
  }

  /** The pages of some types that belong to no tree that was walked, and are not free. */
  strayPages(types: readonly number[]): number[] {
    const found: number[] = [];
    for (const page of this.pages.numbers()) {
      if (page === 1 || this.claimed.has(page) || this.free.has(page)) continue;
      const bytes = this.pages.read(page);
      if (bytes !== undefined && types.includes(typeOfPage(bytes, page))) found.push(page);
    }
    return found;
  }

  /**
   * Takes a page for a tree if it has one of these types and its cells belong there. Otherwise it
   * is left to other trees: after a wrong link, it may belong to one of them. For the same reason,
   * no link on a page with a wrong checksum is followed.
   */
  #claim(page: number, types: readonly number[], belong: (cells: readonly Cell[]) => boolean): Buffer | undefined {
    if (!(page >= 1 && page <= this.pages.count) || this.claimed.has(page)) return undefined;
    const bytes = this.pages.read(page);
    if (bytes === undefined || !types.includes(typeOfPage(bytes, page)) || !belong(cellsOf(bytes, page))) return undefined;
    if (isInterior(bytes, page) && this.pages.isIntact(page) === false) return undefined;
    this.claimed.add(page);
    return bytes;
  }
}

type Entry = { readonly child: number; readonly columns: readonly Column[] };

type IndexPage = KeyLimits & { readonly page: number };

/** Some damaged cells do not make a whole page one of another tree. */
const isMostly = <T>(items: readonly T[], is: (item: T) => boolean): boolean => items.filter(is).length >= items.length / 2;

/** True if a value is a key between limits. */
export const isWithin = (key: Column | undefined, { low, high }: KeyLimits): boolean =>
  Buffer.isBuffer(key) && !(low !== undefined && low.compare(key) > 0) && !(high !== undefined && high.compare(key) < 0);

function childrenOfIndex(entries: readonly Entry[], last: number, parent: IndexPage): IndexPage[] {
  let from = parent.low;
  const children = entries.map(({ child, columns: [key] }): IndexPage => {
    // As in `childrenOf`, a damaged key leaves the limits of the parent.
    if (!Buffer.isBuffer(key) || !isWithin(key, { ...parent, low: from })) return { ...parent, page: child };
    const bounds = { page: child, low: from, high: key };
    from = key;
    return bounds;
  });
  return [...children, { page: last, low: from, high: parent.high }];
}

/** True if the entries of a page have ascending keys. */
const areInOrder = (entries: readonly Entry[]): boolean =>
  entries.every(({ columns: [key] }, at) => {
    const before = at === 0 ? undefined : entries[at - 1]?.columns[0];
    return Buffer.isBuffer(key) && (before === undefined || (Buffer.isBuffer(before) && before.compare(key) <= 0));
  });

/**
 * The free pages, and whether the list of them has as many as the head of the file says; none if
 * the list is damaged.
 */
function freePages(pages: PageSource): { readonly free: ReadonlySet<number>; readonly isWhole: boolean } {
  const free = new Set<number>();
  const unknown = { free: new Set<number>(), isWhole: false };
  if (pages.isIntact(1) === false) return unknown;
  const first = pages.read(1);
  let trunk = first?.readUInt32BE(32) ?? 0;
  while (trunk > 1 && trunk <= pages.count && !free.has(trunk)) {
    if (pages.isIntact(trunk) === false) return unknown;
    free.add(trunk);
    const bytes = pages.read(trunk);
    if (bytes === undefined) break;
    const count = Math.min(bytes.readUInt32BE(4), bytes.length / 4 - 2);
    for (let i = 0; i < count; i++) free.add(bytes.readUInt32BE(8 + 4 * i));
    trunk = bytes.readUInt32BE(0);
  }
  return { free, isWhole: trunk === 0 && first !== undefined && free.size === first.readUInt32BE(36) };
}

function childrenOf(bytes: Buffer, { page, low, high }: Leaf): Leaf[] {
  let from = low;
  const children = cellsOf(bytes, page).map(({ child, rid }): Leaf => {
    // A number that is not in order is damaged: of this child, only the limits of its parent are
    // known.
    if (!(rid > from && rid <= high)) return { page: child, low, high };
    const bounds = { page: child, low: from, high: rid };
    from = rid;
    return bounds;
  });
  return [...children, { page: lastChild(bytes, page), low: from, high }];
}
