import { Binary, BSONSymbol, Code, Decimal128, Double, Int32, Long, ObjectId, Timestamp } from 'bson';
import { pack, toDecimal, truncateDecimal } from '../decimal.ts';
import { badValue, DatabaseError, failedToParse } from '../errors.ts';
import { integerOf } from '../match-operators.ts';
import { inLong, toNumber } from '../numbers.ts';
import { isTrue } from '../truth.ts';
import {
  BsonType,
  dateFromMillis,
  dateMillis,
  isDoc,
  isNumber,
  type NumberValue,
  typeName,
  typeNumber,
  type Value,
} from '../value.ts';
import { parseDate } from './date-parsing.ts';
import { type Compiler, type Expression, folded, isNullish, namedArguments, type Operator, unaryOperator } from './operator.ts';
import { textOf } from './text-of.ts';

/** Conversions between types. */
export const CONVERSIONS: Readonly<Record<string, Operator>> = {
  $type: unaryOperator((value) => typeName(value)),
  $convert: convert,
  $toString: unaryOperator((value) =>
    value instanceof Binary ? binaryText(value) : isNullish(value) ? null : CONVERTERS.string(value),
  ),
  $toInt: to('int'),
  $toLong: to('long'),
  $toDouble: to('double'),
  $toDecimal: to('decimal'),
  $toBool: to('bool'),
  $toDate: to('date'),
  $toObjectId: to('objectId'),
};

function to(type: keyof typeof CONVERTERS): Operator {
  return unaryOperator((value) => (isNullish(value) ? null : CONVERTERS[type](value)));
}

/** `$convert` would ask for a format. */
function binaryText(value: Binary): string {
  const isUuid = value.sub_type === Binary.SUBTYPE_UUID && value.length() === 16;
  return isUuid ? value.toUUID().toString() : value.toString('base64');
}

function convert(operand: Value, compiler: Compiler, name: string): Expression {
  const codes = { notObject: 9, unknown: 9, absent: 9 };
  const doc = namedArguments(operand, ['input', 'to'], ['onError', 'onNull'], codes, name);
  const part = (key: string) => (doc.has(key) ? compiler.compile(doc.get(key) as Value) : undefined);
  const [input, target, onError, onNull] = ['input', 'to', 'onError', 'onNull'].map(part) as [
    Expression,
    Expression,
    Expression?,
    Expression?,
  ];
  const parts = [input, target, onError, onNull].filter((expression) => expression !== undefined);
  return folded(parts, (root) => {
    const value = input.evaluate(root);
    const wanted = target.evaluate(root);
    if (isNullish(value)) return onNull === undefined ? null : onNull.evaluate(root);
    if (isNullish(wanted)) return null;
    const converter = CONVERTERS[typeWanted(wanted)];
    try {
      return converter(value);
    } catch (error) {
      if (onError !== undefined && error instanceof DatabaseError && error.code === 241) return onError.evaluate(root);
      throw error;
    }
  });
}

const CONVERTERS = {
  string: (value: Value) => {
    const hasText =
      value instanceof Timestamp || value instanceof Code || value instanceof BSONSymbol ? undefined : textOf(value);
    return hasText ?? fail(value, 'string');
  },
  bool: (value: Value) => isTrue(value),
  int: (value: Value) => {
    const whole = wholeNumber(value, 'int');
    if (BigInt.asIntN(32, whole) !== whole)
      throw conversionFailure('Conversion would overflow target type in $convert with no onError value');
    return new Int32(Number(whole));
  },
  long: (value: Value) => Long.fromBigInt(value instanceof Date ? BigInt(dateMillis(value)) : wholeNumber(value, 'long')),
  double: (value: Value) => new Double(toDouble(value)),
  decimal: (value: Value) => toDecimal128(value),
  date: (value: Value) => toDate(value),
  objectId: (value: Value) => {
    if (value instanceof ObjectId) return value;
    if (typeof value !== 'string') return fail(value, 'objectId');
    if (!/^[0-9a-fA-F]{24}$/.test(value))
      throw conversionFailure(`Failed to parse objectId '${value}' in $convert with no onError value`);
    return new ObjectId(value);
  },
} as const;

function typeWanted(wanted: Value): keyof typeof CONVERTERS {
  if (isDoc(wanted)) return fail(wanted, 'document');
  if (typeof wanted === 'string') {
    if (Object.hasOwn(CONVERTERS, wanted)) return wanted as keyof typeof CONVERTERS;
    if (!Object.hasOwn(BsonType, wanted)) throw badValue(`Unknown type name: ${wanted}`);
    throw conversionFailure(`Unsupported conversion to ${wanted} in $convert with no onError value`);
  }
  const number = isNumber(wanted) ? integerOf(wanted) : undefined;
  if (number === undefined) throw failedToParse("$convert's 'to' argument must be a string or number");
  const name = Object.entries(BsonType).find(([, type]) => type === Number(number))?.[0];
  if (name === undefined)
    throw failedToParse(`In $convert, numeric value for 'to' does not correspond to a BSON type: ${number}`);
  if (Object.hasOwn(CONVERTERS, name)) return name as keyof typeof CONVERTERS;
  throw conversionFailure(`Unsupported conversion to ${name} in $convert with no onError value`);
}

function conversionFailure(message: string): DatabaseError {
  return new DatabaseError(241, message);
}

function fail(value: Value, type: string): never {
  throw conversionFailure(`Unsupported conversion from ${typeName(value)} to ${type} in $convert with no onError value`);
}

function wholeNumber(value: Value, type: 'int' | 'long'): bigint {
  if (typeof value === 'boolean') return value ? 1n : 0n;
  if (typeof value === 'string') {
    if (!/^[+-]?\d+$/.test(value)) throw conversionFailure(`Failed to parse number '${value}' in $convert with no onError value`);
    return inRange(BigInt(value.replace('+', '')));
  }
  if (!isNumber(value)) return fail(value, type);
  const decimal = toDecimal(value, false);
  if (decimal.kind === 'nan')
    throw conversionFailure('Attempt to convert NaN value to integer type in $convert with no onError value');
  if (decimal.kind === 'infinite')
    throw conversionFailure('Attempt to convert infinity value to integer type in $convert with no onError value');
  return inRange(decimal.exponent > 20 && decimal.coefficient !== 0n ? undefined : truncateDecimal(decimal));
}

function inRange(whole: bigint | undefined): bigint {
  if (whole === undefined || inLong(whole) === undefined)
    throw conversionFailure('Conversion would overflow target type in $convert with no onError value');
  return whole;
}

function toDouble(value: Value): number {
  if (typeof value === 'boolean') return Number(value);
  if (value instanceof Date) return Number(dateMillis(value));
  if (typeof value === 'string') {
    if (!/^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$|^[+-]?(inf(inity)?|nan)$/i.test(value)) {
      throw conversionFailure(`Failed to parse number '${value}' in $convert with no onError value`);
    }
    if (/nan/i.test(value)) return Number.NaN;
    if (/inf/i.test(value)) return value.startsWith('-') ? -Infinity : Infinity;
    const parsed = Number(value);
    if (!Number.isFinite(parsed))
      throw conversionFailure(`Failed to parse number '${value}' in $convert with no onError value: Out of range`);
    return parsed;
  }
  if (!isNumber(value)) return fail(value, 'double');
  const number = toNumber(value);
  const overflown = value instanceof Decimal128 && !Number.isFinite(number) && toDecimal(value).kind === 'finite';
  if (overflown) throw conversionFailure('Conversion would overflow target type in $convert with no onError value');
  return number;
}

function toDecimal128(value: Value): Decimal128 {
  if (value instanceof Decimal128) return value;
  if (typeof value === 'boolean') return Decimal128.fromString(value ? '1' : '0');
  if (value instanceof Date) return Decimal128.fromString(String(dateMillis(value)));
  if (typeof value === 'string') {
    try {
      return Decimal128.fromStringWithRounding(value);
    } catch {
      throw conversionFailure(`Failed to parse number '${value}' in $convert with no onError value`);
    }
  }
  return isNumber(value) ? decimalOf(value) : fail(value, 'decimal');
}

function decimalOf(value: NumberValue): Decimal128 {
  return pack(toDecimal(value));
}

function toDate(value: Value): Date {
  if (value instanceof Date) return value;
  if (value instanceof ObjectId) return value.getTimestamp();
  if (value instanceof Timestamp) return new Date((value.high >>> 0) * 1000);
  if (typeof value === 'string') return parseDate(value);
  if (!isNumber(value) || typeNumber(value) === BsonType.int) return fail(value, 'date');
  return dateFromMillis(wholeNumber(value, 'long'));
}
