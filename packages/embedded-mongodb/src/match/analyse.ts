import { Double } from 'bson';
import { type Doc, isDoc, isNumber, type Maybe, type Value } from '../values/value.ts';
import { isOperatorDoc } from './fields.ts';

/**
 * The constraints of a filter's AND-ed predicates on one path, for use with a sorted index. They
 * assume MongoDB's index keys: one key per array element, a special key for an empty array, and
 * null for a missing field.
 */
export type PathBounds = {
  /** Some key equals this value. Null means null or missing. */
  eq?: Value;
  /** Some key equals one of these values. `undefined` means an empty array. */
  in?: Maybe[];
  /** Some key is above this value and has the same type. */
  gt?: Value;
  gte?: Value;
  /**
   * Some key is below this value and has the same type. In a multikey index, two different elements
   * may meet the two bounds of a range: use only one bound there.
   */
  lt?: Value;
  lte?: Value;
  /**
   * All keys within the bounds belong to matching documents, as far as this path is concerned. For
   * ranges, this holds only if the index is not multikey.
   */
  exact: boolean;
};

/**
 * Lists the constraints of a filter's top-level AND-ed predicates by path. The result has every
 * path of the filter. Predicates without a single path, such as `$or`, `$expr` or `$text`, are
 * listed under the empty path as inexact. If an index covers an exact path, its predicates need not
 * be evaluated on the documents.
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

/**
 * Keys that every array equal to this one has: its first element, or the array itself if it is
 * nested in another array.
 */
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
  // In an index, NaN is less than all numbers. In a filter, NaN is not less than any number.
  const nanBelow = isNumber(operand) && bounds.gt === undefined && bounds.gte === undefined;
  if (nanBelow) bounds.exact = false;
}
