import { encode } from '../query/bson.ts';
import { BsonType, type Value } from '../query/value.ts';
import { numberKey } from './number-key.ts';
import { asBuffer, type RawValue, rawDocument, rawField, rawValues } from './raw.ts';

/*
 * A key is bytes whose order under memcmp is MongoDB's order of the values. Each value is a byte for its place among the types
 * and then a payload that no other payload of that type is a prefix of, so that keys of several fields can be concatenated.
 * All type bytes lie in 0x08..0xf0: 0x00 ends a list before any value, and 0xff comes after every value, also an inverted one.
 */

const TYPE_BYTE: ReadonlyMap<number, number> = new Map([
  [BsonType.minKey, 0x08],
  [BsonType.undefined, 0x10],
  [BsonType.null, 0x18],
  [BsonType.double, 0x20],
  [BsonType.int, 0x20],
  [BsonType.long, 0x20],
  [BsonType.decimal, 0x20],
  [BsonType.string, 0x30],
  [BsonType.symbol, 0x30],
  [BsonType.object, 0x38],
  [BsonType.array, 0x40],
  [BsonType.binData, 0x48],
  [BsonType.objectId, 0x50],
  [BsonType.bool, 0x58],
  [BsonType.date, 0x60],
  [BsonType.timestamp, 0x68],
  [BsonType.regex, 0x70],
  [BsonType.dbPointer, 0x78],
  [BsonType.javascript, 0x80],
  [BsonType.javascriptWithScope, 0x88],
  [BsonType.maxKey, 0xf0],
]);

/** The key of a field that is not there: MongoDB indexes it as null. */
export const NULL_KEY = Buffer.of(0x18);
/** The key that MongoDB gives an empty array in an index: that of `undefined`. */
export const EMPTY_ARRAY_KEY = Buffer.of(0x10);

/** The byte that begins the keys of all values of a BSON type; values of one bracket (all numbers, say) share it. */
export function typeByte(type: number): number {
  return TYPE_BYTE.get(type) as number;
}

/** The key of a value inside encoded BSON. */
export function rawKey(value: RawValue): Buffer {
  const parts: Buffer[] = [];
  appendKey(parts, value);
  return parts.length === 1 ? (parts[0] as Buffer) : Buffer.concat(parts);
}

const VALUE_NAME = Buffer.from('v');

/** The key of a decoded value. */
export function valueKey(value: Value): Buffer {
  return rawKey(rawField(rawDocument(asBuffer(encode(new Map([['v', value]])))), VALUE_NAME) as RawValue);
}

/** The same key in the opposite order, for a descending field. */
export function invertKey(key: Buffer): Buffer {
  const inverted = Buffer.allocUnsafe(key.length);
  for (let i = 0; i < key.length; i++) inverted[i] = ~(key[i] as number);
  return inverted;
}

function appendKey(parts: Buffer[], value: RawValue): void {
  const { type, bytes, start, end } = value;
  const first = typeByte(type);
  switch (type) {
    case BsonType.undefined:
    case BsonType.null:
    case BsonType.minKey:
    case BsonType.maxKey:
      parts.push(Buffer.of(first));
      return;
    case BsonType.double:
    case BsonType.int:
    case BsonType.long:
    case BsonType.decimal:
      parts.push(withFirst(first, numberKey(value)));
      return;
    case BsonType.string:
    case BsonType.symbol:
    case BsonType.javascript:
      parts.push(withFirst(first, escaped(bytes, start + 4, end - 1)));
      return;
    case BsonType.bool:
    case BsonType.objectId:
    case BsonType.regex:
      parts.push(withFirst(first, bytes.subarray(start, end)));
      return;
    case BsonType.date:
      parts.push(bigEndianKey(first, bytes.readBigInt64LE(start) + (1n << 63n)));
      return;
    case BsonType.timestamp:
      parts.push(bigEndianKey(first, bytes.readBigUInt64LE(start)));
      return;
    case BsonType.binData:
    case BsonType.dbPointer:
      parts.push(lengthFirst(first, value));
      return;
    case BsonType.javascriptWithScope: {
      const codeEnd = start + 8 + bytes.readInt32LE(start + 4);
      parts.push(withFirst(first, escaped(bytes, start + 8, codeEnd - 1)));
      appendKey(parts, { type: BsonType.object, bytes, start: codeEnd, end });
      return;
    }
    case BsonType.array:
      parts.push(Buffer.of(first));
      for (const element of rawValues(value)) appendKey(parts, element);
      parts.push(END);
      return;
    default:
      // MongoDB compares documents field by field: the type first, then the name, then the value.
      parts.push(Buffer.of(first));
      for (const field of rawValues(value)) {
        parts.push(Buffer.of(typeByte(field.type)), bytes.subarray(field.nameStart, field.start));
        appendKey(parts, field);
      }
      parts.push(END);
  }
}

const END = Buffer.of(0x00);

function withFirst(first: number, payload: Buffer): Buffer {
  const key = Buffer.allocUnsafe(payload.length + 1);
  key[0] = first;
  payload.copy(key, 1);
  return key;
}

/** Text up to its end, 0x00; a NUL inside becomes 0x01 0x01 and 0x01 becomes 0x01 0x02, so that the end is the end. */
function escaped(bytes: Buffer, start: number, end: number): Buffer {
  let specials = 0;
  for (let at = start; at < end; at++) if ((bytes[at] as number) <= ESCAPE) specials++;
  const text = Buffer.allocUnsafe(end - start + specials + 1);
  text[text.length - 1] = 0;
  if (specials === 0) {
    bytes.copy(text, 0, start, end);
    return text;
  }
  for (let from = start, to = 0; from < end; from++) {
    const byte = bytes[from] as number;
    if (byte <= ESCAPE) text[to++] = ESCAPE;
    text[to++] = byte <= ESCAPE ? byte + 1 : byte;
  }
  return text;
}

const ESCAPE = 0x01;

function bigEndianKey(first: number, value: bigint): Buffer {
  const key = Buffer.allocUnsafe(9);
  key[0] = first;
  key.writeBigUInt64BE(value, 1);
  return key;
}

/** Binary data goes by length, then subtype, then content; a DBPointer by the length of its namespace, then that, then the id. */
function lengthFirst(first: number, { bytes, start, end }: RawValue): Buffer {
  const key = Buffer.allocUnsafe(end - start + 1);
  key[0] = first;
  key.writeUInt32BE(bytes.readInt32LE(start), 1);
  bytes.copy(key, 5, start + 4, end);
  return key;
}
