import { type Binary, Long, type ObjectId } from 'bson';
import { notSupported } from './errors.ts';
import { bsonType, type Doc, type Maybe, type NumberValue, OpaqueValue, typeName, typeNumber, type Value } from './value.ts';

/**
 * MongoDB's order of all values: first by type (missing, null, numbers, strings, documents, arrays,
 * binary, ObjectId, boolean, date), then by value. Throws for two different values of a type that
 * is only stored.
 */
export function compare(a: Maybe, b: Maybe): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return compareStrings(a, b);
  const rank = typeRank(a);
  const ranks = rank - typeRank(b);
  return ranks !== 0 ? ranks : compareSameRank(rank, a as Value, b as Value);
}

/** True if two values are equal in MongoDB: `1` equals `1` of any number type, but not `'1'`. */
export function equals(a: Maybe, b: Maybe): boolean {
  return compare(a, b) === 0;
}

/**
 * The rank of a value's type. Types with the same rank, such as all numbers, are compared by value.
 */
export function typeRank(value: Maybe): number {
  return value === undefined ? rankMissing : (ranks.get(typeNumber(value)) as number);
}

/** Compares two numbers of any type exactly. NaN equals itself and is less than all others. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  if (a instanceof Long) return b instanceof Long ? a.compare(b) : compareLongToDouble(a, b.value);
  if (b instanceof Long) return -compareLongToDouble(b, a.value);
  return compareDoubles(a.value, b.value);
}

/**
 * Compares by UTF-8 bytes, as MongoDB does. That is the order of code points, not of UTF-16 units.
 */
function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return unitOrder(left) - unitOrder(right);
  }
  return a.length - b.length;
}

const rankMissing = 0;

const ranks: ReadonlyMap<number, number> = new Map([
  [bsonType.minKey, -1],
  [bsonType.undefined, rankMissing],
  [bsonType.null, 5],
  [bsonType.double, 10],
  [bsonType.int, 10],
  [bsonType.long, 10],
  [bsonType.decimal, 10],
  [bsonType.string, 15],
  [bsonType.symbol, 15],
  [bsonType.object, 20],
  [bsonType.array, 25],
  [bsonType.binData, 30],
  [bsonType.objectId, 35],
  [bsonType.bool, 40],
  [bsonType.date, 45],
  [bsonType.timestamp, 47],
  [bsonType.regex, 50],
  [bsonType.dbPointer, 55],
  [bsonType.javascript, 60],
  [bsonType.javascriptWithScope, 65],
  [bsonType.maxKey, 127],
]);

function compareSameRank(rank: number, a: Value, b: Value): number {
  if (a instanceof OpaqueValue || b instanceof OpaqueValue) return compareOpaque(a, b);
  switch (rank) {
    case 10:
      return compareNumbers(a as NumberValue, b as NumberValue);
    case 20:
      return compareDocs(a as Doc, b as Doc);
    case 25:
      return compareArrays(a as Value[], b as Value[]);
    case 30:
      return compareBinaries(a as Binary, b as Binary);
    case 35:
      return Buffer.compare((a as ObjectId).id, (b as ObjectId).id);
    case 40:
      return Number(a) - Number(b);
    case 45:
      return (a as Date).getTime() - (b as Date).getTime();
  }
  return 0;
}

function compareOpaque(a: Value, b: Value): number {
  if (a instanceof OpaqueValue && b instanceof OpaqueValue && a.type === b.type && Buffer.compare(a.bytes, b.bytes) === 0)
    return 0;
  throw notSupported(`comparing values of the type ${typeName(a instanceof OpaqueValue ? a : b)} is not supported`);
}

function compareDoubles(a: number, b: number): number {
  if (a < b) return -1;
  if (a > b) return 1;
  if (a === b) return 0;
  return Number(Number.isNaN(b)) - Number(Number.isNaN(a));
}

function compareLongToDouble(a: Long, b: number): number {
  const approximate = a.toNumber();
  if (Math.abs(approximate) < Number.MAX_SAFE_INTEGER || Math.abs(b) > 2 ** 63 || Number.isNaN(b))
    return compareDoubles(approximate, b);
  const exact = a.toBigInt();
  // Here, `b` is either far from `a` or a whole number, so truncating it does not change the
  // result.
  const other = BigInt(Math.trunc(b));
  return exact < other ? -1 : exact > other ? 1 : 0;
}

/** Surrogates represent code points above U+FFFF, so they sort after the units U+E000 to U+FFFF. */
function unitOrder(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}

/** Compares field by field: type, then name, then value. */
function compareDocs(a: Doc, b: Doc): number {
  const others = b.entries();
  for (const [name, value] of a) {
    const other = others.next();
    if (other.done) return 1;
    const [otherName, otherValue] = other.value;
    const order = typeRank(value) - typeRank(otherValue) || compareStrings(name, otherName) || compare(value, otherValue);
    if (order !== 0) return order;
  }
  return a.size - b.size;
}

function compareArrays(a: readonly Value[], b: readonly Value[]): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compare(a[i], b[i]);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareBinaries(a: Binary, b: Binary): number {
  return a.position - b.position || a.sub_type - b.sub_type || Buffer.compare(a.value(), b.value());
}
