import { Int32 } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import type { Doc, Value } from '../../src/values/value.ts';
import { doc, paths, scalars } from '../query/arbitraries.ts';

const directions = fc.constantFrom(1, -1).map((direction) => new Int32(direction));

/** Paths that are often queried together, so that several fields of an index are used. */
export const indexedPaths: Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom('a', 'b', 'c') },
  { weight: 2, arbitrary: fc.constantFrom('a.b', 'b.a', 'a.a') },
  { weight: 1, arbitrary: paths },
);

const patterns: Arbitrary<Doc> = fc
  .uniqueArray(fc.tuple(indexedPaths, directions), { selector: ([path]) => path, minLength: 1, maxLength: 3 })
  .map((fields) => new Map(fields));

const partialFilters: Arbitrary<Doc> = fc.oneof(
  indexedPaths.map((path) => doc([path, doc(['$exists', true])])),
  fc
    .tuple(indexedPaths, fc.constantFrom('$gt', '$gte', '$lt', '$lte'), fc.oneof(fc.constant<Value>(new Int32(1)), scalars))
    .map(([path, operator, value]) => doc([path, doc([operator, value])])),
  fc.tuple(indexedPaths, fc.constantFrom<Value>(new Int32(1), 'a', true)).map(([path, value]) => doc([path, value])),
);

const options: Arbitrary<[string, Value][]> = fc.oneof(
  { weight: 5, arbitrary: fc.constant<[string, Value][]>([]) },
  { weight: 1, arbitrary: fc.constant<[string, Value][]>([['sparse', true]]) },
  { weight: 1, arbitrary: fc.constant<[string, Value][]>([['unique', true]]) },
  { weight: 2, arbitrary: partialFilters.map((filter): [string, Value][] => [['partialFilterExpression', filter]]) },
);

/** Sorted indexes of all kinds. Some may conflict within one collection. */
export const indexes: Arbitrary<Doc[]> = fc
  .array(fc.tuple(patterns, options), { minLength: 1, maxLength: 3 })
  .map((list) => list.map(([key, extra], i) => doc(['key', key], ['name', `index${i}`], ...extra)));
