import { Double, Int32, Long } from 'bson';
import { typeMismatch } from './errors.ts';
import { type NumberValue, typeName, type Value } from './value.ts';

/**
 * The sum in the wider type of both. An int32 that overflows becomes an int64; `undefined` if an
 * int64 overflows.
 */
export function add(a: NumberValue, b: NumberValue): NumberValue | undefined {
  if (a instanceof Double || b instanceof Double) return new Double(toNumber(a) + toNumber(b));
  if (a instanceof Int32 && b instanceof Int32) return intOrLong(a.value + b.value);
  return inLong(toBigInt(a) + toBigInt(b));
}

/** Converts a number to a double, which may round it. */
export function toNumber(value: NumberValue): number {
  return value instanceof Long ? value.toNumber() : value.value;
}

/** Converts an int32 or int64 to a bigint. */
export function toBigInt(value: Int32 | Long): bigint {
  // The library's own conversion goes through decimal digits.
  return value instanceof Int32 ? BigInt(value.value) : (BigInt(value.high) << 32n) | BigInt(value.low >>> 0);
}

/** The value as a safe integer; `undefined` if it has a fraction or is too large. */
export function integerOf(value: NumberValue): number | undefined {
  const number = toNumber(value);
  return Number.isSafeInteger(number) ? number : undefined;
}

/** Reads an int64 field. Drivers may send it as an int32. */
export function longField(value: Value, name: string): bigint {
  if (value instanceof Int32 || value instanceof Long) return toBigInt(value);
  throw typeMismatch(`BSON field '${name}' is the wrong type '${typeName(value)}', expected type 'long'`);
}

/** An integer as an int32 if it fits, otherwise as an int64. */
export function intOrLong(value: number): Int32 | Long {
  return value === (value | 0) ? new Int32(value) : Long.fromNumber(value);
}

/** An integer as an int64; `undefined` if it does not fit. */
export function inLong(value: bigint): Long | undefined {
  return BigInt.asIntN(64, value) === value ? Long.fromBigInt(value) : undefined;
}
