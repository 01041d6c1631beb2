import { Binary, BSONRegExp, BSONSymbol, Decimal128, Double, Int32, Long, type MaxKey, type MinKey, ObjectId } from 'bson';
import { compare, compareStrings, type TextOrder, typeRank } from './compare.ts';
import { toDecimal, truncateDecimal } from './decimal.ts';
import { badValue, failedToParse, typeMismatch } from './errors.ts';
import { compileRegex } from './regex.ts';
import { BsonType, isDoc, isNumber, type NumberValue, typeNumber, type Value } from './value.ts';

/** A test of one value, `undefined` for a missing one. */
export type Predicate = (value: Value | undefined) => boolean;

/** The comparisons of the query language. */
export type Comparison = '$eq' | '$lt' | '$lte' | '$gt' | '$gte';

/** A comparison with a constant: only values of the same kind compare, NaN equals itself alone, null equals missing. */
export function comparison(operator: Comparison, operand: Value, texts: TextOrder = compareStrings): Predicate {
  const rank = typeRank(operand);
  if (operator === '$eq') return equality(operand, rank, texts);
  const orEqual = operator === '$lte' || operator === '$gte';
  const less = operator === '$lt' || operator === '$lte';
  if (operand === null) return (value) => orEqual && (value === null || value === undefined);
  if (isNaNValue(operand)) return (value) => orEqual && isNaNValue(value);
  const otherKinds = isBoundary(operand) && less === rank > 0;
  return (value) => {
    if (value === undefined || typeRank(value) !== rank) return otherKinds;
    if (isNaNValue(value)) return false;
    const order = compare(value, operand, texts);
    return order === 0 ? orEqual : order < 0 === less;
  };
}

/** Membership in a list of constants and regular expressions. */
export function membership(items: readonly Value[], texts: TextOrder = compareStrings): Predicate {
  const patterns = items.filter((item) => item instanceof BSONRegExp).map((pattern) => regex(pattern));
  const constants = items.filter((item) => !(item instanceof BSONRegExp)).sort((a, b) => compare(a, b, texts));
  const hasNull = constants.includes(null);
  return (value) => {
    if (value === undefined) return hasNull;
    return contains(constants, value, texts) || patterns.some((test) => test(value));
  };
}

/** A regular expression: it finds itself in texts, and equals the same expression. */
export function regex(pattern: BSONRegExp): Predicate {
  const compiled = compileRegex(pattern.pattern, pattern.options);
  return (value) => {
    if (typeof value === 'string') return compiled.test(value);
    if (value instanceof BSONSymbol) return compiled.test(value.value);
    return value instanceof BSONRegExp && value.pattern === pattern.pattern && value.options === pattern.options;
  };
}

/** `$type`: one type or a list of them, by number or by name. */
export function typeTest(operand: Value): Predicate {
  const types = new Set((Array.isArray(operand) ? operand : [operand]).flatMap(typesNamed));
  if (types.size === 0) throw failedToParse('$type must match at least one type');
  return (value) => value !== undefined && types.has(typeNumber(value));
}

/** `$mod`: numbers cut to whole ones. */
export function modulo(operand: Value): Predicate {
  if (!Array.isArray(operand)) throw badValue('malformed mod, needs to be an array');
  if (operand.length < 2) throw badValue('malformed mod, not enough elements');
  if (operand.length > 2) throw badValue('malformed mod, too many elements');
  const [divisor, remainder] = operand.map((part, i) => {
    if (!isNumber(part)) throw badValue(`malformed mod, ${i === 0 ? 'divisor' : 'remainder'} not a number`);
    const whole = wholePart(part);
    if (whole === undefined) throw badValue(`malformed mod, ${i === 0 ? 'divisor' : 'remainder'} value is invalid`);
    return whole;
  }) as [bigint, bigint];
  if (divisor === 0n) throw badValue('divisor cannot be 0');
  return (value) => {
    if (!isNumber(value)) return false;
    const whole = wholePart(value);
    return whole !== undefined && whole % divisor === remainder;
  };
}

/** `$size`: arrays of exactly that length. */
export function sizeTest(operand: Value): Predicate {
  if (!isNumber(operand)) throw badValue(`Failed to parse $size. Expected a number in: $size: ${String(operand)}`);
  const size = integerOf(operand);
  if (size === undefined) throw badValue(`Failed to parse $size. Expected an integer: $size: ${operand}`);
  if (size < 0) throw badValue(`Failed to parse $size. Expected a non-negative number in: $size: ${operand}`);
  return (value) => Array.isArray(value) && value.length === Number(size);
}

/** The bit tests of the query language. */
export type BitTest = '$bitsAllSet' | '$bitsAllClear' | '$bitsAnySet' | '$bitsAnyClear';

/** `$bits...`: a mask as number, binary data or list of positions, against whole numbers and binary data. */
export function bitTest(operator: BitTest, operand: Value): Predicate {
  const positions = bitPositions(operator, operand);
  const wanted = operator.endsWith('Set');
  const all = operator.startsWith('$bitsAll');
  return (value) => {
    const isSet = bitsOf(value);
    if (isSet === undefined) return false;
    for (const bit of positions()) if ((isSet(bit) === wanted) !== all) return !all;
    return all;
  };
}

/** A whole number that a number of any type stands for, `undefined` if it has a fraction or is out of int64. */
export function integerOf(value: NumberValue): bigint | undefined {
  if (value instanceof Int32) return BigInt(value.value);
  if (value instanceof Long) return value.toBigInt();
  if (value instanceof Double) return Number.isInteger(value.value) ? inInt64(BigInt(value.value)) : undefined;
  const decimal = toDecimal(value, false);
  const whole = decimal.kind === 'finite' && decimal.exponent < 100 ? truncateDecimal(decimal) : undefined;
  if (whole === undefined || compare(value, Decimal128.fromString(String(whole))) !== 0) return undefined;
  return inInt64(whole);
}

function equality(operand: Value, rank: number, texts: TextOrder): Predicate {
  if (operand === null) return (value) => value === null || value === undefined;
  if (typeof operand === 'string' && texts === compareStrings) {
    return (value) => value === operand || (value instanceof BSONSymbol && value.value === operand);
  }
  if (operand instanceof ObjectId) return (value) => value instanceof ObjectId && value.equals(operand);
  if (operand instanceof Int32) {
    const number = operand.value;
    return (value) => (value instanceof Int32 ? value.value === number : isNumber(value) && compare(value, operand) === 0);
  }
  return (value) => value !== undefined && typeRank(value) === rank && compare(value, operand, texts) === 0;
}

function contains(sorted: readonly Value[], value: Value, texts: TextOrder): boolean {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compare(value, sorted[middle], texts);
    if (order === 0) return true;
    if (order < 0) high = middle - 1;
    else low = middle + 1;
  }
  return false;
}

function isBoundary(value: Value): value is MinKey | MaxKey {
  const type = typeNumber(value);
  return type === BsonType.minKey || type === BsonType.maxKey;
}

function isNaNValue(value: Value | undefined): boolean {
  if (value instanceof Double) return Number.isNaN(value.value);
  return value instanceof Decimal128 && toDecimal(value).kind === 'nan';
}

function typesNamed(type: Value): number[] {
  if (typeof type === 'string') {
    if (type === 'number') return [BsonType.int, BsonType.long, BsonType.double, BsonType.decimal];
    if (Object.hasOwn(BsonType, type)) return [BsonType[type as keyof typeof BsonType]];
    throw badValue(`Unknown type name alias: ${type}`);
  }
  if (!isNumber(type)) throw typeMismatch('type must be represented as a number or a string');
  const number = Number(type.toString());
  if (!Object.values(BsonType).includes(number as never)) throw badValue(`Invalid numerical type code: ${type}`);
  return [number];
}

function wholePart(value: NumberValue): bigint | undefined {
  if (value instanceof Int32) return BigInt(value.value);
  if (value instanceof Long) return value.toBigInt();
  if (value instanceof Double) return Number.isFinite(value.value) ? inInt64(BigInt(Math.trunc(value.value))) : undefined;
  const decimal = toDecimal(value);
  if (decimal.kind === 'finite' && decimal.exponent > 20) return undefined;
  const whole = truncateDecimal(decimal);
  return whole === undefined ? undefined : inInt64(whole);
}

function inInt64(value: bigint): bigint | undefined {
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** The positions of a mask, found while they are asked for: binary data may have a hundred million of them. */
function bitPositions(operator: string, operand: Value): () => Iterable<number> {
  if (Array.isArray(operand)) {
    const positions = operand.map((bit) => {
      const position = isNumber(bit) ? integerOf(bit) : undefined;
      if (position === undefined) throw badValue(`Failed to parse bit position. Expected a number in: ${operator}`);
      if (position < 0n) throw badValue(`Failed to parse bit position. Expected a non-negative number in: ${operator}`);
      return Number(position);
    });
    return () => positions;
  }
  if (operand instanceof Binary) return () => setBits(bitsOf(operand) as (bit: number) => boolean, operand.length() * 8);
  const mask = isNumber(operand) ? integerOf(operand) : undefined;
  if (mask === undefined) throw badValue(`${operator} takes an Array, a number, or a BinData but received: ${kindOf(operand)}`);
  if (mask < 0n) throw failedToParse(`Failed to parse bit mask. Expected a non-negative number in: ${operator}: ${mask}`);
  const positions = [...setBits((bit) => ((mask >> BigInt(bit)) & 1n) === 1n, 64)];
  return () => positions;
}

function* setBits(isSet: (bit: number) => boolean, length: number): Generator<number> {
  for (let bit = 0; bit < length; bit++) if (isSet(bit)) yield bit;
}

function kindOf(value: Value): string {
  return isDoc(value) ? 'object' : String(value);
}

function bitsOf(value: Value | undefined): ((bit: number) => boolean) | undefined {
  if (value instanceof Binary) {
    const bytes = value.value();
    return (bit) => (((bytes[bit >> 3] ?? 0) >> (bit & 7)) & 1) === 1;
  }
  const whole = isNumber(value) ? integerOf(value) : undefined;
  if (whole === undefined) return undefined;
  // Beyond bit 63 an int64 goes on with its sign.
  return (bit) => ((whole >> BigInt(Math.min(bit, 63))) & 1n) === 1n;
}
