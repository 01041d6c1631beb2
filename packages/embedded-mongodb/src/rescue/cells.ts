import { pageBytes } from '../storage/file/log-reader.ts';
import type { PageSource } from './page-source.ts';

/*
 * The cells of SQLite's pages, read without SQLite. SQLite cannot read a table if one of its inner
 * pages is damaged. https://www.sqlite.org/fileformat2.html#b_tree_pages
 */

/** The types of pages that belong to a tree. */
export const pageType = { indexInterior: 2, tableInterior: 5, indexLeaf: 10, tableLeaf: 13 } as const;

/**
 * A cell: the page before it in an interior page, the number of its row in a table, and its record.
 */
export type Cell = { readonly child: number; readonly rid: number; readonly record: (pages: PageSource) => Buffer | undefined };

/** More than the largest document takes. */
const mostPayload = 20 * 1024 * 1024;

/** The first page has the head of the file before its own. */
const headOf = (page: number): number => (page === 1 ? 100 : 0);

export const typeOfPage = (bytes: Buffer, page: number): number => bytes[headOf(page)] as number;

/** True if a page has child pages in its tree. */
export const isInterior = (bytes: Buffer, page: number): boolean => {
  const type = typeOfPage(bytes, page);
  return type === pageType.tableInterior || type === pageType.indexInterior;
};

/** The page after the last cell of an interior page. */
export const lastChild = (bytes: Buffer, page: number): number => bytes.readUInt32BE(headOf(page) + 8);

/** How many cells a page says that it has. */
export const cellCount = (bytes: Buffer, page: number): number => bytes.readUInt16BE(headOf(page) + 3);

/** The cells of a page, without those that lead out of it. */
export function cellsOf(bytes: Buffer, page: number): Cell[] {
  const head = headOf(page);
  const type = bytes[head] as number;
  const isInner = isInterior(bytes, page);
  const pointers = head + (isInner ? 12 : 8);
  const count = Math.min(cellCount(bytes, page), (pageBytes - pointers) / 2);
  const cells: Cell[] = [];
  for (let i = 0; i < Math.floor(count); i++) {
    const cell = readCell(bytes, bytes.readUInt16BE(pointers + 2 * i), type, isInner);
    if (cell !== undefined) cells.push(cell);
  }
  return cells;
}

function readCell(bytes: Buffer, start: number, type: number, isInner: boolean): Cell | undefined {
  let at = start;
  if (at + 4 > pageBytes) return undefined;
  const child = isInner ? bytes.readUInt32BE(at) : 0;
  if (isInner) at += 4;
  if (type === pageType.tableInterior) {
    const rid = readVarint(bytes, at);
    return rid && { child, rid: rid.value, record: () => undefined };
  }
  const size = readVarint(bytes, at);
  if (size === undefined || size.value > mostPayload) return undefined;
  const rid = type === pageType.tableLeaf ? readVarint(bytes, size.end) : { value: 0, end: size.end };
  if (rid === undefined) return undefined;
  const local = localBytes(size.value, type === pageType.tableLeaf);
  if (rid.end + local + (local < size.value ? 4 : 0) > pageBytes) return undefined;
  const record = (pages: PageSource) => readPayload(bytes, rid.end, size.value, local, pages);
  return { child, rid: rid.value, record };
}

/** How much of a payload stands in its cell; the rest is on pages of its own. */
function localBytes(size: number, isTable: boolean): number {
  const most = isTable ? pageBytes - 35 : Math.floor(((pageBytes - 12) * 64) / 255) - 23;
  if (size <= most) return size;
  const least = Math.floor(((pageBytes - 12) * 32) / 255) - 23;
  const wanted = least + ((size - least) % (pageBytes - 4));
  return wanted <= most ? wanted : least;
}

function readPayload(bytes: Buffer, start: number, size: number, local: number, pages: PageSource): Buffer | undefined {
  if (local === size) return bytes.subarray(start, start + size);
  const parts = [bytes.subarray(start, start + local)];
  let next = bytes.readUInt32BE(start + local);
  // The size bounds the walk, even if the pages form a cycle.
  for (let left = size - local; left > 0; ) {
    const page = next > 1 && next <= pages.count ? pages.read(next) : undefined;
    if (page === undefined) return undefined;
    const part = page.subarray(4, 4 + Math.min(left, pageBytes - 4));
    parts.push(part);
    left -= part.length;
    next = page.readUInt32BE(0);
  }
  return Buffer.concat(parts);
}

/**
 * Reads a whole number of 1 to 9 bytes, and where it ends. Returns undefined if it does not end or
 * is too large for JavaScript.
 */
export function readVarint(bytes: Buffer, start: number): { readonly value: number; readonly end: number } | undefined {
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const byte = bytes[at];
    if (byte === undefined) return undefined;
    value = value * 128 + (byte & 127);
    if (value > Number.MAX_SAFE_INTEGER) return undefined;
    if (byte < 128) return { value, end: at + 1 };
  }
  return undefined;
}
