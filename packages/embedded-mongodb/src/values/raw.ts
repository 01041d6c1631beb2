import { invalidBson } from './errors.ts';
import { bsonType } from './value.ts';

/**
 * A value inside encoded BSON: its type and where its bytes lie. What this file walks through has passed `decode` once, so
 * nothing is checked again.
 */
export type RawValue = {
  readonly type: number;
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
};

/** A Buffer over the same memory. */
export function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** The whole document as a value. */
export function rawDocument(bytes: Buffer): RawValue {
  return { type: bsonType.object, bytes, start: 0, end: bytes.length };
}

/** Goes over every field of a document, or element of an array, in order, and is that value until it goes on. */
export class RawCursor {
  readonly bytes: Buffer;
  type = 0;
  nameStart = 0;
  start = 0;
  end: number;

  constructor({ bytes, start }: RawValue) {
    this.bytes = bytes;
    this.end = start + 4;
  }

  /** Goes to the next value, if there is one. */
  next(): boolean {
    const type = this.bytes[this.end] as number;
    if (type === 0) return false;
    this.type = typeOf(type);
    this.nameStart = this.end + 1;
    let at = this.nameStart;
    // Names are short: to look at each byte is quicker than to ask for the next zero.
    while (this.bytes[at] !== 0) at++;
    this.start = at + 1;
    this.end = valueEnd(this.bytes, this.type, this.start);
    return true;
  }
}

/** The field of a document, or the element of an array, by its encoded name. */
export function rawField(parent: RawValue, name: Buffer): RawValue | undefined {
  const field = new RawCursor(parent);
  while (field.next())
    if (field.start - 1 - field.nameStart === name.length && sameBytes(field.bytes, field.nameStart, name)) return field;
  return undefined;
}

/** Whether two documents agree in a field to the bit, or both lack it. */
export function hasSameField(one: Buffer, other: Buffer, name: Buffer): boolean {
  const [a, b] = [rawField(rawDocument(one), name), rawField(rawDocument(other), name)];
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && one.compare(other, b.start, b.end, a.start, a.end) === 0;
}

/** Whether these bytes stand at this place. */
function sameBytes(bytes: Buffer, at: number, other: Buffer): boolean {
  for (let i = 0; i < other.length; i++) if (bytes[at + i] !== other[i]) return false;
  return true;
}

/** A string's characters. */
export function textOf({ bytes, start, end }: RawValue): string {
  return bytes.toString('utf8', start + 4, end - 1);
}

/** Where a value of a type ends that starts at `at`. */
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
      return at + 4 + bytes.readInt32LE(at);
    case bsonType.dbPointer:
      return at + 4 + bytes.readInt32LE(at) + 12;
    case bsonType.binData:
      return at + 5 + bytes.readInt32LE(at);
    case bsonType.object:
    case bsonType.array:
    case bsonType.javascriptWithScope:
      return at + bytes.readInt32LE(at);
    case bsonType.regex:
      return bytes.indexOf(0, bytes.indexOf(0, at) + 1) + 1;
  }
  throw invalidBson(`unknown BSON type ${type}`);
}

/** The type that a byte stands for: of all types only minKey's number is negative. */
export function typeOf(byte: number): number {
  return byte === 0xff ? bsonType.minKey : byte;
}
