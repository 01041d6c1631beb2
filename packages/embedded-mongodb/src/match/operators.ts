import { Double, Int32, ObjectId } from 'bson';
import { wholeLength } from '../values/bson-reader.ts';
import { compare, typeRank } from '../values/compare.ts';
import { badValue, notSupported } from '../values/errors.ts';
import { integerOf } from '../values/numbers.ts';
import { isNumber, type Maybe, OpaqueValue, typeName, type Value } from '../values/value.ts';

/** A test of one value. A missing value is `undefined`. */
export type Predicate = (value: Maybe) => boolean;

/** The comparisons of the query language. */
export type Comparison = '$eq' | '$lt' | '$lte' | '$gt' | '$gte';

/**
 * Compares values with a constant. Only values of the same kind compare; NaN equals only NaN, and
 * null equals missing.
 */
export function comparison(operator: Comparison, operand: Value): Predicate {
  refuseOpaque(operand);
  const rank = typeRank(operand);
  if (operator === '$eq') return equality(operand, rank);
  const orEqual = operator === '$lte' || operator === '$gte';
  const less = operator === '$lt' || operator === '$lte';
  if (operand === null) return (value) => orEqual && (value === null || value === undefined);
  if (isNaNValue(operand)) return (value) => orEqual && isNaNValue(value);
  return (value) => {
    if (value === undefined || typeRank(value) !== rank || isNaNValue(value)) return false;
    const order = compare(value, operand);
    return order === 0 ? orEqual : order < 0 === less;
  };
}

/** Membership in a list of constants. */
export function membership(items: readonly Value[]): Predicate {
  items.forEach(refuseOpaque);
  const sorted = items.toSorted(compare);
  const hasNull = sorted.includes(null);
  return (value) => (value === undefined ? hasNull : contains(sorted, value));
}

/** `$size`: tests that a value is an array of this length. */
export function sizeTest(operand: Value): Predicate {
  if (!isNumber(operand)) throw badValue(`Failed to parse $size. Expected a number in: $size: ${String(operand)}`);
  const size = integerOf(operand);
  if (size === undefined) throw badValue(`Failed to parse $size. Expected an integer: $size: ${operand}`);
  if (size < 0) throw badValue(`Failed to parse $size. Expected a non-negative number in: $size: ${operand}`);
  return (value) => Array.isArray(value) && wholeLength(value) === size;
}

/**
 * Rejects operands of types that the database only stores. A regular expression, for example, would
 * match instead of compare.
 */
function refuseOpaque(operand: Value): void {
  if (operand instanceof OpaqueValue)
    throw notSupported(`filters with values of the type ${typeName(operand)} are not supported`);
}

function equality(operand: Value, rank: number): Predicate {
  if (operand === null) return (value) => value === null || value === undefined;
  if (typeof operand === 'string') return (value) => value === operand;
  const isSame = (value: Maybe) => value !== undefined && typeRank(value) === rank && compare(value, operand) === 0;
  if (operand instanceof ObjectId) return (value) => value instanceof ObjectId && value.equals(operand);
  if (operand instanceof Int32) {
    const number = operand.value;
    return (value) => (value instanceof Int32 ? value.value === number : isSame(value));
  }
  return isSame;
}

function contains(sorted: readonly Value[], value: Value): boolean {
  let low = 0;
  let high = sorted.length - 1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    const order = compare(value, sorted[middle]);
    if (order === 0) return true;
    if (order < 0) high = middle - 1;
    else low = middle + 1;
  }
  return false;
}

function isNaNValue(value: Maybe): boolean {
  return value instanceof Double && Number.isNaN(value.value);
}
