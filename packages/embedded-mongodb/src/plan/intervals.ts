import { Double } from 'bson';
import type { PathBounds } from '../match/analyse.ts';
import type { IndexField } from '../storage/index/index-keys.ts';
import type { KeyRange } from '../storage/index/key.ts';
import { emptyArrayKey, invertKey, typeByte, valueKey } from '../storage/index/key.ts';
import { isNumber, type Maybe, typeNumber, type Value } from '../values/value.ts';

/**
 * A bound of an interval. If it is inclusive, keys that begin with these bytes belong to the
 * interval.
 */
type End = {
  readonly key: Buffer;
  readonly inclusive: boolean;
  /** The filter's operand; not set if the bound is the boundary of a type. */
  readonly value?: Value;
};

/** The keys of one field between two bounds, in ascending order of the values. */
export type Interval = {
  readonly low: End;
  readonly high: End;
  /** The interval is a single value. */
  readonly point: boolean;
};

export const everything: Interval = {
  low: { key: Buffer.alloc(0), inclusive: true },
  high: { key: Buffer.alloc(0), inclusive: true },
  point: false,
};

/**
 * The intervals that contain a field's keys, ascending and disjoint; `undefined` if the bounds
 * allow any key. With `intersect`, one key must meet both ends of a range.
 */
export function intervalsOf(bounds: PathBounds, intersect: boolean): Interval[] | undefined {
  if (bounds.eq !== undefined) return [pointAt(bounds.eq)];
  if (bounds.in !== undefined) return distinctPoints(bounds.in);
  const { gt, gte, lt, lte } = bounds;
  const lower = gt ?? gte;
  const upper = lt ?? lte;
  if (lower === undefined && upper === undefined) return undefined;
  const ranges = [];
  if (lower !== undefined) ranges.push(rangeAbove(lower, gt === undefined));
  if (upper !== undefined) ranges.push(rangeBelow(upper, lt === undefined));
  const [first, second] = ranges as [Interval, Interval?];
  const range = second === undefined || !intersect ? first : intersection(first, second);
  return range === undefined ? [] : [range];
}

/**
 * True if the intervals express all of the bounds. If the field leads through arrays, that requires
 * points.
 */
export function sayAll(bounds: PathBounds): boolean {
  const { eq, in: list, gt, gte, lt, lte } = bounds;
  const sides = [eq ?? list, gt, gte, lt, lte].filter((side) => side !== undefined).length;
  if (!bounds.exact || sides === 0) return false;
  if (eq !== undefined || list !== undefined) return sides === 1;
  return (gt === undefined || gte === undefined) && (lt === undefined || lte === undefined);
}

/** The byte range of an interval that follows the bytes of the index's earlier fields. */
export function byteRange(prefix: Buffer, interval: Interval, descending: boolean): { low: Buffer; high: Buffer } {
  const [low, high] = descending ? [interval.high, interval.low] : [interval.low, interval.high];
  const bytes = (end: End) => Buffer.concat([prefix, descending ? invertKey(end.key) : end.key]);
  return {
    low: low.inclusive ? bytes(low) : successor(bytes(low)),
    high: high.inclusive ? successor(bytes(high)) : bytes(high),
  };
}

/** The least byte string after all byte strings with this prefix. */
export function successor(prefix: Buffer): Buffer {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  if (end === 0) return Buffer.of(0xff);
  const next = Buffer.from(prefix.subarray(0, end));
  next[end - 1] = (next[end - 1] as number) + 1;
  return next;
}

/** The interval of a single value; for `undefined`, that of an empty array. */
export function pointAt(value: Maybe): Interval {
  const end = value === undefined ? { key: emptyArrayKey, inclusive: true } : { key: valueKey(value), inclusive: true, value };
  return { low: end, high: end, point: true };
}

function distinctPoints(values: readonly Maybe[]): Interval[] {
  const points = values.map(pointAt).sort((a, b) => Buffer.compare(a.low.key, b.low.key));
  return points.filter((point, i) => i === 0 || !points[i - 1]?.low.key.equals(point.low.key));
}

const notANumber = new Double(Number.NaN);

function rangeAbove(value: Value, inclusive: boolean): Interval {
  return { low: { key: valueKey(value), inclusive, value }, high: { key: bracketOf(value), inclusive: true }, point: false };
}

function rangeBelow(value: Value, inclusive: boolean): Interval {
  // In an index, NaN is the least number. In a filter, NaN is not less than any number.
  const low = isNumber(value)
    ? { key: valueKey(notANumber), inclusive: false, value: notANumber }
    : { key: bracketOf(value), inclusive: true };
  return { low, high: { key: valueKey(value), inclusive, value }, point: false };
}

/** The first byte of the keys of all values that compare with this one. */
function bracketOf(value: Value): Buffer {
  return Buffer.of(typeByte(typeNumber(value)));
}

function intersection(above: Interval, below: Interval): Interval | undefined {
  const start = byteRange(everything.low.key, above, false);
  const end = byteRange(everything.low.key, below, false);
  const low = Buffer.compare(start.low, end.low) >= 0 ? above.low : below.low;
  const high = Buffer.compare(start.high, end.high) <= 0 ? above.high : below.high;
  const meet = byteRange(everything.low.key, { low, high, point: false }, false);
  return Buffer.compare(meet.low, meet.high) < 0 ? { low, high, point: false } : undefined;
}

/**
 * The cartesian product of the intervals of an index's first fields. All but the last must be
 * points.
 */
export function rangesOf(fields: readonly IndexField[], prefix: readonly (readonly Interval[])[]): KeyRange[] {
  let ranges = [byteRange(everything.low.key, everything, false)];
  let prefixes: Buffer[] = [everything.low.key];
  prefix.forEach((list, i) => {
    const descending = fields[i]?.descending === true;
    const ordered = descending ? list.toReversed() : list;
    ranges = prefixes.flatMap((bytes) => ordered.map((interval) => byteRange(bytes, interval, descending)));
    prefixes = ranges.map(({ low }) => low);
  });
  return ranges;
}
