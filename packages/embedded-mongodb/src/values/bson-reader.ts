import { Binary, Double, Int32, Long, ObjectId } from 'bson';
import { invalidBson, tooDeep } from './errors.ts';
import { knownName, learnName } from './names.ts';
import { asBuffer, RawCursor, rawField, typeOf, valueEnd, whyNoEnd } from './raw.ts';
import { isDate } from './validate.ts';
import { bsonType, type Doc, OpaqueValue, type Value } from './value.ts';

/** MongoDB's limit for the nesting of a document. */
export const maxLevels = 100;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** `bson` can read an id at an offset, but its types do not declare it. */
const idAt = ObjectId as unknown as new (bytes: Uint8Array, at: number) => ObjectId;

/** The fields of a stored document that are read. `undefined` means the whole field. */
export type Fields = ReadonlyMap<string, ElementFilter | undefined>;

/**
 * Limits the elements of an array that are read to those whose `field` may be one of some ids.
 * `ids` has the numbers in the last bytes of the ids, which usually differ within a collection.
 * Extra matches do no harm. Without `field`, only the length of the array is read.
 */
export type ElementFilter = { readonly field?: Buffer; readonly ids: ReadonlySet<number>; readonly needsLength?: boolean };

/** The original length of an array that may be narrowed. */
export const wholeLength = (items: readonly Value[]): number => wholeLengths.get(items) ?? items.length;

const wholeLengths = new WeakMap<readonly Value[], number>();

/** The number in the last bytes of an id. */
export const idNumber = (bytes: Buffer, start = 0): number => bytes.readUInt32LE(start + 8);

/** Reads BSON values in sequence. Checks each length before it accesses the bytes. */
export class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = asBuffer(bytes);
  }

  document(depth: number, limit: number): Doc {
    const end = this.#open(depth, limit);
    const doc: Doc = new Map();
    let fields = 0;
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      const name = this.#cstring(end);
      doc.set(name, this.value(type, depth, end));
      fields++;
      if (this.at >= end) throw invalidBson('a document runs over its end');
    }
    if (this.at !== end) throw invalidBson('a document ends before its length');
    if (doc.size !== fields) throw invalidBson('a document names a field twice');
    return doc;
  }

  /** Reads some fields of a stored document. For skipped values, it checks only the lengths. */
  fields(wanted: Fields, depth: number, limit: number): Doc {
    const end = this.#open(depth, limit);
    const doc: Doc = new Map();
    for (let type = this.#byte(); type !== 0 && doc.size < wanted.size; type = this.#byte()) {
      const name = this.#cstring(end);
      const narrowing = wanted.get(name);
      if (narrowing !== undefined && type === bsonType.array) doc.set(name, this.#narrowed(narrowing, depth - 1, end));
      else if (wanted.has(name)) doc.set(name, this.value(type, depth, end));
      else this.at = this.#endOf(typeOf(type), end);
      if (this.at >= end) throw invalidBson('a document runs over its end');
    }
    return doc;
  }

  #narrowed({ field, ids, needsLength = false }: ElementFilter, depth: number, limit: number): Value[] {
    const bytes = this.#bytes;
    const items: Value[] = [];
    const array = { type: bsonType.array, bytes, start: this.at, end: this.#endOf(bsonType.array, limit), depth: 0 };
    let length = 0;
    for (const item = new RawCursor(array); item.next(); ) {
      length++;
      if (field === undefined) continue;
      const found = item.type === bsonType.object ? rawField(item, field) : item;
      if (found === undefined) continue;
      if (found.type === bsonType.objectId && !ids.has(idNumber(bytes, found.start))) continue;
      this.at = item.start;
      items.push(this.value(item.type, depth, item.end));
    }
    this.at = array.end;
    if (needsLength) wholeLengths.set(items, length);
    return items;
  }

  #array(depth: number, limit: number): Value[] {
    const end = this.#open(depth, limit);
    const items: Value[] = [];
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      this.#skipCstring(end);
      items.push(this.value(type, depth, end));
      if (this.at >= end) throw invalidBson('an array runs over its end');
    }
    if (this.at !== end) throw invalidBson('an array ends before its length');
    return items;
  }

  #open(depth: number, limit: number): number {
    if (depth <= 0) throw tooDeep('BSONObj exceeded maximum nested object depth');
    const start = this.at;
    if (limit - start < 5) throw invalidBson('a document has at least 5 bytes');
    const size = this.int32();
    if (size < 5 || size > limit - start) throw invalidBson(`a document claims ${size} of ${limit - start} bytes`);
    return start + size;
  }

  value(type: number, depth: number, end: number): Value {
    switch (type) {
      case bsonType.string:
        return this.#string(end);
      case bsonType.int:
        return new Int32(this.#take(4, end).readInt32LE(this.at - 4));
      case bsonType.double:
        return new Double(this.#take(8, end).readDoubleLE(this.at - 8));
      case bsonType.bool:
        return this.#bool(end);
      case bsonType.object:
        return this.document(depth - 1, end);
      case bsonType.array:
        return this.#array(depth - 1, end);
      case bsonType.objectId:
        return new idAt(this.#take(12, end), this.at - 12);
      case bsonType.date:
        return this.#date(end);
      case bsonType.null:
        return null;
      case bsonType.long: {
        const bytes = this.#take(8, end);
        return new Long(bytes.readInt32LE(this.at - 8), bytes.readInt32LE(this.at - 4));
      }
      case bsonType.binData:
        return this.#binary(end);
    }
    return this.#opaque(type, end);
  }

  /** A value of a type that is only stored. It checks only where the value ends. */
  #opaque(byte: number, end: number): OpaqueValue {
    const type = typeOf(byte);
    return new OpaqueValue(type, this.#copy(this.#endOf(type, end) - this.at, end));
  }

  /** The end of the value at the current position. */
  #endOf(type: number, limit: number): number {
    const end = valueEnd(this.#bytes, type, this.at);
    if (end < this.at || end > limit) throw invalidBson(whyNoEnd(end, type));
    return end;
  }

  #byte(): number {
    return this.#bytes[this.at++] as number;
  }

  int32(): number {
    this.at += 4;
    return this.#bytes.readInt32LE(this.at - 4);
  }

  /** Advances by `length` bytes after checking that they exist. */
  #take(length: number, end: number): Buffer {
    if (length > end - this.at) throw invalidBson('a value runs over the end of its document');
    this.at += length;
    return this.#bytes;
  }

  #copy(length: number, end: number): Uint8Array {
    const bytes = this.#take(length, end);
    return Uint8Array.prototype.slice.call(bytes, this.at - length, this.at);
  }

  #bool(end: number): boolean {
    const byte = this.#take(1, end)[this.at - 1];
    if (byte !== 0 && byte !== 1) throw invalidBson(`a boolean is 0 or 1, not ${byte}`);
    return byte === 1;
  }

  #date(end: number): Date {
    const bytes = this.#take(8, end);
    const high = bytes.readInt32LE(this.at - 4);
    // JavaScript's own limit is slightly higher.
    if (isDate(high)) return new Date(high * 0x100000000 + bytes.readUInt32LE(this.at - 8));
    throw invalidBson('a date beyond the years that can be computed with');
  }

  #string(end: number): string {
    this.#take(4, end);
    const length = this.#bytes.readInt32LE(this.at - 4);
    if (length < 1) throw invalidBson(`a string claims ${length} bytes`);
    const bytes = this.#take(length, end);
    if (bytes[this.at - 1] !== 0) throw invalidBson('a string does not end in 0');
    return this.#utf8(this.at - length, this.at - 1);
  }

  #cstring(end: number): string {
    const start = this.at;
    this.#skipCstring(end);
    return knownName(this.#bytes, start, this.at - 1) ?? learnName(this.#utf8(start, this.at - 1));
  }

  #skipCstring(end: number): void {
    let at = this.at;
    while (at < end && this.#bytes[at] !== 0) at++;
    if (at >= end) throw invalidBson('a name runs over the end of its document');
    this.at = at + 1;
  }

  #utf8(start: number, end: number): string {
    // Names and short texts are nearly always ASCII. Up to about 24 characters, this loop is faster
    // than the call into native code.
    if (end - start < 24) {
      let text = '';
      let at = start;
      for (; at < end; at++) {
        const byte = this.#bytes[at] as number;
        if (byte > 127) break;
        text += String.fromCharCode(byte);
      }
      if (at === end) return text;
    }
    const text = this.#bytes.toString('utf8', start, end);
    if (!text.includes('\ufffd')) return text;
    try {
      return strictUtf8.decode(this.#bytes.subarray(start, end));
    } catch {
      throw invalidBson('a string is not UTF-8');
    }
  }

  #binary(end: number): Binary {
    this.#take(5, end);
    const length = this.#bytes.readInt32LE(this.at - 5);
    const subtype = this.#bytes[this.at - 1] as number;
    if (length < 0) throw invalidBson(`binary data claims ${length} bytes`);
    return new Binary(this.#copy(length, end), subtype);
  }
}
