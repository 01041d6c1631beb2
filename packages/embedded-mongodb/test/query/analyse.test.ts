import { describe, expect, it } from 'vitest';
import { analyseFilter } from '../../src/match/analyse.ts';
import type { Value } from '../../src/values/value.ts';
import { d } from './notation.ts';

/** The expected bounds of each path, with values in a driver's form. */
const bounds = (expected: Record<string, Record<string, unknown>>) =>
  new Map(Object.entries(expected).map(([path, entry]) => [path, Object.fromEntries(d(entry))]));

describe('analyseFilter', () => {
  it.each<[string, object, Record<string, Record<string, unknown>>]>([
    ['equality is exact', { a: 1 }, { a: { exact: true, eq: 1 } }],
    ['a range is exact', { a: { $gt: 1, $lte: 5 } }, { a: { exact: true, gt: 1, lte: 5 } }],
    ['a range without a lower bound is not exact, because NaN lies below', { a: { $lt: 5 } }, { a: { exact: false, lt: 5 } }],
    ['a range of texts needs no lower bound', { a: { $lt: 'x' } }, { a: { exact: true, lt: 'x' } }],
    ['a list is exact', { a: { $in: [1, 'x'] } }, { a: { exact: true, in: [1, 'x'] } }],
    [
      'null is not exact, because keys do not distinguish null from missing paths',
      { a: null },
      { a: { exact: false, eq: null } },
    ],
    [
      'several paths have bounds of their own',
      { a: 1, 'b.c': { $gte: 2 } },
      { a: { exact: true, eq: 1 }, 'b.c': { exact: true, gte: 2 } },
    ],
    ['the operands of $and are analysed', { $and: [{ a: 1 }, { a: { $gt: 0 } }] }, { a: { exact: true, eq: 1, gt: 0 } }],
    ['a second equality on a path is left to matching', { $and: [{ a: 1 }, { a: 2 }] }, { a: { exact: false, eq: 1 } }],
    ['$or is left to matching', { a: 1, $or: [{ b: 1 }] }, { a: { exact: true, eq: 1 }, '': { exact: false } }],
    ['other operators are left to matching', { a: { $exists: true, $gt: 1 } }, { a: { exact: false, gt: 1 } }],
    [
      '$elemMatch over fields gives bounds for the fields',
      { a: { $elemMatch: { b: 1, c: { $gt: 2 } } } },
      { a: { exact: false }, 'a.b': { exact: false, eq: 1 }, 'a.c': { exact: false, gt: 2 } },
    ],
    [
      '$elemMatch over values gives bounds for the array',
      { a: { $elemMatch: { $gt: 1, $lt: 3 } } },
      { a: { exact: false, gt: 1, lt: 3 } },
    ],
    ['no filter gives no bounds', {}, {}],
  ])('%s', (_story, filter, expected) => {
    expect(analyseFilter(d(filter))).toEqual(bounds(expected));
  });

  it('analyseFilter looks for an array by its first element or as an element, and for an empty one by undefined', () => {
    const one = d({ a: [1, 2] }).get('a') as Value[];
    expect(analyseFilter(d({ a: [1, 2] })).get('a')).toEqual({ exact: false, in: [one[0], one] });
    expect(analyseFilter(d({ a: [] })).get('a')).toEqual({ exact: false, in: [undefined, []] });
  });
});
