import { compare } from '../values/compare.ts';
import { DatabaseError } from '../values/errors.ts';
import { integerOf } from '../values/numbers.ts';
import { isIndex } from '../values/path.ts';
import { type Doc, isDoc, isNumber, type Maybe, type Value } from '../values/value.ts';

/** A compiled sort specification. */
export type Sort = {
  /**
   * The sort values of a document, one per part of the specification. Call it once per document.
   */
  keyOf(doc: Doc): Maybe[];
  /** Compares two results of `keyOf`. */
  compareKeys(a: readonly Maybe[], b: readonly Maybe[]): number;
};

/** Compiles a sort such as `{ room: 1, seq: -1 }`. */
export function compileSort(spec: Doc): Sort {
  const parts = [...spec].map(([path, value]) => sortPart(path, value));
  return {
    keyOf: (doc) => parts.map((part) => part.key(doc)),
    compareKeys(a, b) {
      for (let i = 0; i < parts.length; i++) {
        const order = compare(a[i], b[i]);
        if (order !== 0) return order * (parts[i] as SortPart).direction;
      }
      return 0;
    },
  };
}

type SortPart = {
  readonly direction: 1 | -1;
  readonly key: (doc: Doc) => Maybe;
};

function sortPart(path: string, value: Value): SortPart {
  if (path === '') throw new DatabaseError(40352, 'FieldPath cannot be constructed with empty string');
  if (path.startsWith('$')) throw new DatabaseError(16410, "FieldPath field names may not start with '$'.");
  const parts = path.split('.');
  if (parts.includes('')) throw new DatabaseError(15998, 'FieldPath field names may not be empty strings.');
  if (!isNumber(value)) throw new DatabaseError(15974, `Illegal key in $sort specification: ${path}`);
  const direction = integerOf(value);
  if (direction !== 1 && direction !== -1)
    throw new DatabaseError(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)');
  const better = (a: Maybe, b: Maybe) => (compare(a, b) < 0 === direction < 0 ? b : a);
  return { direction, key: (doc) => keyAt(doc, parts, 0, better) };
}

type Choice = (a: Maybe, b: Maybe) => Maybe;

/**
 * The sort value of a path. If arrays lead to several values, it is the least, or the greatest for
 * a descending sort. A missing value is null.
 */
function keyAt(value: Maybe, parts: readonly string[], at: number, better: Choice): Maybe {
  if (Array.isArray(value)) return keyOfArray(value, parts, at, better);
  if (at === parts.length) return value === undefined ? null : value;
  return isDoc(value) ? keyAt(value.get(parts[at] as string), parts, at + 1, better) : null;
}

/** An empty array sorts before null, and a missing value sorts as null. */
function keyOfArray(items: readonly Maybe[], parts: readonly string[], at: number, better: Choice): Maybe {
  if (at === parts.length) return items.length === 0 ? undefined : items.reduce(better);
  const part = parts[at] as string;
  if (isIndex(part) && Number(part) < items.length) return keyAt(items[Number(part)], parts, at + 1, better);
  if (items.length === 0) return null;
  return items.map<Maybe>((item) => (isDoc(item) ? keyAt(item, parts, at, better) : null)).reduce(better);
}
