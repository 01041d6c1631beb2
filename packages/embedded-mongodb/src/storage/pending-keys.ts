import type { KeyRange } from './key.ts';

/** An entry of an index: the key and the document that has it. */
export type IndexEntry = readonly [key: Uint8Array, rid: number];

/**
 * The keys of a text index that are not in its table yet: those of the latest documents. A document has a key for every word, and
 * nearly each belongs on a page of its own; many documents together write a page once for all that belongs there. Nothing
 * is lost with this memory, for the keys are made from the stored documents again.
 */
export class PendingKeys {
  /** By the bytes of the key, one character each: in their order strings of such characters are compared. */
  readonly #rids = new Map<string, number[]>();
  #count = 0;
  #last = 0;

  get count(): number {
    return this.#count;
  }

  /** The latest document whose keys were ever pending. */
  get last(): number {
    return this.#last;
  }

  add(keys: readonly Buffer[], rid: number): void {
    for (const key of keys) {
      const bytes = key.toString('latin1');
      const rids = this.#rids.get(bytes);
      if (rids === undefined) this.#rids.set(bytes, [rid]);
      else rids.push(rid);
    }
    this.#count += keys.length;
    this.#last = Math.max(this.#last, rid);
  }

  remove(keys: readonly Buffer[], rid: number): void {
    for (const key of keys) {
      const bytes = key.toString('latin1');
      const rids = this.#rids.get(bytes) ?? [];
      const left = rids.filter((other) => other !== rid);
      this.#count -= rids.length - left.length;
      if (left.length > 0) this.#rids.set(bytes, left);
      else this.#rids.delete(bytes);
    }
  }

  has(key: Buffer, rid: number): boolean {
    return this.#rids.get(key.toString('latin1'))?.includes(rid) === true;
  }

  /** Those in a range, or all, in the order of the index. */
  entries(range?: KeyRange): IndexEntry[] {
    const [low, high] = [range?.low.toString('latin1'), range?.high.toString('latin1')];
    const isIn = (key: string) => low === undefined || high === undefined || (key >= low && key < high);
    const found: IndexEntry[] = [];
    for (const bytes of [...this.#rids.keys()].filter(isIn).sort()) {
      const key = Buffer.from(bytes, 'latin1');
      const rids = this.#rids.get(bytes) as number[];
      for (const rid of rids.toSorted((a, b) => a - b)) found.push([key, rid]);
    }
    return found;
  }

  clear(): void {
    this.#rids.clear();
    this.#count = 0;
  }
}

/** The order of an index: by key, and then by document. */
export function compareEntries([key, rid]: IndexEntry, [otherKey, otherRid]: IndexEntry): number {
  return Buffer.compare(key, otherKey) || rid - otherRid;
}
