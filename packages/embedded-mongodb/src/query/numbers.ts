import { Decimal128, Double, Int32, Long } from 'bson';
import { addDecimals, multiplyDecimals, pack, toDecimal } from './decimal.ts';
import { typeMismatch } from './errors.ts';
import { type NumberValue, typeName, type Value } from './value.ts';

/** The sum in the wider of both types, int32 giving way to int64; `undefined` where int64 overflows. */
export function add(a: NumberValue, b: NumberValue): NumberValue | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) return pack(addDecimals(toDecimal(a), toDecimal(b)));
  if (a instanceof Double || b instanceof Double) return new Double(toNumber(a) + toNumber(b));
  if (a instanceof Int32 && b instanceof Int32) return intOrLong(a.value + b.value);
  return inLong(toBigInt(a) + toBigInt(b));
}

/** The product, by the same rules. */
export function multiply(a: NumberValue, b: NumberValue): NumberValue | undefined {
  if (a instanceof Decimal128 || b instanceof Decimal128) return pack(multiplyDecimals(toDecimal(a), toDecimal(b)));
  if (a instanceof Double || b instanceof Double) return new Double(toNumber(a) * toNumber(b));
  const product = toBigInt(a) * toBigInt(b);
  if (a instanceof Int32 && b instanceof Int32 && BigInt.asIntN(32, product) === product) return new Int32(Number(product));
  return inLong(product);
}

/** A number as a double, rounded where it has more digits. */
export function toNumber(value: NumberValue): number {
  if (value instanceof Int32 || value instanceof Double) return value.value;
  return value instanceof Long ? value.toNumber() : Number(value.toString());
}

/** An int32 or int64 as a bigint. */
export function toBigInt(value: Int32 | Long): bigint {
  // The library's own goes by way of decimal digits.
  return value instanceof Int32 ? BigInt(value.value) : (BigInt(value.high) << 32n) | BigInt(value.low >>> 0);
}

/** A field that must be an int64, or an int32, as drivers shorten it. */
export function longField(value: Value, name: string): bigint {
  if (value instanceof Int32 || value instanceof Long) return toBigInt(value);
  throw typeMismatch(`BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'long'`);
}

/** A whole number as int32 where it fits, as int64 otherwise. */
export function intOrLong(value: number): Int32 | Long {
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}

/** A whole number as int64, `undefined` where it does not fit. */
export function inLong(value: bigint): Long | undefined {
  return BigInt.asIntN(64, value) === value ? Long.fromBigInt(value) : undefined;
}

/** Zero in the type of a number. */
export function zeroLike(value: NumberValue): NumberValue {
  if (value instanceof Int32) return new Int32(0);
  if (value instanceof Long) return Long.fromInt(0);
  return value instanceof Double ? new Double(0) : Decimal128.fromString('0');
}

/** The number with its sign turned; the least int of its size becomes wider. */
export function negate(value: NumberValue): NumberValue {
  if (value instanceof Int32) return intOrLong(-value.value || 0);
  if (value instanceof Double) return new Double(-value.value);
  if (value instanceof Long) return inLong(-value.toBigInt()) ?? new Double(2 ** 63);
  const text = value.toString();
  return Decimal128.fromString(text.startsWith('-') ? text.slice(1) : text === 'NaN' ? text : `-${text}`);
}
