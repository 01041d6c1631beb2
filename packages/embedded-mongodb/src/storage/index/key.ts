import { ObjectId } from 'bson';
import { encodeAnswer } from '../../values/bson.ts';
import { notSupported } from '../../values/errors.ts';
import { RawCursor, type RawValue, rawDocument, rawField } from '../../values/raw.ts';
import { bsonType, type Value } from '../../values/value.ts';
import { numberKey } from './number-key.ts';

/*
 * A key is a byte string whose order under memcmp is MongoDB's order of values. Each value starts
 * with a type byte. Its payload is not a prefix of any other payload of that type, so keys of
 * several fields can be concatenated. Type bytes lie in 0x08..0xf0: 0x00 ends a list before any
 * value, and 0xff sorts after every value, also an inverted one.
 */

const typeBytes: ReadonlyMap<number, number> = new Map([
  [bsonType.undefined, 0x10],
  [bsonType.null, 0x18],
  [bsonType.double, 0x20],
  [bsonType.int, 0x20],
  [bsonType.long, 0x20],
  [bsonType.string, 0x30],
  [bsonType.object, 0x38],
  [bsonType.array, 0x40],
  [bsonType.binData, 0x48],
  [bsonType.objectId, 0x50],
  [bsonType.bool, 0x58],
  [bsonType.date, 0x60],
]);

/** The key of a missing field: MongoDB indexes it as null. */
export const nullKey = Buffer.of(0x18);
/** MongoDB indexes an empty array as `undefined`. */
export const emptyArrayKey = Buffer.of(0x10);

/**
 * The first byte of the keys of a BSON type. Types that compare with each other, e.g. all numbers,
 * share it.
 */
export function typeByte(type: number): number {
  const byte = typeBytes.get(type);
  if (byte === undefined) throw notSupported(`an index on values of BSON type ${type} is not supported`);
  return byte;
}

/** The keys from `low` (inclusive) to `high` (exclusive). */
export type KeyRange = {
  readonly low: Buffer;
  readonly high: Buffer;
};

const valueName = Buffer.from('v');

export function valueKey(value: Value): Buffer {
  if (typeof value === 'string') return textKey(value);
  if (value instanceof ObjectId) return idKey(value);
  const writer = new KeyWriter();
  writer.value(rawField(rawDocument(encodeAnswer(new Map([['v', value]]))), valueName) as RawValue);
  return writer.finish();
}

function idKey({ id }: ObjectId): Buffer {
  const key = Buffer.allocUnsafe(1 + id.length);
  key[0] = typeByte(bsonType.objectId);
  key.set(id, 1);
  return key;
}

/** The key of a string. */
function textKey(text: string): Buffer {
  const bytes = Buffer.from(text);
  const writer = new KeyWriter();
  writer.byte(typeByte(bsonType.string));
  writer.text(bytes, 0, bytes.length);
  return writer.finish();
}

/** Inverts a key's bytes, and with them its order, for a descending field. */
export function invertKey(key: Buffer): Buffer {
  const inverted = Buffer.allocUnsafe(key.length);
  for (let i = 0; i < key.length; i++) inverted[i] = ~(key[i] as number);
  return inverted;
}

/** A shared buffer, so that writing a key allocates only the result. */
let scratch = Buffer.allocUnsafe(4096);
const maxScratch = 1024 * 1024;

/** Up to this many bytes, a loop is faster than a call. */
const few = 24;

/** Writes the keys of several values one after the other. */
export class KeyWriter {
  #bytes = scratch;
  #at = 0;

  /** Copies the written bytes out of the shared buffer. */
  finish(): Buffer {
    if (this.#bytes.length > scratch.length && this.#bytes.length <= maxScratch) scratch = this.#bytes;
    return Buffer.from(this.#bytes.subarray(0, this.#at));
  }

  /** Writes the key of a value in descending order. */
  descending(value: RawValue | undefined): void {
    const start = this.#at;
    this.ascending(value);
    for (let at = start; at < this.#at; at++) this.#bytes[at] = ~(this.#bytes[at] as number);
  }

  /** Writes the key of a value, or of a missing field, which MongoDB indexes as null. */
  ascending(value: RawValue | undefined): void {
    if (value === undefined) this.byte(nullKey[0] as number);
    else this.value(value);
  }

  value(value: RawValue): void {
    const { type, bytes, start, end } = value;
    this.byte(typeByte(type));
    switch (type) {
      case bsonType.undefined:
      case bsonType.null:
        return;
      case bsonType.double:
      case bsonType.int:
      case bsonType.long: {
        const key = numberKey(value);
        this.bytes(key, 0, key.length);
        return;
      }
      case bsonType.string:
        this.text(bytes, start + 4, end - 1);
        return;
      case bsonType.bool:
      case bsonType.objectId:
        this.bytes(bytes, start, end);
        return;
      case bsonType.date:
        this.#bigEndian(bytes.readBigInt64LE(start) + (1n << 63n));
        return;
      case bsonType.binData:
        // MongoDB sorts binary data by length, then subtype, then content.
        for (let at = start + 3; at >= start; at--) this.byte(bytes[at] as number);
        this.bytes(bytes, start + 4, end);
        return;
      case bsonType.array:
        for (const element = new RawCursor(value); element.next(); ) this.value(element);
        this.byte(endByte);
        return;
      default:
        // MongoDB compares documents field by field: type, then name, then value.
        for (const field = new RawCursor(value); field.next(); ) {
          this.byte(typeByte(field.type));
          this.bytes(bytes, field.nameStart, field.start);
          this.value(field);
        }
        this.byte(endByte);
    }
  }

  byte(byte: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = byte;
  }

  bytes(from: Buffer, start: number, end: number): void {
    this.#reserve(end - start);
    if (end - start < few) for (let at = start; at < end; at++) this.#bytes[this.#at++] = from[at] as number;
    else this.#at += from.copy(this.#bytes, this.#at, start, end);
  }

  /**
   * Writes text with 0x00 at the end. To keep the end unique, NUL becomes 0x01 0x01 and 0x01
   * becomes 0x01 0x02.
   */
  text(from: Buffer, start: number, end: number): void {
    this.#reserve(2 * (end - start) + 1);
    for (let at = start; at < end; at++) {
      const byte = from[at] as number;
      if (byte <= escapeByte) this.#bytes[this.#at++] = escapeByte;
      this.#bytes[this.#at++] = byte <= escapeByte ? byte + 1 : byte;
    }
    this.#bytes[this.#at++] = endByte;
  }

  #bigEndian(value: bigint): void {
    this.#reserve(8);
    this.#at = this.#bytes.writeBigUInt64BE(value, this.#at);
  }

  #reserve(count: number): void {
    if (this.#at + count <= this.#bytes.length) return;
    const larger = Buffer.allocUnsafe(2 * (this.#at + count));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }
}

const endByte = 0x00;

const escapeByte = 0x01;
