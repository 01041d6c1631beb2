import { KeyWriter } from '../storage/index/key.ts';
import { rawDocument, rawField } from '../values/raw.ts';
import type { Column } from './records.ts';
import { isWithin, type KeyLimits } from './trees.ts';

const ridsPerPart = 1024;

/** By the number of each document a hash of its `_id`, as the index of a collection says. */
export class Identities {
  readonly #parts = new Map<number, Uint32Array>();
  /** The limits of keys of which some are lost. */
  readonly #missing: KeyLimits[] = [];
  /** How many documents there are. */
  size = 0;
  /** Whether a number has two keys, because a page stands in the place of another one. */
  #isContradictory = false;

  /** Whether a part of the index is damaged, so that there may be more documents. */
  get isIncomplete(): boolean {
    return this.#isContradictory || this.#missing.length > 0;
  }

  /** Notes that keys between limits are lost. */
  miss(limits: KeyLimits): void {
    this.#missing.push(limits);
  }

  /** Whether the index may have had a key, though it does not have it now. */
  mayHaveHad(key: Buffer): boolean {
    return this.#missing.some((limits) => isWithin(key, limits));
  }

  add([key, rid]: readonly Column[]): void {
    if (!(key instanceof Uint8Array) || !Number.isSafeInteger(rid)) return;
    const part = Math.floor((rid as number) / ridsPerPart);
    const hashes = this.#parts.get(part) ?? new Uint32Array(ridsPerPart);
    this.#parts.set(part, hashes);
    const at = (rid as number) - part * ridsPerPart;
    if (hashes[at] === 0) this.size++;
    else this.#isContradictory = true;
    hashes[at] = hashOf(key);
  }

  /** The hash of the document with a number; 0 if there is none. */
  get(rid: number): number {
    const part = Math.floor(rid / ridsPerPart);
    return this.#parts.get(part)?.[rid - part * ridsPerPart] ?? 0;
  }
}

const idName = Buffer.from('_id');

/** The key of a document in the index of ids. */
export function idKeyOf(document: Buffer): Buffer {
  const writer = new KeyWriter();
  writer.ascending(rawField(rawDocument(document), idName));
  return writer.finish();
}

/** The hash of a document's own `_id`. */
export const identityOf = (document: Buffer): number => hashOf(idKeyOf(document));

/** FNV-1a; 0 stands for no document. */
function hashOf(bytes: Uint8Array): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < bytes.length; at++) hash = Math.imul(hash ^ (bytes[at] as number), 0x01000193);
  return hash >>> 0 || 1;
}
