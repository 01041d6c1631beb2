import { Double } from 'bson';
import { compare } from './compare.ts';
import { isDoc, type Maybe, OpaqueValue, typeNumber, type Value } from './value.ts';

/**
 * True if two values are bitwise identical. Unlike in `equals`, types, field order and the sign of
 * zero count.
 */
export function identical(a: Maybe, b: Maybe): boolean {
  if (a === b) return true;
  if (a === undefined || b === undefined || typeNumber(a) !== typeNumber(b)) return false;
  if (Array.isArray(a)) return identicalArrays(a, b as Value[]);
  if (isDoc(a)) return identicalEntries([...a], [...(b as typeof a)]);
  if (a instanceof OpaqueValue) return Buffer.compare(a.bytes, (b as OpaqueValue).bytes) === 0;
  return compare(a, b) === 0 && !(a instanceof Double && Object.is(a.value, -0) !== Object.is((b as Double).value, -0));
}

function identicalArrays(a: readonly Value[], b: readonly Value[]): boolean {
  return a.length === b.length && a.every((item, i) => identical(item, b[i]));
}

function identicalEntries(a: readonly [string, Value][], b: readonly [string, Value][]): boolean {
  return a.length === b.length && a.every(([name, value], i) => name === b[i]?.[0] && identical(value, b[i]?.[1]));
}
