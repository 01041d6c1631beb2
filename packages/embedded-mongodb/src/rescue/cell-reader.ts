import { isFramed } from '../storage/stored-document.ts';
import { decodeStored } from '../values/bson.ts';
import { type Cell, cellsOf } from './cells.ts';
import type { PageSource } from './page-source.ts';
import { columnsOf } from './records.ts';

/** A cell with a document: its page, and its place there. */
export type Place = { readonly page: number; readonly cell: number; readonly rid: number };

/** Reads cells. It keeps those of the latest page, because documents come page by page. */
export class CellReader {
  readonly #pages: PageSource;
  #page = 0;
  #cells: readonly Cell[] = [];
  #isDoubtful = false;

  constructor(pages: PageSource) {
    const read = (page: number) => {
      if (pages.isIntact(page) === false) this.#isDoubtful = true;
      return pages.read(page);
    };
    this.#pages = { ...pages, read };
  }

  /**
   * True if a page of the latest document has a wrong checksum, so that the document may have
   * changed.
   */
  get isDoubtful(): boolean {
    return this.#isDoubtful;
  }

  isIntact(page: number): boolean {
    return this.#pages.isIntact(page) === true;
  }

  on(page: number): readonly Cell[] {
    if (page !== this.#page) {
      const bytes = this.#pages.read(page);
      this.#cells = bytes === undefined ? [] : cellsOf(bytes, page);
      this.#page = page;
    }
    return this.#cells;
  }

  /** The document in a cell; undefined if it is damaged. */
  document({ page, cell }: Place): Buffer | undefined {
    const cells = this.on(page);
    this.#isDoubtful = this.#pages.isIntact(page) === false;
    const record = cells[cell]?.record(this.#pages);
    const [, document] = (record && columnsOf(record)) ?? [];
    if (!Buffer.isBuffer(document) || !isFramed(document)) return undefined;
    try {
      decodeStored(document);
      return document;
    } catch {
      return undefined;
    }
  }
}
