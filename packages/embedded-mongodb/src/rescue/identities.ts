import { KeyWriter } from '../storage/index/key.ts';
import { rawDocument, rawField } from '../values/raw.ts';
import type { Column } from './records.ts';
import { isWithin, type KeyLimits } from './trees.ts';

const ridsPerPart = 1024;

/** Hashes of the `_id` of each document by row number, according to the index of a collection. */
export class Identities {
  readonly #parts = new Map<number, Uint32Array>();
  /** The key ranges in which keys are lost. */
  readonly #missing: KeyLimits[] = [];
  /** The number of documents. */
  size = 0;
  #mayLackAny = false;

  /** True if a part of the index is damaged, so that more documents may exist. */
  get isIncomplete(): boolean {
    return this.#mayLackAny || this.#missing.length > 0;
  }

  /** Records that the keys between limits are lost. */
  miss(limits: KeyLimits): void {
    this.#missing.push(limits);
  }

  /** Records that any key may be lost. */
  missAll(): void {
    this.#mayLackAny = true;
  }

  /** True if the index may have lost this key. */
  mayHaveHad(key: Buffer): boolean {
    return this.#mayLackAny || this.#missing.some((limits) => isWithin(key, limits));
  }

  add([key, rid]: readonly Column[]): void {
    if (!(key instanceof Uint8Array) || !Number.isSafeInteger(rid)) return;
    const part = Math.floor((rid as number) / ridsPerPart);
    const hashes = this.#parts.get(part) ?? new Uint32Array(ridsPerPart);
    this.#parts.set(part, hashes);
    const at = (rid as number) - part * ridsPerPart;
    if (hashes[at] === 0) this.size++;
    // A row number with two keys: a page of another index stands in the place of one of this index.
    else this.missAll();
    hashes[at] = hashOf(key);
  }

  /** The hash of the document with a row number; 0 if it does not exist. */
  get(rid: number): number {
    const part = Math.floor(rid / ridsPerPart);
    return this.#parts.get(part)?.[rid - part * ridsPerPart] ?? 0;
  }
}

const idName = Buffer.from('_id');

/** The key of a document in the `_id` index. */
export function idKeyOf(document: Buffer): Buffer {
  const writer = new KeyWriter();
  writer.ascending(rawField(rawDocument(document), idName));
  return writer.finish();
}

/** The hash of a document's own `_id`. */
export const identityOf = (document: Buffer): number => hashOf(idKeyOf(document));

/** FNV-1a. 0 is reserved for a missing document. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash >>> 0 || 1;
}
