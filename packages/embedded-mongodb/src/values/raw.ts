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

/** The field of a document, or the element of an array, by its encoded name. */
export function rawField(parent: RawValue, name: Buffer): RawValue | undefined {
  const { bytes } = parent;
  for (let at = parent.start + 4; ; ) {
    const type = typeAt(bytes, at);
    if (type === 0) return undefined;
    const nameStart = at + 1;
    const start = nameEnd(bytes, nameStart) + 1;
    const end = valueEnd(bytes, type, start);
    if (start - 1 - nameStart === name.length && sameBytes(bytes, nameStart, name)) return { type, bytes, start, end };
    at = end;
  }
}

/** Whether two documents agree in a field to the bit, or both lack it. */
export function hasSameField(one: Buffer, other: Buffer, name: Buffer): boolean {
  const [a, b] = [rawField(rawDocument(one), name), rawField(rawDocument(other), name)];
  if (a === undefined || b === undefined) return a === b;
  return a.type === b.type && one.compare(other, b.start, b.end, a.start, a.end) === 0;
}

/** Every element of an array, or field of a document, in order. */
export function* rawValues(parent: RawValue): Generator<RawValue & { readonly nameStart: number }> {
  const { bytes } = parent;
  for (let at = parent.start + 4; ; ) {
    const type = typeAt(bytes, at);
    if (type === 0) return;
    const nameStart = at + 1;
    const start = nameEnd(bytes, nameStart) + 1;
    const end = valueEnd(bytes, type, start);
    yield { type, bytes, start, end, nameStart };
    at = end;
  }
}

/** Names are short: to look at each byte is quicker than to ask for the next zero. */
function nameEnd(bytes: Buffer, from: number): number {
  let at = from;
  while (bytes[at] !== 0) at++;
  return at;
}

/** The type byte, with MinKey as -1. */
function typeAt(bytes: Buffer, at: number): number {
  const type = bytes[at] as number;
  return type === 0xff ? bsonType.minKey : type;
}

/** Whether these bytes stand at this place. */
export function sameBytes(bytes: Buffer, at: number, other: Buffer): boolean {
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
