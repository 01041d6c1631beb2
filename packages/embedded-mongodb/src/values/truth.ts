import { isNumber, type Maybe } from './value.ts';

/** Whether a value counts as true: all but false, null, missing and zero of any number type. */
export function isTrue(value: Maybe): boolean {
  if (typeof value === 'boolean') return value;
  if (value === undefined || value === null) return false;
  return !isNumber(value) || Number(value.toString()) !== 0;
}
