import { Binary, BSONRegExp, BSONSymbol, Code, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { invalidBson, tooDeep } from './errors.ts';
import { BsonType, CodeWithScope, DBPointer, type Doc, dateFromMillis, UNDEFINED, type Value } from './value.ts';

/** MongoDB's own limit on the nesting of a document. */
export const MAX_DEPTH = 100;

const strictUtf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** Reads BSON values one after the other; every length is checked before a byte behind it is touched. */
export class Reader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
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

  /** The named fields of a document that has been read as a whole before: what is skipped is not checked. */
  fields(names: ReadonlySet<string>, depth: number, limit: number): Doc {
    const end = this.#open(depth, limit);
    const doc: Doc = new Map();
    for (let type = this.#byte(); type !== 0 && doc.size < names.size; type = this.#byte()) {
      const name = this.#cstring(end);
      if (names.has(name)) doc.set(name, this.value(type, depth, end));
      else this.#skip(type, end);
    }
    return doc;
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

  /** Positions at the value of the named field of the document around `at` and gives its type, 0 if there is none. */
  find(name: string, end: number): number {
    for (let type = this.#byte(); type !== 0; type = this.#byte()) {
      if (this.#cstring(end) === name) return type;
      this.#skip(type, end);
    }
    return 0;
  }

  value(type: number, depth: number, end: number): Value {
    switch (type) {
      case BsonType.string:
        return this.#string(end);
      case BsonType.int:
        return new Int32(this.#take(4, end).readInt32LE(this.at - 4));
      case BsonType.double:
        return new Double(this.#take(8, end).readDoubleLE(this.at - 8));
      case BsonType.bool:
        return this.#bool(end);
      case BsonType.object:
        return this.document(depth - 1, end);
      case BsonType.array:
        return this.#array(depth - 1, end);
      case BsonType.objectId:
        return new ObjectId(this.#copy(12, end));
      case BsonType.date:
        return this.#date(end);
      case BsonType.null:
        return null;
      case BsonType.long: {
        const bytes = this.#take(8, end);
        return new Long(bytes.readInt32LE(this.at - 8), bytes.readInt32LE(this.at - 4));
      }
      case BsonType.binData:
        return this.#binary(end);
      case BsonType.decimal:
        return new Decimal128(this.#copy(16, end));
      case BsonType.timestamp: {
        const bytes = this.#take(8, end);
        return new Timestamp({ i: bytes.readUInt32LE(this.at - 8), t: bytes.readUInt32LE(this.at - 4) });
      }
      case BsonType.regex:
        return this.#regex(end);
      case BsonType.undefined:
        return UNDEFINED;
      case BsonType.javascript:
        return new Code(this.#string(end));
      case BsonType.javascriptWithScope:
        return this.#codeWithScope(depth, end);
      case BsonType.symbol:
        return new BSONSymbol(this.#string(end));
      case BsonType.dbPointer:
        return new DBPointer(this.#string(end), new ObjectId(this.#copy(12, end)));
      case 0xff:
        return new MinKey();
      case BsonType.maxKey:
        return new MaxKey();
    }
    throw invalidBson(`unknown BSON type ${type}`);
  }

  #skip(type: number, end: number): void {
    switch (type) {
      case BsonType.int:
        this.at += 4;
        return;
      case BsonType.double:
      case BsonType.date:
      case BsonType.long:
      case BsonType.timestamp:
        this.at += 8;
        return;
      case BsonType.bool:
        this.at += 1;
        return;
      case BsonType.objectId:
        this.at += 12;
        return;
      case BsonType.string:
        this.#jump(this.int32());
        return;
      case BsonType.object:
      case BsonType.array:
        this.#jump(this.int32() - 4);
        return;
      case BsonType.binData:
        this.#jump(this.int32() + 1);
        return;
    }
    this.value(type, MAX_DEPTH, end);
  }

  #jump(length: number): void {
    this.at += length;
  }

  #byte(): number {
    return this.#bytes[this.at++] as number;
  }

  int32(): number {
    this.at += 4;
    return this.#bytes.readInt32LE(this.at - 4);
  }

  /** Moves over `length` bytes once it is sure that they are there. */
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
    // Beyond ±2^52 ms a double would no longer be exact; JavaScript's own limit is a little above.
    if (high < 0x100000 && high >= -0x100000) return new Date(high * 0x100000000 + bytes.readUInt32LE(this.at - 8));
    return dateFromMillis(bytes.readBigInt64LE(this.at - 8));
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
    return this.#utf8(start, this.at - 1);
  }

  #skipCstring(end: number): void {
    let at = this.at;
    while (at < end && this.#bytes[at] !== 0) at++;
    if (at >= end) throw invalidBson('a name runs over the end of its document');
    this.at = at + 1;
  }

  #utf8(start: number, end: number): string {
    // Names and short texts are nearly always ASCII; below some 24 characters this loop beats the call into native code.
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
    if (subtype !== Binary.SUBTYPE_BYTE_ARRAY) return new Binary(this.#copy(length, end), subtype);
    // The old binary subtype 2 repeats its length inside; the bson package hides that inner length, and so do we.
    if (length < 4) throw invalidBson('binary data of subtype 2 has an inner length');
    const inner = this.#take(4, end).readInt32LE(this.at - 4);
    if (inner !== length - 4) throw invalidBson('binary data of subtype 2 contradicts its inner length');
    return new Binary(this.#copy(inner, end), subtype);
  }

  #regex(end: number): BSONRegExp {
    const pattern = this.#cstring(end);
    const options = this.#cstring(end);
    if (!/^[imxlsu]*$/.test(options)) throw invalidBson(`unknown options of a regular expression: ${options}`);
    return new BSONRegExp(pattern, options);
  }

  #codeWithScope(depth: number, end: number): CodeWithScope {
    const start = this.at;
    this.#take(4, end);
    const length = this.#bytes.readInt32LE(start);
    if (length > end - start) throw invalidBson('code with scope runs over the end of its document');
    const code = this.#string(start + length);
    const scope = this.document(depth - 1, start + length);
    if (this.at !== start + length) throw invalidBson('code with scope contradicts its length');
    return new CodeWithScope(code, scope);
  }
}
