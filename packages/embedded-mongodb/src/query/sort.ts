import { Double } from 'bson';
import { compare } from './compare.ts';
import type { Context } from './context.ts';
import { badValue, DatabaseError } from './errors.ts';
import { integerOf } from './match-operators.ts';
import { isIndex } from './path.ts';
import { type Doc, isDoc, isNumber, UNDEFINED, type Value } from './value.ts';

/** A sort specification, compiled. */
export interface Sort {
  /** Compares two documents. */
  compare(a: Doc, b: Doc): number;
  /** The values that a document is sorted by, one per part, so that each document's are found but once. */
  keyOf(doc: Doc): Value[];
  /** Compares two results of `keyOf`. */
  compareKeys(a: readonly Value[], b: readonly Value[]): number;
}

/** Compiles a sort such as `{ room: 1, seq: -1, score: { $meta: 'textScore' } }`. */
export function compileSort(spec: Doc, context: Context = {}): Sort {
  const parts = [...spec].map(([path, value]) => sortPart(path, value, context));
  const keyOf = (doc: Doc) => parts.map((part) => part.key(doc));
  const compareKeys = (a: readonly Value[], b: readonly Value[]) => {
    for (let i = 0; i < parts.length; i++) {
      const order = compare(a[i], b[i], context.texts);
      if (order !== 0) return order * (parts[i] as SortPart).direction;
    }
    return 0;
  };
  return { keyOf, compareKeys, compare: (a, b) => compareKeys(keyOf(a), keyOf(b)) };
}

/** The documents in the order of a sort; equal ones stay as they came. */
export function sortDocs(docs: Iterable<Doc>, sort: Sort): Doc[] {
  const keyed = Array.from(docs, (doc) => ({ doc, key: sort.keyOf(doc) }));
  return keyed.sort((a, b) => sort.compareKeys(a.key, b.key)).map(({ doc }) => doc);
}

interface SortPart {
  readonly direction: 1 | -1;
  readonly key: (doc: Doc) => Value;
}

function sortPart(path: string, value: Value, context: Context): SortPart {
  if (isDoc(value)) return metaPart(value, context);
  if (path === '') throw new DatabaseError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.startsWith('$'))
    throw new DatabaseError(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`);
  if (path.split('.').includes('')) throw new DatabaseError(15998, 'FieldPath field names may not be empty strings.');
  if (!isNumber(value)) throw new DatabaseError(15974, `Illegal key in $sort specification: ${path}: ${String(value)}`);
  const direction = integerOf(value);
  if (direction !== 1n && direction !== -1n)
    throw new DatabaseError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
  const parts = path.split('.');
  const descending = direction === -1n;
  const better = (a: Value, b: Value) => (compare(a, b, context.texts) < 0 === descending ? b : a);
  return { direction: descending ? -1 : 1, key: (doc) => keysAt(doc, parts, 0, better) };
}

function metaPart(value: Doc, context: Context): SortPart {
  if (value.size !== 1 || !value.has('$meta'))
    throw new DatabaseError(17312, '$meta is the only expression supported by $sort right now');
  if (value.get('$meta') !== 'textScore') throw badValue(`Illegal $meta sort: $meta: ${String(value.get('$meta'))}`);
  const { textScore } = context;
  if (textScore === undefined) throw new DatabaseError(40218, 'query requires text score metadata, but it is not available');
  return { direction: -1, key: (doc) => new Double(textScore(doc) ?? 0) };
}

/** The value of a path for sorting: of several, through arrays, the least (or greatest when descending); null where there is none. */
function keysAt(value: Value | undefined, parts: readonly string[], at: number, better: (a: Value, b: Value) => Value): Value {
  if (Array.isArray(value)) return keyOfArray(value, parts, at, better);
  if (at === parts.length) return value === undefined ? null : value;
  return isDoc(value) ? keysAt(value.get(parts[at] as string), parts, at + 1, better) : null;
}

function keyOfArray(items: readonly Value[], parts: readonly string[], at: number, better: (a: Value, b: Value) => Value): Value {
  if (at === parts.length) return items.length === 0 ? UNDEFINED : items.reduce(better);
  const part = parts[at] as string;
  if (isIndex(part) && Number(part) < items.length) return keysAt(items[Number(part)], parts, at + 1, better);
  if (items.length === 0) return null;
  return items.map((item) => (isDoc(item) ? keysAt(item, parts, at, better) : null)).reduce(better);
}
