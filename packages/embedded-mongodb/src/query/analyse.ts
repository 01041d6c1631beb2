import { BSONRegExp, Decimal128, Double } from 'bson';
import { isOperatorDoc } from './match-fields.ts';
import { literalPrefix } from './regex.ts';
import { BsonType, type Doc, isDoc, isNumber, typeNumber, UNDEFINED, type Value } from './value.ts';

/**
 * What a filter's AND-ed predicates demand of one path, in terms of a sorted index. It holds for index keys made as MongoDB makes
 * them: one key per array element, `UNDEFINED` for an empty array, null for a missing field.
 */
export interface PathBounds {
  /** Some key equals this value (null stands for null and missing). */
  eq?: Value;
  /** Some key equals one of these values. */
  in?: Value[];
  /** Some key is above; a range ends where the operand's type ends. */
  gt?: Value;
  gte?: Value;
  /** Some key is below. On a multikey index two bounds may be met by two elements: use only one of them there. */
  lt?: Value;
  lte?: Value;
  /** The keys within the bounds belong to matching documents only, as far as this path goes, if the index is not multikey. */
  exact: boolean;
}

/**
 * Lists what the top-level AND-ed predicates of a filter demand, by path. Every path that the filter speaks of is there; predicates
 * without a single path (`$or`, `$expr`, `$text` ...) stand under the empty path, inexact. A filter whose entries are all exact is
 * answered by an index over those paths alone; otherwise the documents found must be matched again.
 */
export function analyseFilter(filter: Doc): Map<string, PathBounds> {
  const paths = new Map<string, PathBounds>();
  addFilter(paths, filter, '', true);
  return paths;
}

function addFilter(paths: Map<string, PathBounds>, filter: Doc, prefix: string, exact: boolean): void {
  for (const [name, value] of filter) {
    if (name === '$and' && Array.isArray(value)) {
      for (const branch of value) if (isDoc(branch)) addFilter(paths, branch, prefix, exact);
    } else if (!name.startsWith('$')) {
      addField(paths, `${prefix}${name}`, value, exact);
    } else if (name !== '$comment') {
      boundsOf(paths, '').exact = false;
    }
  }
}

function addField(paths: Map<string, PathBounds>, path: string, value: Value, exact: boolean): void {
  const bounds = boundsOf(paths, path);
  if (!exact) bounds.exact = false;
  if (!isOperatorDoc(value)) addEquality(bounds, value);
  else for (const [operator, operand] of value) addOperator(paths, path, operator, operand, value);
}

function addOperator(paths: Map<string, PathBounds>, path: string, operator: string, operand: Value, all: Doc): void {
  const bounds = boundsOf(paths, path);
  switch (operator) {
    case '$eq':
      addEquality(bounds, operand);
      return;
    case '$in':
      addMembership(bounds, operand);
      return;
    case '$gt':
    case '$gte':
    case '$lt':
    case '$lte':
      addRange(bounds, operator.slice(1) as RangeName, operand);
      return;
    case '$regex':
      if (all.has('$options')) bounds.exact = false;
      else addRegex(bounds, typeof operand === 'string' ? new BSONRegExp(operand) : operand);
      return;
    case '$elemMatch':
      bounds.exact = false;
      if (isOperatorDoc(operand)) addField(paths, path, operand, false);
      else if (isDoc(operand)) addFilter(paths, operand, `${path}.`, false);
      return;
    case '$all':
      bounds.exact = false;
      if (Array.isArray(operand) && operand.length > 0) addField(paths, path, operand[0] as Value, false);
      return;
    case '$comment':
      return;
  }
  bounds.exact = false;
}

type RangeName = 'gt' | 'gte' | 'lt' | 'lte';

function boundsOf(paths: Map<string, PathBounds>, path: string): PathBounds {
  const known = paths.get(path);
  if (known !== undefined) return known;
  const bounds: PathBounds = { exact: true };
  paths.set(path, bounds);
  return bounds;
}

function addEquality(bounds: PathBounds, value: Value): void {
  if (value instanceof BSONRegExp) {
    addRegex(bounds, value);
    return;
  }
  if (Array.isArray(value)) {
    addList(bounds, keysOfArray(value), false);
    return;
  }
  if (bounds.eq !== undefined || bounds.in !== undefined) {
    bounds.exact = false;
    return;
  }
  bounds.eq = value;
  if (value === null) bounds.exact = false;
}

function addMembership(bounds: PathBounds, operand: Value): void {
  if (!Array.isArray(operand) || operand.some((item) => item instanceof BSONRegExp)) {
    bounds.exact = false;
    return;
  }
  const plain = operand.every((item) => item !== null && !Array.isArray(item));
  addList(
    bounds,
    operand.flatMap((item) => (Array.isArray(item) ? keysOfArray(item) : [item])),
    plain,
  );
}

function addList(bounds: PathBounds, values: Value[], exact: boolean): void {
  if (!exact || bounds.eq !== undefined || bounds.in !== undefined) bounds.exact = false;
  if (bounds.eq === undefined) bounds.in ??= values;
}

/** The keys that an array equal to this one has for certain: of its first element, or of itself inside another array. */
function keysOfArray(items: Value[]): Value[] {
  return [items[0] ?? UNDEFINED, items];
}

function addRange(bounds: PathBounds, name: RangeName, operand: Value): void {
  const type = typeNumber(operand);
  const unbounded =
    Array.isArray(operand) || operand === null || type === BsonType.minKey || type === BsonType.maxKey || isNotANumber(operand);
  if (unbounded || operand instanceof BSONRegExp || bounds[name] !== undefined) {
    bounds.exact = false;
    return;
  }
  bounds[name] = operand;
  // NaN is the least of the numbers in an index, but below no number to a filter.
  const nanBelow = isNumber(operand) && bounds.gt === undefined && bounds.gte === undefined;
  if (nanBelow) bounds.exact = false;
}

/** A pattern that starts with plain text bounds the texts that it can match. */
function addRegex(bounds: PathBounds, pattern: Value): void {
  bounds.exact = false;
  const prefix = pattern instanceof BSONRegExp ? literalPrefix(pattern) : '';
  const last = prefix.charCodeAt(prefix.length - 1);
  // Counting up from a surrogate would not give the next code point.
  if (prefix === '' || last >= 0xd7ff || bounds.gte !== undefined || bounds.lt !== undefined) return;
  bounds.gte = prefix;
  bounds.lt = prefix.slice(0, -1) + String.fromCharCode(last + 1);
}

function isNotANumber(value: Value): boolean {
  return (value instanceof Double && Number.isNaN(value.value)) || (value instanceof Decimal128 && value.toString() === 'NaN');
}
