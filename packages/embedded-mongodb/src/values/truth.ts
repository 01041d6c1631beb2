import { isNumber, type Maybe, type Value } from './value.ts';

/** True for all values except false, null, missing, and zero of any number type. */
export function isTrue(value: Maybe): boolean {
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null) return false;
  return !isNumber(value) || Number(value.toString()) !== 0;
}

/** True if a projection value includes or excludes a field, and is not an expression. */
export function isFlag(value: Value): boolean {
  return typeof value === 'boolean' || isNumber(value);
}
