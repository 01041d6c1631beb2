import { type DatabaseError, damaged } from './errors.ts';
import { bsonType } from './value.ts';

/**
 * A value inside encoded BSON: its type, its bytes and its nesting depth. Stored bytes may be
 * damaged, so every walk is bounded. It stops at the end of the document, or throws an error that
 * names the document.
 */
export type RawValue = {
  readonly type: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly depth: number;
};

/** Deeper than any stored document; see `mostStoredLevels`. */
const mostLevels = 250;

/** A Buffer on the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** A whole document as a value. */
export function rawDocument(bytes: Buffer): RawValue {
  return { type: bsonType.object, bytes, start: 0, end: bytes.length, depth: 0 };
}

/**
 * Iterates over the fields of a document or the elements of an array. The cursor itself is the
 * current value.
 */
export class RawCursor {
  readonly bytes: Buffer;
  readonly depth: number;
  type = 0;
  nameStart = 0;
  start = 0;
  end: number;
  /** The position of the zero byte that ends the document. */
  readonly #last: number;

  constructor({ bytes, start, end, depth }: RawValue) {
    this.bytes = bytes;
    this.depth = depth + 1;
    this.end = start + 4;
    this.#last = end - 1;
    if (this.end > this.#last || bytes[this.#last] !== 0 || depth > mostLevels)
      throw this.#broken('the end of a document is missing');
  }

  /** Moves to the next value. Returns false at the end. */
  next(): boolean {
    const { bytes } = this;
    let at = this.end;
    const type = bytes[at] as number;
    if (type === 0) {
      if (at === this.#last) return false;
      throw this.#broken('a document ends before its length');
    }
    this.type = type === 0xff ? bsonType.minKey : type;
    this.nameStart = ++at;
    // Names are short, so a loop is faster than `indexOf`. Beyond the buffer, `bytes[at]` is
    // `undefined`.
    while (bytes[at]) at++;
    this.start = at + 1;
    this.end = valueEnd(bytes, this.type, this.start);
    if (this.end > this.#last || this.end < this.start) throw this.#broken(whyNoEnd(this.end, type));
    return true;
  }

  #broken(why: string): DatabaseError {
    return damagedDocument(this.bytes, why);
  }
}

/** Finds a field of a document, or an element of an array, by its encoded name. */
export function rawField(parent: RawValue, name: Buffer): RawValue | undefined {
  const field = new RawCursor(parent);
  while (field.next())
    if (field.start - 1 - field.nameStart === name.length && sameBytes(field.bytes, field.nameStart, name)) return field;
  return undefined;
}

/** True if a field is bitwise identical in two documents, or missing in both. */
export function hasSameField(one: Buffer, other: Buffer, name: Buffer): boolean {
  const [a, b] = [rawField(rawDocument(one), name), rawField(rawDocument(other), name)];
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && one.compare(other, b.start, b.end, a.start, a.end) === 0;
}

function sameBytes(bytes: Buffer, at: number, other: Buffer): boolean {
  for (let i = 0; i < other.length; i++) if (bytes[at + i] !== other[i]) return false;
  return true;
}

/** The characters of a string value. */
export function textOf({ bytes, start, end }: RawValue): string {
  return bytes.toString('utf8', start + 4, end - 1);
}

/**
 * The end of a value that starts at `at`; -1 for an unknown type. The caller must compare it with
 * both ends of the document.
 */
export function valueEnd(bytes: Buffer, type: number, at: number): number {
  switch (type) {
    case bsonType.undefined:
    case bsonType.null:
    case bsonType.minKey:
    case bsonType.maxKey:
      return at;
    case bsonType.bool:
      return at + 1;
    case bsonType.int:
      return at + 4;
    case bsonType.double:
    case bsonType.date:
    case bsonType.timestamp:
    case bsonType.long:
      return at + 8;
    case bsonType.objectId:
      return at + 12;
    case bsonType.decimal:
      return at + 16;
    case bsonType.string:
    case bsonType.javascript:
    case bsonType.symbol:
      return at + 4 + int32At(bytes, at);
    case bsonType.dbPointer:
      return at + 4 + int32At(bytes, at) + 12;
    case bsonType.binData:
      return at + 5 + int32At(bytes, at);
    case bsonType.object:
    case bsonType.array:
    case bsonType.javascriptWithScope:
      return at + int32At(bytes, at);
    case bsonType.regex:
      return bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1;
  }
  return -1;
}

/** Explains why a value does not end within its document. */
export const whyNoEnd = (end: number, type: number): string =>
  end === -1 ? `unknown BSON type ${type}` : 'a value runs over the end of its document';

/** Reads an int32. Bytes beyond the buffer count as zero. */
export function int32At(bytes: Buffer, at: number): number {
  return (
    (bytes[at] as number) |
    ((bytes[at + 1] as number) << 8) |
    ((bytes[at + 2] as number) << 16) |
    ((bytes[at + 3] as number) << 24)
  );
}

/** The type of a type byte. Only minKey's number is negative. */
export function typeOf(byte: number): number {
  return byte === 0xff ? bsonType.minKey : byte;
}

/** Error 366: a stored document is not valid BSON. */
export function damagedDocument(bytes: Buffer, why: string): DatabaseError {
  return damaged(`the document${idIn(bytes)} is not valid BSON: ${why}.`);
}

/** The document's `_id`, which is its first field, for the error message. */
function idIn(bytes: Buffer): string {
  if (bytes.toString('latin1', 5, 9) !== '_id\0') return '';
  if (bytes[4] === bsonType.objectId && bytes.length >= 21) return ` with the _id ${bytes.toString('hex', 9, 21)}`;
  const length = bytes[4] === bsonType.string ? int32At(bytes, 9) : 0;
  return length > 1 && length <= 100 ? ` with the _id ${JSON.stringify(bytes.toString('utf8', 13, 12 + length))}` : '';
}
