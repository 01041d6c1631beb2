import { Int32 } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import type { Doc, Value } from '../../src/values/value.ts';
import { doc, numbers, paths, scalars, sorts, values } from './arbitraries.ts';

const fieldPaths = paths.filter((path) => !/\d/.test(path)).map((path) => `$${path}`);
const constants: Arbitrary<Value> = fc.oneof({ weight: 3, arbitrary: scalars }, values).map((value) => doc(['$literal', value]));

/** A list operator with several arguments. */
const call = (names: readonly string[], args: Arbitrary<Value[]>) =>
  fc.tuple(fc.constantFrom(...names), args).map(([name, list]) => doc([name, list]));

const numeric: Arbitrary<Value> = fc.oneof(fieldPaths, numbers);
const small = fc.integer({ min: -2, max: 3 }).map((n) => new Int32(n));
const dates = fc.constantFrom(0, 1_709_164_800_123, -86_400_001).map((millis) => new Date(millis));
const arrays: Arbitrary<Value> = fc.oneof(
  fieldPaths,
  fc.array(scalars, { maxLength: 4 }).map((items) => doc(['$literal', items])),
);

const arithmetic: Arbitrary<Value> = fc.oneof(
  call(['$add'], fc.array(fc.oneof({ weight: 5, arbitrary: numeric }, dates), { minLength: 1, maxLength: 3 })),
  call(['$max'], fc.array(numeric, { minLength: 1, maxLength: 3 })),
);

const comparison: Arbitrary<Value> = call(
  ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte'],
  fc.array(fc.oneof(fieldPaths, constants), { minLength: 2, maxLength: 2 }),
);

const lists: Arbitrary<Value> = fc.oneof(
  call(['$size'], fc.tuple(arrays)),
  call(['$arrayElemAt'], fc.tuple(arrays, small)),
  call(['$in'], fc.tuple(fc.oneof(fieldPaths, constants), arrays)),
  call(['$concatArrays', '$setUnion'], fc.array(arrays, { minLength: 2, maxLength: 2 })),
  fc
    .tuple(arrays, fc.constantFrom<Value>(doc(['$gt', ['$$this', new Int32(1)]]), '$$this.a'))
    .map(([input, cond]) => doc(['$filter', doc(['input', input], ['cond', cond])])),
  fc
    .tuple(arrays, fc.constantFrom<Value>('$$item.a', '$$item', doc(['$ifNull', ['$$item', 'none']])))
    .map(([input, body]) => doc(['$map', doc(['input', input], ['as', 'item'], ['in', body])])),
);

const choices: Arbitrary<Value> = fc.oneof(
  call(['$ifNull'], fc.tuple(fieldPaths, fc.oneof(fieldPaths, constants))),
  call(['$cond'], fc.tuple(fieldPaths, fieldPaths, constants)),
  call(['$and', '$or'], fc.array(fieldPaths, { minLength: 1, maxLength: 2 })),
  call(['$not'], fc.tuple(fieldPaths)),
  call(['$mergeObjects'], fc.array(fieldPaths, { minLength: 1, maxLength: 2 })),
  fc
    .tuple(fieldPaths, fc.constantFrom<Value>('$$x', '$$x.a', doc(['$eq', ['$$x', '$a']])))
    .map(([value, body]) => doc(['$let', doc(['vars', doc(['x', value])], ['in', body])])),
);

/** Expressions by family, so that a report names the family that differs. */
export const expressionFamilies = { arithmetic, comparison, lists, choices } as const;

/** Any expression of the language. */
export const expressions: Arbitrary<Value> = fc.oneof(...Object.values(expressionFamilies), fieldPaths);

/**
 * The reference engine groups null and missing separately, but MongoDB does not. A placeholder
 * avoids the difference.
 */
const keys = fieldPaths.map((path) => doc(['$ifNull', [path, 'none']]));

const groups: Arbitrary<Doc> = fc
  .tuple(
    fc.oneof(
      keys,
      fc.constant(null),
      fc.tuple(keys, keys).map(([x, y]) => doc(['x', x], ['y', y])),
    ),
    fc.array(fieldPaths, { maxLength: 2 }),
  )
  .map(([id, sums]) =>
    doc(['$group', doc(['_id', id], ...sums.map((path, i): [string, Value] => [`f${i}`, doc(['$sum', path])]))]),
  );

const stages: Arbitrary<Doc> = fc.oneof(
  fc.tuple(fc.constantFrom('a', 'b', 'c', 'x.y', 'a.b'), expressions).map(([name, value]) => doc(['$set', doc([name, value])])),
  fc
    .tuple(fc.constantFrom('a', 'b', 'c'), expressions)
    .map(([name, value]) => doc(['$project', doc([name, new Int32(1)], ['computed', value])])),
  fieldPaths.map((path) => doc(['$unwind', path])),
  groups,
  sorts.map((sort) => doc(['$sort', new Map(sort).set('_id', new Int32(1))])),
  fc.integer({ min: 1, max: 4 }).map((n) => doc(['$limit', new Int32(n)])),
  fieldPaths.map((path) => doc(['$replaceWith', doc(['$mergeObjects', [doc(['_id', '$_id']), doc(['value', path])]])])),
  fc
    .tuple(
      paths.filter((path) => !/\d/.test(path)),
      paths.filter((path) => !/\d/.test(path)),
    )
    .map(([local, foreign]) =>
      doc(['$lookup', doc(['from', 'others'], ['localField', local], ['foreignField', foreign], ['as', 'joined'])]),
    ),
);

/** Pipelines that sort before each stage that depends on the order. */
export const pipelines: Arbitrary<Doc[]> = fc
  .array(stages, { minLength: 1, maxLength: 3 })
  .map((list) => [byId, ...list.flatMap((stage) => (stage.has('$group') ? [stage, wrapId, byId] : [stage]))]);

/**
 * Wraps group keys: an array as a key would be sorted by one of its elements, and could tie with
 * another group.
 */
const wrapId = doc(['$replaceWith', doc(['$mergeObjects', ['$$ROOT', doc(['_id', doc(['key', '$_id'])])]])]);
const byId = doc(['$sort', doc(['_id', new Int32(1)])]);
