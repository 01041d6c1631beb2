import { Binary, Double, Int32, ObjectId } from 'bson';
import { compareNumbers } from './compare.ts';
import { notSupported } from './errors.ts';
import { isDoc, isNumber, type NumberValue, typeName, type Value } from './value.ts';

/**
 * A string that is the same for two values if and only if MongoDB considers them equal, whatever
 * their number types. Used for grouping and joining.
 */
export function hashKey(value: Value): string {
  if (typeof value === 'string') return keyOfText(value);
  if (isNumber(value)) return `n${numberKey(value)}`;
  if (value instanceof ObjectId) return `o${value.toHexString()}`;
  if (value === null) return '0';
  if (typeof value === 'boolean') return value ? 't' : 'f';
  if (value instanceof Date) return `d${value.getTime()}`;
  if (Array.isArray(value)) return `[${value.map(hashKey).join()}]`;
  if (isDoc(value)) return `{${Array.from(value, ([name, field]) => keyOfText(name) + hashKey(field)).join()}}`;
  if (value instanceof Binary) return `b${value.sub_type}:${Buffer.from(value.value()).toString('base64')}`;
  throw notSupported(`grouping by values of the type ${typeName(value)} is not supported`);
}

function keyOfText(text: string): string {
  return `s${text.length}:${text}`;
}

function numberKey(value: NumberValue): string {
  if (value instanceof Int32) return String(value.value);
  // Numbers that a double can hold are formatted as doubles, so that all number types share a key.
  if (value instanceof Double) return String(value.value === 0 ? 0 : value.value);
  const double = value.toNumber();
  return compareNumbers(value, new Double(double)) === 0 ? String(double) : `${value}e0`;
}
