import type { Binary, Double, Int32, Long, ObjectId } from 'bson';
import { badValue, DatabaseError, tooDeep } from './errors.ts';
import { bsonType, type Doc, OpaqueValue, typeNumber, type Value } from './value.ts';

/** A method of ids that the types of `bson` do not declare. */
type WritesItself = { serializeInto: (bytes: Uint8Array, at: number) => number };

/** A shared buffer, so that encoding a small document allocates only the result. */
let scratch = Buffer.allocUnsafe(64 * 1024);
const maxScratch = 1024 * 1024;

/**
 * A message cannot be larger. The limit also protects memory if a document contains the same value
 * many times.
 */
const mostBytes = 47_900_000;

/** Bytes before an array element: type and index. */
const mostHead = 10;

/** The length of longer texts is measured. For shorter ones, reserving the maximum is faster. */
const longText = 1000;

/** Writes BSON values in sequence into a growing buffer. */
export class Writer {
  #bytes = scratch;
  #at = 0;

  /** The written bytes, copied if the buffer is shared. */
  finish(): Buffer {
    if (this.#bytes.length > maxScratch) return this.#bytes.subarray(0, this.#at);
    const result = Buffer.allocUnsafe(this.#at);
    result.set(this.#bytes.subarray(0, this.#at));
    if (this.#bytes.length > scratch.length) scratch = this.#bytes;
    return result;
  }

  document(doc: Doc, depth: number): void {
    const start = this.#open(depth);
    for (const [name, value] of doc) this.#field(name, value, depth);
    this.#close(start);
  }

  #array(items: readonly Value[], depth: number): void {
    const start = this.#open(depth);
    // Replies consist mainly of stored documents. Growing the buffer once is faster than several
    // times.
    this.#reserve(items.reduce<number>((sum, item) => sum + (item instanceof OpaqueValue ? item.bytes.length + mostHead : 0), 0));
    for (let i = 0; i < items.length; i++) this.#field(String(i), items[i] as Value, depth);
    this.#close(start);
  }

  #open(depth: number): number {
    if (depth <= 0) throw tooDeep('BSONObj exceeded maximum nested object depth');
    const start = this.#at;
    this.#reserve(5);
    this.#at += 4;
    return start;
  }

  #close(start: number): void {
    this.#reserve(1);
    this.#bytes[this.#at++] = 0;
    this.#bytes.writeInt32LE(this.#at - start, start);
  }

  #field(name: string, value: Value, depth: number): void {
    const type = typeNumber(value);
    this.#reserve(1);
    this.#bytes[this.#at++] = type & 0xff;
    this.#cstring(name);
    this.#value(type, value, depth);
  }

  #value(type: number, value: Value, depth: number): void {
    switch (type) {
      case bsonType.string:
        this.#string(value as string);
        break;
      case bsonType.int:
        this.#int32((value as Int32).value);
        break;
      case bsonType.double:
        this.#reserve(8);
        this.#at = this.#bytes.writeDoubleLE((value as Double).value, this.#at);
        break;
      case bsonType.bool:
        this.#reserve(1);
        this.#bytes[this.#at++] = value ? 1 : 0;
        break;
      case bsonType.object:
        if (value instanceof OpaqueValue) this.#raw(value.bytes);
        else this.document(value as Doc, depth - 1);
        break;
      case bsonType.array:
        this.#array(value as Value[], depth - 1);
        break;
      case bsonType.objectId:
        this.#reserve(12);
        this.#at += (value as ObjectId & WritesItself).serializeInto(this.#bytes, this.#at);
        break;
      case bsonType.date:
        this.#date(value as Date);
        break;
      case bsonType.long:
        this.#int32((value as Long).low);
        this.#int32((value as Long).high);
        break;
      case bsonType.binData:
        this.#binary(value as Binary);
        break;
      default:
        // A null has a type but no value bytes.
        if (value instanceof OpaqueValue) this.#raw(value.bytes);
    }
  }

  #reserve(length: number): void {
    if (this.#at + length <= this.#bytes.length) return;
    if (this.#at + length > mostBytes) throw new DatabaseError(10334, `BSONObj size is invalid. It must be at most ${mostBytes}`);
    const larger = Buffer.allocUnsafeSlow(Math.min(Math.max(this.#bytes.length * 2, this.#at + length), mostBytes));
    this.#bytes.copy(larger, 0, 0, this.#at);
    this.#bytes = larger;
  }

  #int32(value: number): void {
    this.#reserve(4);
    this.#at = this.#bytes.writeInt32LE(value, this.#at);
  }

  #raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#at);
    this.#at += bytes.length;
  }

  #cstring(text: string): void {
    const start = this.#at;
    this.#utf8(text);
    for (let i = start; i < this.#at; i++) if (this.#bytes[i] === 0) throw badValue('a field name cannot contain a null byte');
    this.#reserve(1);
    this.#bytes[this.#at++] = 0;
  }

  #string(text: string): void {
    this.#reserve(4);
    const start = this.#at;
    this.#at += 4;
    this.#utf8(text);
    this.#reserve(1);
    this.#bytes[this.#at++] = 0;
    this.#bytes.writeInt32LE(this.#at - start - 4, start);
  }

  #utf8(text: string): void {
    this.#reserve(text.length > longText ? Buffer.byteLength(text) : text.length * 3);
    if (text.length < 24) {
      const start = this.#at;
      for (let i = 0; ; i++) {
        if (i === text.length) return;
        const unit = text.charCodeAt(i);
        if (unit > 127) break;
        this.#bytes[this.#at++] = unit;
      }
      this.#at = start;
    }
    this.#at += this.#bytes.write(text, this.#at, 'utf8');
  }

  #date(date: Date): void {
    this.#reserve(8);
    const high = Math.floor(date.getTime() / 2 ** 32);
    this.#at = this.#bytes.writeUInt32LE(date.getTime() - high * 2 ** 32, this.#at);
    this.#at = this.#bytes.writeInt32LE(high, this.#at);
  }

  #binary(binary: Binary): void {
    const bytes = binary.value();
    this.#int32(bytes.length);
    this.#reserve(1);
    this.#bytes[this.#at++] = binary.sub_type;
    this.#raw(bytes);
  }
}
