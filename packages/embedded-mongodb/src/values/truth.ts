import { isNumber, type Maybe, type Value } from './value.ts';

/** Whether a value counts as true: all but false, null, missing and zero of any number type. */
export function isTrue(value: Maybe): boolean {
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null) return false;
  return !isNumber(value) || Number(value.toString()) !== 0;
}

/** Whether a value says by its truth alone what becomes of a field that is projected. */
export function isFlag(value: Value): boolean {
  return typeof value === 'boolean' || isNumber(value);
}
