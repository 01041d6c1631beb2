import type { KeyRange } from './key.ts';

/** An entry of an index: the key and the document that has it. */
export type IndexEntry = readonly [key: Uint8Array, rid: number];

/**
 * The keys of a text index that are not in its table yet: those of the latest documents. A document has a key for every word, and
 * nearly each belongs on a page of its own; many documents together write a page once for all that belongs there. Nothing
 * is lost with this memory, for the keys are made from the stored documents again.
 */
export class PendingKeys {
  readonly #byRid = new Map<number, Uint8Array[]>();
  #count = 0;
  #last = 0;

  get count(): number {
    return this.#count;
  }

  /** The latest document whose keys were ever pending. */
  get last(): number {
    return this.#last;
  }

  add(keys: readonly Uint8Array[], rid: number): void {
    this.#byRid.set(rid, [...(this.#byRid.get(rid) ?? []), ...keys]);
    this.#count += keys.length;
    this.#last = Math.max(this.#last, rid);
  }

  remove(keys: readonly Uint8Array[], rid: number): void {
    const all = this.#byRid.get(rid) ?? [];
    const left = all.filter((key) => !keys.some((gone) => Buffer.compare(key, gone) === 0));
    this.#byRid.set(rid, left);
    this.#count -= all.length - left.length;
  }

  has(key: Uint8Array, rid: number): boolean {
    return this.#byRid.get(rid)?.some((own) => Buffer.compare(own, key) === 0) === true;
  }

  /** Those in a range, or all; in no order. */
  entries(range?: KeyRange): IndexEntry[] {
    const found: IndexEntry[] = [];
    for (const [rid, keys] of this.#byRid) for (const key of keys) if (isIn(range, key)) found.push([key, rid]);
    return found;
  }

  clear(): void {
    this.#byRid.clear();
    this.#count = 0;
  }
}

/** The order of an index: by key, and then by document. */
export function compareEntries([key, rid]: IndexEntry, [otherKey, otherRid]: IndexEntry): number {
  return Buffer.compare(key, otherKey) || rid - otherRid;
}

const isIn = (range: KeyRange | undefined, key: Uint8Array) =>
  range === undefined || (Buffer.compare(key, range.low) >= 0 && Buffer.compare(key, range.high) < 0);
