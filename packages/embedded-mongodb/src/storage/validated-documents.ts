import { isValid, validate } from '../values/validate.ts';

const ridsPerPart = 1024;
const none = new Uint32Array(ridsPerPart / 32);

/**
 * Validates the documents of a collection that go out as they are stored, each once after a start. To look through every document
 * whenever it is read would make reads half as slow again. Documents that are written meanwhile are valid, and the checksums of the pages
 * notice later damage.
 */
export class ValidatedDocuments {
  /** By the numbers of documents, a bit for each. */
  readonly #parts = new Map<number, Uint32Array>();
  /** The part that was used last, because documents mostly come in order. */
  #start = 0;
  #bits: Uint32Array = none;

  /** Returns a whole document; refuses it if it is damaged. */
  whole(rid: number, document: Buffer): Buffer {
    if (this.#has(rid)) return document;
    validate(document);
    this.#add(rid);
    return document;
  }

  /** Returns a part of a document, whose damage elsewhere does no harm; refuses the part if it is damaged. */
  part(rid: number, document: Buffer, part: Buffer): Buffer {
    if (this.#has(rid)) return part;
    if (!isValid(document)) return validate(part);
    this.#add(rid);
    return part;
  }

  #has(rid: number): boolean {
    const at = rid % ridsPerPart;
    if (rid - at !== this.#start) {
      this.#start = rid - at;
      this.#bits = this.#parts.get(rid - at) ?? none;
    }
    return (((this.#bits[at >> 5] as number) >>> (at & 31)) & 1) === 1;
  }

  #add(rid: number): void {
    // Only the number of a damaged row is negative, and a remainder of it would be no place.
    if (rid < 0) return;
    const at = rid % ridsPerPart;
    const bits = this.#parts.get(rid - at) ?? new Uint32Array(ridsPerPart / 32);
    bits[at >> 5] = (bits[at >> 5] as number) | (1 << (at & 31));
    this.#parts.set(rid - at, bits);
    if (rid - at === this.#start) this.#bits = bits;
  }
}
