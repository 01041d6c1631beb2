/*
 * Compares the entries of an index by sums of hashes, because looking up each entry gets slower as
 * the database grows. The sums do not depend on the order. If one entry differs, the sums are equal
 * with a chance of 1 in 2^32.
 */

/** Documents with neighbouring numbers share a sum, to locate a difference. */
const ridsPerBucket = 1024;

/** The surplus of one side: `count` entries whose hashes add up to `sum`. */
type Difference = { count: number; sum: number };

/** The difference between the expected and the existing entries of an index. */
export class EntrySums {
  readonly #buckets = new Map<number, Difference>();

  add(key: Uint8Array, rid: number): void {
    this.#change(rid, 1, hashOf(key, rid));
  }

  subtract(key: Uint8Array, rid: number): void {
    this.#change(rid, -1, -hashOf(key, rid));
  }

  /** Excludes a document whose keys are unknown, with its neighbours. */
  forget(rid: number): void {
    this.#buckets.set(bucketOf(rid), { count: Number.NaN, sum: Number.NaN });
  }

  /** The ranges of document numbers in which entries differ. */
  *differences(): Generator<[first: number, last: number]> {
    for (const [bucket, { count, sum }] of this.#buckets)
      if (count !== 0 && !Number.isNaN(count)) yield rangeOf(bucket);
      else if (sum !== 0 && !Number.isNaN(sum)) yield rangeOf(bucket);
  }

  #change(rid: number, count: number, hash: number): void {
    const bucket = bucketOf(rid);
    const known = this.#buckets.get(bucket);
    if (known === undefined) this.#buckets.set(bucket, { count, sum: hash | 0 });
    else if (!Number.isNaN(known.count)) {
      known.count += count;
      known.sum = (known.sum + hash) | 0;
    }
  }
}

const bucketOf = (rid: number): number => Math.floor(rid / ridsPerBucket);
const rangeOf = (bucket: number): [number, number] => [bucket * ridsPerBucket, (bucket + 1) * ridsPerBucket - 1];

/** FNV-1a over the bytes of a key, mixed with the number of a document. */
function hashOf(key: Uint8Array, rid: number): number {
  let hash = fnvOffset ^ rid;
  for (let at = 0; at < key.length; at++) hash = Math.imul(hash ^ (key[at] as number), fnvPrime);
  return mixed(hash);
}

/**
 * A sum over all pairs of a word and a document. Each word's hash is multiplied by the numbers of
 * its documents.
 */
export class WordSums {
  #count = 0;
  #sum = 0;

  get count(): number {
    return this.#count;
  }

  /** Adds a word that occurs in `documents` documents, whose numbers add up to `rids`. */
  add(word: string, documents: number, rids: number): void {
    let hash = fnvOffset;
    for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), fnvPrime);
    this.#count += documents;
    this.#sum = (this.#sum + Math.imul(mixed(hash), rids % 2 ** 32)) | 0;
  }

  equals(other: WordSums): boolean {
    return this.#count === other.#count && this.#sum === other.#sum;
  }
}

function mixed(hash: number): number {
  const once = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  return once ^ (once >>> 13);
}

const fnvOffset = 0x811c9dc5;
const fnvPrime = 0x01000193;
