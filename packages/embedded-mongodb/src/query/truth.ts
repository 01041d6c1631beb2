import { Decimal128, Double, Int32, type Long } from 'bson';
import { isZero, toDecimal } from './decimal.ts';
import { isWhole, UNDEFINED, type Value } from './value.ts';

/** Whether a value counts as true: all but false, null, undefined, missing and zero of any number type. */
export function isTrue(value: Value | undefined): boolean {
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null || value === UNDEFINED) return false;
  if (value instanceof Int32 || value instanceof Double) return value.value !== 0;
  if (value instanceof Decimal128) return !isZero(toDecimal(value));
  return !isWhole(value) || !(value as Long).isZero();
}
