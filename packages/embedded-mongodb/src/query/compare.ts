import { type Binary, type BSONRegExp, BSONSymbol, type Code, Decimal128, Long, type ObjectId, type Timestamp } from 'bson';
import { compareDecimals, toDecimal } from './decimal.ts';
import {
  BsonType,
  type CodeWithScope,
  type DBPointer,
  type Doc,
  dateMillis,
  type NumberValue,
  typeNumber,
  type Value,
} from './value.ts';

/**
 * MongoDB's order over all values: types first (minKey, missing and undefined, null, numbers, strings and symbols, documents, arrays,
 * binary, ObjectId, boolean, date, timestamp, regular expression, DBPointer, code, code with scope, maxKey), then values.
 * A collation brings its own order of texts.
 */
export function compare(a: Value | undefined, b: Value | undefined, texts: TextOrder = compareStrings): number {
  if (a === b) return 0;
  if (typeof a === 'string' && typeof b === 'string') return texts(a, b);
  const rank = typeRank(a);
  const ranks = rank - typeRank(b);
  return ranks !== 0 ? ranks : compareSameRank(rank, a as Value, b as Value, texts);
}

/** An order of texts; `compareStrings` unless a collation says otherwise. */
export type TextOrder = (a: string, b: string) => number;

/** Whether two values are the same to MongoDB: `1` of any number type, but never `'1'`. */
export function equals(a: Value | undefined, b: Value | undefined, texts?: TextOrder): boolean {
  return compare(a, b, texts) === 0;
}

/** The place of a value's type in the order; types that share a rank (numbers; strings and symbols) compare by value. */
export function typeRank(value: Value | undefined): number {
  return value === undefined ? RANK_MISSING : (RANKS.get(typeNumber(value)) as number);
}

/** Compares two numbers of any kinds by value, exactly; NaN is below all others and equal to itself. */
export function compareNumbers(a: NumberValue, b: NumberValue): number {
  if (a instanceof Decimal128 || b instanceof Decimal128) return compareDecimals(toDecimal(a, false), toDecimal(b, false));
  if (a instanceof Long) return b instanceof Long ? a.compare(b) : compareLongToDouble(a, b.value);
  if (b instanceof Long) return -compareLongToDouble(b, a.value);
  return compareDoubles(a.value, b.value);
}

/** Compares as MongoDB does, by UTF-8 bytes, which is the order of code points and not of UTF-16 units. */
export function compareStrings(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return unitOrder(left) - unitOrder(right);
  }
  return a.length - b.length;
}

const RANK_MISSING = 0;

const RANKS: ReadonlyMap<number, number> = new Map([
  [BsonType.minKey, -1],
  [BsonType.undefined, RANK_MISSING],
  [BsonType.null, 5],
  [BsonType.double, 10],
  [BsonType.int, 10],
  [BsonType.long, 10],
  [BsonType.decimal, 10],
  [BsonType.string, 15],
  [BsonType.symbol, 15],
  [BsonType.object, 20],
  [BsonType.array, 25],
  [BsonType.binData, 30],
  [BsonType.objectId, 35],
  [BsonType.bool, 40],
  [BsonType.date, 45],
  [BsonType.timestamp, 47],
  [BsonType.regex, 50],
  [BsonType.dbPointer, 55],
  [BsonType.javascript, 60],
  [BsonType.javascriptWithScope, 65],
  [BsonType.maxKey, 127],
]);

function compareSameRank(rank: number, a: Value, b: Value, texts: TextOrder): number {
  switch (rank) {
    case 10:
      return compareNumbers(a as NumberValue, b as NumberValue);
    case 15:
      return texts(textOf(a as string | BSONSymbol), textOf(b as string | BSONSymbol));
    case 20:
      return compareDocs(a as Doc, b as Doc, texts);
    case 25:
      return compareArrays(a as Value[], b as Value[], texts);
    case 30:
      return compareBinaries(a as Binary, b as Binary);
    case 35:
      return compareObjectIds(a as ObjectId, b as ObjectId);
    case 40:
      return Number(a) - Number(b);
    case 45:
      return compareDates(a as Date, b as Date);
    case 47:
      return (a as Timestamp).compare(b as Timestamp);
    case 50:
      return compareRegexes(a as BSONRegExp, b as BSONRegExp);
    case 55:
      return compareDBPointers(a as DBPointer, b as DBPointer);
    case 60:
      return compareStrings(String((a as Code).code), String((b as Code).code));
    case 65:
      return compareCodeWithScope(a as CodeWithScope, b as CodeWithScope);
  }
  return 0;
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
  // From here on b is either far from a or has no fraction, so that cutting it changes nothing.
  const other = BigInt(Math.trunc(b));
  return exact < other ? -1 : exact > other ? 1 : 0;
}

/** Surrogates stand for code points above U+FFFF, so they order behind the units U+E000 to U+FFFF. */
function unitOrder(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit;
}

function textOf(value: string | BSONSymbol): string {
  return value instanceof BSONSymbol ? value.value : value;
}

function compareDocs(a: Doc, b: Doc, texts: TextOrder): number {
  const others = b.entries();
  for (const [name, value] of a) {
    const other = others.next();
    if (other.done) return 1;
    const [otherName, otherValue] = other.value;
    const ranks = typeRank(value) - typeRank(otherValue);
    if (ranks !== 0) return ranks;
    const order = compareStrings(name, otherName) || compare(value, otherValue, texts);
    if (order !== 0) return order;
  }
  return a.size - b.size;
}

function compareArrays(a: readonly Value[], b: readonly Value[], texts: TextOrder): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const order = compare(a[i], b[i], texts);
    if (order !== 0) return order;
  }
  return a.length - b.length;
}

function compareBinaries(a: Binary, b: Binary): number {
  return a.position - b.position || a.sub_type - b.sub_type || Buffer.compare(a.value(), b.value());
}

function compareObjectIds(a: ObjectId, b: ObjectId): number {
  return a.equals(b) ? 0 : Buffer.compare(a.id, b.id);
}

function compareDates(a: Date, b: Date): number {
  const left = dateMillis(a);
  const right = dateMillis(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

function compareRegexes(a: BSONRegExp, b: BSONRegExp): number {
  return compareStrings(a.pattern, b.pattern) || compareStrings(a.options, b.options);
}

function compareDBPointers(a: DBPointer, b: DBPointer): number {
  return (
    Buffer.byteLength(a.namespace) - Buffer.byteLength(b.namespace) ||
    compareStrings(a.namespace, b.namespace) ||
    compareObjectIds(a.id, b.id)
  );
}

function compareCodeWithScope(a: CodeWithScope, b: CodeWithScope): number {
  return compareStrings(a.code, b.code) || compareDocs(a.scope, b.scope, compareStrings);
}
