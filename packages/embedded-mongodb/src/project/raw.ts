import { fieldParts } from '../expressions/expression.ts';
import { knownName, learnName } from '../values/names.ts';
import { damagedDocument, RawCursor, type RawValue, rawDocument } from '../values/raw.ts';
import { isFlag, isTrue } from '../values/truth.ts';
import { bsonType, type Doc } from '../values/value.ts';

/** Maps one encoded document to another. */
export type RawTransform = (document: Buffer) => Buffer;

/** The fields that a projection names: a whole field, or some fields inside it. */
type NamedFields = Map<string, NamedFields | 'whole'>;

/**
 * A projection of a find that only includes or only excludes fields, applied to encoded documents;
 * `undefined` for other projections. It does not validate: `compileProjection` does.
 */
export function compileRawProjection(spec: Doc): RawTransform | undefined {
  const flags = new Map<string, boolean>();
  for (const [path, value] of spec) {
    if (!isFlag(value) || path.includes('$') || path.startsWith('_id.')) return undefined;
    flags.set(path, isTrue(value));
  }
  const id = flags.get('_id');
  flags.delete('_id');
  const [includes = id === true] = flags.values();
  const named: NamedFields = new Map();
  if (includes ? id !== false : id === false) named.set('_id', 'whole');
  for (const path of flags.keys()) add(named, path);
  return (document) => {
    const copy = new Copy(document, includes);
    copy.document(named, rawDocument(document));
    return copy.finish();
  };
}

function add(root: NamedFields, path: string): void {
  const parts = [...fieldParts(path)];
  const last = parts.pop() as string;
  let named = root;
  for (const part of parts) {
    const below = named.get(part);
    const next: NamedFields = below instanceof Map ? below : new Map();
    named.set(part, next);
    named = next;
  }
  named.set(last, 'whole');
}

/** A reused buffer for copies, which are usually much shorter than their documents. */
let scratch: Buffer = Buffer.allocUnsafe(64 * 1024);
const maxScratch = 1024 * 1024;

/** Up to this many bytes, copying in a loop is faster than a call into native code. */
const few = 32;

/** A copy of some fields of a document. It is never longer than the document. */
class Copy {
  readonly #from: Buffer;
  readonly #includes: boolean;
  readonly #to: Buffer;
  #at = 0;

  constructor(from: Buffer, includes: boolean) {
    this.#from = from;
    this.#includes = includes;
    this.#to = from.length <= scratch.length ? scratch : Buffer.allocUnsafeSlow(from.length);
    if (this.#to.length <= maxScratch) scratch = this.#to;
  }

  finish(): Buffer {
    return Buffer.from(this.#to.subarray(0, this.#at));
  }

  document(named: NamedFields, document: RawValue): void {
    const start = this.#open();
    for (const field = new RawCursor(document); field.next(); ) {
      const below = named.get(this.#name(field.nameStart, field.start - 1));
      if (below instanceof Map && (isNested(field) || !this.#includes)) {
        this.#copy(field.nameStart - 1, field.start);
        this.#value(below, field);
      } else if ((below === undefined) !== this.#includes && !(below instanceof Map)) this.#copy(field.nameStart - 1, field.end);
    }
    this.#close(start);
  }

  /** Named fields exist only in documents, or in documents inside arrays. */
  #value(named: NamedFields, value: RawValue): void {
    if (value.type === bsonType.object) this.document(named, value);
    else if (value.type === bsonType.array) this.#array(named, value);
    else this.#copy(value.start, value.end);
  }

  #array(named: NamedFields, array: RawValue): void {
    const start = this.#open();
    let index = 0;
    for (const item = new RawCursor(array); item.next(); ) {
      if (this.#includes && !isNested(item)) continue;
      const name = `${index++}\0`;
      // In an undamaged array, the new index never has more digits than the old one.
      if (name.length > item.start - item.nameStart) throw damagedDocument(this.#from, 'an array has wrong indexes');
      this.#to[this.#at++] = item.type & 0xff;
      this.#at += this.#to.write(name, this.#at, 'latin1');
      this.#value(named, item);
    }
    this.#close(start);
  }

  #name(start: number, end: number): string {
    return knownName(this.#from, start, end) ?? learnName(this.#from.toString('utf8', start, end));
  }

  #open(): number {
    this.#at += 4;
    return this.#at - 4;
  }

  #close(start: number): void {
    this.#to[this.#at++] = 0;
    this.#to.writeInt32LE(this.#at - start, start);
  }

  #copy(from: number, to: number): void {
    if (to - from > few) this.#at += this.#from.copy(this.#to, this.#at, from, to);
    else for (let at = from; at < to; at++) this.#to[this.#at++] = this.#from[at] as number;
  }
}

function isNested({ type }: RawValue): boolean {
  return type === bsonType.object || type === bsonType.array;
}
