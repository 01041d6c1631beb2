import { Double, Int32, Long } from 'bson';
import { typeMismatch } from './errors.ts';
import { type NumberValue, typeName, type Value } from './value.ts';

/** The sum in the wider of both types, int32 giving way to int64; `undefined` where int64 overflows. */
export function add(a: NumberValue, b: NumberValue): NumberValue | undefined {
  if (a instanceof Double || b instanceof Double) return new Double(toNumber(a) + toNumber(b));
  if (a instanceof Int32 && b instanceof Int32) return intOrLong(a.value + b.value);
  return inLong(toBigInt(a) + toBigInt(b));
}

/** A number as a double, rounded where it has more digits. */
export function toNumber(value: NumberValue): number {
  return value instanceof Long ? value.toNumber() : value.value;
}

/** An int32 or int64 as a bigint. */
export function toBigInt(value: Int32 | Long): bigint {
  // The library's own goes by way of decimal digits.
  return value instanceof Int32 ? BigInt(value.value) : (BigInt(value.high) << 32n) | BigInt(value.low >>> 0);
}

/** A whole number that a number of any type stands for, `undefined` if it has a fraction or is too large to count with. */
export function integerOf(value: NumberValue): number | undefined {
  const number = toNumber(value);
  return Number.isSafeInteger(number) ? number : undefined;
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
