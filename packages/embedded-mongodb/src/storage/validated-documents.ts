import { isValid, validate } from '../values/validate.ts';

/**
 * Documents with higher numbers are validated whenever they are read, so that a damaged number
 * takes no more than 16 MiB.
 */
const mostNumbers = 2 ** 27;

/**
 * Validates the documents of a collection that go out as they are stored, each once after a start.
 * To look through every document whenever it is read would make reads half as slow again. Documents
 * that are written meanwhile are valid, and the checksums of the pages notice later damage.
 */
export class ValidatedDocuments {
  /** A bit for the number of each document. */
  #bits = new Uint32Array(32);
  #numbers = 32 * this.#bits.length;

  /** Returns a whole document; refuses it if it is damaged. */
  whole(rid: number, document: Buffer): Buffer {
    if (this.#has(rid)) return document;
    validate(document);
    this.#add(rid);
    return document;
  }

  /**
   * Returns a part of a document, even if the rest is damaged; refuses the part if it is damaged.
   */
  part(rid: number, document: Buffer, part: Buffer): Buffer {
    if (this.#has(rid)) return part;
    if (!isValid(document)) return validate(part);
    this.#add(rid);
    return part;
  }

  #has(rid: number): boolean {
    // Only the number of a damaged row is negative.
    return rid < this.#numbers && rid >= 0 && (((this.#bits[rid >>> 5] as number) >>> (rid & 31)) & 1) === 1;
  }

  #add(rid: number): void {
    if (rid < 0 || rid >= mostNumbers) return;
    if (rid >= this.#numbers) this.#growTo(rid + 1);
    this.#bits[rid >>> 5] = (this.#bits[rid >>> 5] as number) | (1 << (rid & 31));
  }

  #growTo(numbers: number): void {
    const bits = new Uint32Array(Math.min(mostNumbers, Math.max(2 * this.#numbers, numbers + 31)) >>> 5);
    bits.set(this.#bits);
    this.#bits = bits;
    this.#numbers = 32 * bits.length;
  }
}
