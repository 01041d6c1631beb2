import { Binary } from 'bson';
import { isDoc, type Maybe, OpaqueValue } from './value.ts';

/** Approximate memory of a decoded value, in bytes. */
export function sizeOf(value: Maybe): number {
  if (typeof value === 'string') return 24 + 2 * value.length;
  if (typeof value !== 'object' || value === null) return 8;
  if (isDoc(value)) {
    let size = 100;
    for (const [name, field] of value) size += 40 + name.length + sizeOf(field);
    return size;
  }
  if (Array.isArray(value)) return value.reduce<number>((size, item) => size + 8 + sizeOf(item), 40);
  if (value instanceof OpaqueValue) return 60 + value.bytes.length;
  return value instanceof Binary ? 100 + value.position : 50;
}
