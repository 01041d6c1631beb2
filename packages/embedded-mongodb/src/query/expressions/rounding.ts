import { Decimal128, Double, Int32 } from 'bson';
import { divideRound, type FiniteDecimal, pack, toDecimal } from '../decimal.ts';
import { DatabaseError } from '../errors.ts';
import { inLong, intOrLong, toBigInt } from '../numbers.ts';
import type { NumberValue } from '../value.ts';

/** Which way to round what lies between two places. */
export type Rounding = 'even' | 'zero' | 'up' | 'down';

/** Rounds to a number of places behind the point (before it, if negative); the type stays, int32 giving way to int64. */
export function rounded(value: NumberValue, places: number, how: Rounding): NumberValue {
  if (value instanceof Double) return new Double(roundedDouble(value.value, places, how));
  if (value instanceof Decimal128) return roundedDecimal(value, places, how);
  if (places >= 0) return value;
  const unit = 10n ** BigInt(-places);
  const whole = toBigInt(value);
  const quotient = divided(whole < 0n ? -whole : whole, unit, whole < 0n, how) * unit;
  const result = whole < 0n ? -quotient : quotient;
  if (value instanceof Int32) return intOrLong(Number(result));
  const long = inLong(result);
  if (long === undefined)
    throw new DatabaseError(
      51080,
      `invalid conversion from Decimal128 result in $round resulting from arguments: [${value}, ${places}]`,
    );
  return long;
}

/** A double is rounded by its exact value in decimal digits, as MongoDB does it, not by multiplying and dividing. */
function roundedDouble(value: number, places: number, how: Rounding): number {
  if (!Number.isFinite(value) || (Number.isInteger(value) && places >= 0)) return value;
  if (places === 0 && how === 'zero') return Math.trunc(value);
  if (places === 0 && how === 'up') return Math.ceil(value);
  if (places === 0 && how === 'down') return Math.floor(value);
  const result = Number(roundedDecimal(pack(toDecimal(new Double(value), false)), places, how).toString());
  return result === 0 && value < 0 ? -0 : result;
}

function roundedDecimal(value: Decimal128, places: number, how: Rounding): Decimal128 {
  const decimal = toDecimal(value);
  if (decimal.kind !== 'finite') return value;
  if (decimal.exponent >= -places) return padded(decimal, places) ?? value;
  const drop = -places - decimal.exponent;
  // Beyond all digits only the sign and the direction matter.
  const unit = 10n ** BigInt(Math.min(drop, 40));
  return pack({ ...decimal, coefficient: divided(decimal.coefficient, unit, decimal.negative, how), exponent: -places });
}

/** The same number with zeros up to the place, if its digits leave room for them. */
function padded(decimal: FiniteDecimal, places: number): Decimal128 | undefined {
  const coefficient = decimal.coefficient * 10n ** BigInt(Math.min(decimal.exponent + places, 100));
  return coefficient < 10n ** 34n ? pack({ ...decimal, coefficient, exponent: -places }) : undefined;
}

function divided(magnitude: bigint, unit: bigint, negative: boolean, how: Rounding): bigint {
  if (how === 'even') return divideRound(magnitude, unit);
  const away = how !== 'zero' && (how === 'up') !== negative;
  return away ? (magnitude + unit - 1n) / unit : magnitude / unit;
}
