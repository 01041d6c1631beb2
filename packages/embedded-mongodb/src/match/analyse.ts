import { Double } from 'bson';
import { type Doc, isDoc, isNumber, type Maybe, type Value } from '../values/value.ts';
import { isOperatorDoc } from './fields.ts';

/**
 * What a filter's AND-ed predicates demand of one path, in terms of a sorted index. It holds for index keys made as MongoDB makes
 * them: one key per array element, one of its own for an empty array, null for a missing field.
 */
export type PathBounds = {
  /** Some key equals this value (null stands for null and missing). */
  eq?: Value;
  /** Some key equals one of these values; `undefined` stands for an empty array. */
  in?: Maybe[];
  /** Some key is above; a range ends where the operand's type ends. */
  gt?: Value;
  gte?: Value;
  /** Some key is below. On a multikey index two bounds may be met by two elements: use only one of them there. */
  lt?: Value;
  lte?: Value;
  /** The keys within the bounds belong to matching documents only, as far as this path goes; of ranges, if the index is not multikey. */
  exact: boolean;
};

/**
 * Lists what the top-level AND-ed predicates of a filter demand, by path. Every path that the filter speaks of is there; predicates
 * without a single path (`$or`, `$expr`, `$text` ...) stand under the empty path, inexact. What an index over exact paths tells need
 * not be asked of the documents found; the rest must be.
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
    } else if (name.startsWith('$')) boundsOf(paths, '').exact = false;
    else addField(paths, `${prefix}${name}`, value, exact);
  }
}

function addField(paths: Map<string, PathBounds>, path: string, value: Value, exact: boolean): void {
  const bounds = boundsOf(paths, path);
  if (!exact) bounds.exact = false;
  if (!isOperatorDoc(value)) addEquality(bounds, value);
  else for (const [operator, operand] of value) addOperator(paths, path, operator, operand);
}

function addOperator(paths: Map<string, PathBounds>, path: string, operator: string, operand: Value): void {
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
    case '$elemMatch':
      bounds.exact = false;
      if (isOperatorDoc(operand)) addField(paths, path, operand, false);
      else if (isDoc(operand)) addFilter(paths, operand, `${path}.`, false);
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
  if (!Array.isArray(operand)) return;
  const plain = operand.every((item) => item !== null && !Array.isArray(item));
  addList(
    bounds,
    operand.flatMap((item): Maybe[] => (Array.isArray(item) ? keysOfArray(item) : [item])),
    plain,
  );
}

function addList(bounds: PathBounds, values: Maybe[], exact: boolean): void {
  if (!exact || bounds.eq !== undefined || bounds.in !== undefined) bounds.exact = false;
  if (bounds.eq === undefined) bounds.in ??= values;
}

/** The keys that an array equal to this one has for certain: of its first element, or of itself inside another array. */
function keysOfArray(items: Value[]): Maybe[] {
  return [items[0], items];
}

function addRange(bounds: PathBounds, name: RangeName, operand: Value): void {
  const isNotANumber = operand instanceof Double && Number.isNaN(operand.value);
  if (Array.isArray(operand) || operand === null || isNotANumber || bounds[name] !== undefined) {
    bounds.exact = false;
    return;
  }
  bounds[name] = operand;
  // NaN is the least of the numbers in an index, but below no number to a filter.
  const nanBelow = isNumber(operand) && bounds.gt === undefined && bounds.gte === undefined;
  if (nanBelow) bounds.exact = false;
}
