import { Int32 } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import type { Doc, Value } from '../../src/query/value.ts';
import { doc, numbers, paths, scalars, sorts, texts, values } from './arbitraries.ts';

const fieldPaths = paths.filter((path) => !/\d/.test(path)).map((path) => `$${path}`);
const constants: Arbitrary<Value> = fc.oneof({ weight: 3, arbitrary: scalars }, values).map((value) => doc(['$literal', value]));

/** A list operator over a number of arguments. */
const call = (names: readonly string[], args: Arbitrary<Value[]>) =>
  fc.tuple(fc.constantFrom(...names), args).map(([name, list]) => doc([name, list]));

const numeric: Arbitrary<Value> = fc.oneof(fieldPaths, numbers);
const textual: Arbitrary<Value> = fc.oneof(fieldPaths, texts);
const small = fc.integer({ min: -2, max: 3 }).map((n) => new Int32(n));
const natural = fc.integer({ min: 0, max: 3 }).map((n) => new Int32(n));
const dateLike: Arbitrary<Value> = fc.oneof(
  fieldPaths,
  fc.constantFrom(0, 1_709_164_800_123, 1_700_000_000_000, -86_400_001).map((millis) => new Date(millis)),
);
const arrays: Arbitrary<Value> = fc.oneof(
  fieldPaths,
  fc.array(scalars, { maxLength: 4 }).map((items) => doc(['$literal', items])),
);
const zones = fc.constantFrom('UTC', '+05:30', '-0800', 'Europe/Berlin', 'America/New_York');
const units = fc.constantFrom('year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond');
const formats = fc.constantFrom('%Y-%m-%d', '%H:%M:%S.%L', '%j %u %V %G', '%Y %% %z');

const named = (name: string, fields: Record<string, Arbitrary<Value>>, requiredKeys: string[]) =>
  fc.record(fields, { requiredKeys }).map((args) => doc([name, new Map(Object.entries(args as Record<string, Value>))]));

const ARITHMETIC: Arbitrary<Value> = fc.oneof(
  call(['$add', '$multiply'], fc.array(numeric, { minLength: 1, maxLength: 3 })),
  call(['$subtract', '$divide', '$mod', '$pow'], fc.array(numeric, { minLength: 2, maxLength: 2 })),
  call(['$abs', '$ceil', '$floor', '$sqrt', '$trunc', '$round'], fc.array(numeric, { minLength: 1, maxLength: 1 })),
  call(['$round', '$trunc'], fc.tuple(numeric, small)),
  call(['$sum', '$avg', '$min', '$max'], fc.array(numeric, { minLength: 1, maxLength: 3 })),
);

const COMPARISON: Arbitrary<Value> = call(
  ['$eq', '$ne', '$lt', '$lte', '$gt', '$gte', '$cmp'],
  fc.array(fc.oneof(fieldPaths, constants), { minLength: 2, maxLength: 2 }),
);

const ARRAYS: Arbitrary<Value> = fc.oneof(
  call(['$size', '$reverseArray', '$first', '$last', '$isArray'], fc.tuple(arrays)),
  call(['$arrayElemAt'], fc.tuple(arrays, small)),
  call(['$slice'], fc.oneof(fc.tuple(arrays, small), fc.tuple(arrays, small, natural))),
  call(['$in'], fc.tuple(fc.oneof(fieldPaths, constants), arrays)),
  call(['$concatArrays', '$setUnion', '$setIntersection', '$setEquals'], fc.array(arrays, { minLength: 2, maxLength: 2 })),
  call(['$setDifference', '$setIsSubset'], fc.array(arrays, { minLength: 2, maxLength: 2 })),
  call(['$anyElementTrue', '$allElementsTrue'], fc.tuple(arrays)),
  call(['$indexOfArray'], fc.tuple(arrays, constants)),
  call(['$range'], fc.tuple(small, small)),
  named('$filter', { input: arrays, cond: fc.constantFrom<Value>(doc(['$gt', ['$$this', new Int32(1)]]), '$$this.a') }, [
    'input',
    'cond',
  ]),
  named('$map', { input: arrays, in: fc.constantFrom<Value>('$$this.a', doc(['$type', '$$this']), '$$this') }, ['input', 'in']),
  named(
    '$reduce',
    { input: arrays, initialValue: fc.constant([]), in: fc.constant(doc(['$concatArrays', ['$$value', ['$$this']]])) },
    ['input', 'initialValue', 'in'],
  ),
  named('$sortArray', { input: arrays, sortBy: fc.constantFrom(1, -1).map((n) => new Int32(n)) }, ['input', 'sortBy']),
  named('$zip', { inputs: fc.tuple(arrays, arrays), useLongestLength: fc.boolean() }, ['inputs']),
);

const TEXTS: Arbitrary<Value> = fc.oneof(
  call(['$concat'], fc.array(textual, { minLength: 1, maxLength: 3 })),
  call(['$toLower', '$toUpper', '$strLenCP', '$strLenBytes'], fc.tuple(textual)),
  call(['$split', '$strcasecmp'], fc.tuple(textual, textual)),
  call(['$substrCP'], fc.tuple(textual, natural, natural)),
  call(['$indexOfCP', '$indexOfBytes'], fc.tuple(textual, textual)),
  named('$trim', { input: textual, chars: texts }, ['input']),
  named('$replaceAll', { input: textual, find: textual, replacement: textual }, ['input', 'find', 'replacement']),
  named('$regexFind', { input: textual, regex: fc.constantFrom('^a', 'b', '(a)|(b)', '.') }, ['input', 'regex']),
  named('$regexMatch', { input: textual, regex: fc.constantFrom('^A', 'b'), options: fc.constantFrom('i', '') }, [
    'input',
    'regex',
  ]),
);

const DATES: Arbitrary<Value> = fc.oneof(
  call(
    [
      '$year',
      '$month',
      '$dayOfMonth',
      '$dayOfWeek',
      '$dayOfYear',
      '$week',
      '$isoWeek',
      '$isoWeekYear',
      '$hour',
      '$minute',
      '$second',
      '$millisecond',
    ],
    fc.tuple(dateLike),
  ),
  named('$dateToString', { date: dateLike, format: formats, timezone: zones }, ['date', 'format']),
  named('$dateToParts', { date: dateLike, timezone: zones, iso8601: fc.boolean() }, ['date']),
  named('$dateAdd', { startDate: dateLike, unit: units, amount: small, timezone: zones }, ['startDate', 'unit', 'amount']),
  named('$dateDiff', { startDate: dateLike, endDate: dateLike, unit: units, timezone: zones }, ['startDate', 'endDate', 'unit']),
  named(
    '$dateTrunc',
    { date: dateLike, unit: units, timezone: zones, binSize: fc.constantFrom(1, 2, 3).map((n) => new Int32(n)) },
    ['date', 'unit'],
  ),
  named(
    '$dateFromString',
    {
      dateString: fc.constantFrom<Value>('2024-02-29', '2024-02-29T12:30:00Z', '2024-02-29T12:30:00.123+02:00', '$a'),
      timezone: zones,
    },
    ['dateString'],
  ),
);

const OTHERS: Arbitrary<Value> = fc.oneof(
  call(
    ['$toString', '$toInt', '$toLong', '$toDouble', '$toDecimal', '$toBool', '$toDate', '$type', '$isNumber'],
    fc.tuple(fc.oneof(fieldPaths, constants)),
  ),
  call(['$ifNull'], fc.tuple(fieldPaths, fc.oneof(fieldPaths, constants))),
  call(['$cond'], fc.tuple(fieldPaths, fieldPaths, constants)),
  call(['$and', '$or'], fc.array(fieldPaths, { minLength: 1, maxLength: 2 })),
  call(['$not'], fc.tuple(fieldPaths)),
  call(['$mergeObjects'], fc.array(fieldPaths, { minLength: 1, maxLength: 2 })),
  call(['$objectToArray'], fc.tuple(fieldPaths)),
  call(['$arrayToObject'], fc.tuple(fieldPaths)),
  named('$getField', { field: fc.constantFrom('a', 'b'), input: fieldPaths }, ['field', 'input']),
  named('$setField', { field: fc.constantFrom('a', 'b'), input: fieldPaths, value: constants }, ['field', 'input', 'value']),
  named(
    '$convert',
    {
      input: fc.oneof(fieldPaths, constants),
      to: fc.constantFrom('int', 'string', 'double', 'bool', 'date', 'long'),
      onError: fc.constant('failed'),
      onNull: fc.constant('null'),
    },
    ['input', 'to'],
  ),
);

/** Expressions by family, for a report that says which family differs. */
export const expressionFamilies = { ARITHMETIC, COMPARISON, ARRAYS, TEXTS, DATES, OTHERS } as const;

/** Any expression of the language. */
export const expressions: Arbitrary<Value> = fc.oneof(...Object.values(expressionFamilies), fieldPaths);

/** Accumulators that make null of a missing value in MongoDB, and leave it out in the engine, or the other way round. */
const STAND_IN: ReadonlySet<string> = new Set(['$addToSet', '$first', '$last']);

const accumulators: Arbitrary<[string, Value]> = fc
  .tuple(
    fc.constantFrom('$sum', '$avg', '$min', '$max', '$first', '$last', '$push', '$addToSet', '$stdDevPop', '$mergeObjects'),
    fieldPaths,
  )
  .map(([name, operand]) => [name, operandOf(name, operand)]);

function operandOf(name: string, path: string): Value {
  if (STAND_IN.has(name)) return doc(['$ifNull', [path, 'none']]);
  if (name !== '$mergeObjects') return path;
  return doc(['$cond', [doc(['$eq', [doc(['$type', path]), 'object']]), path, null]]);
}

/** The engine tells groups of null from groups of missing values, which MongoDB does not: a stand-in keeps off that. */
const keys = fieldPaths.map((path) => doc(['$ifNull', [path, 'none']]));

const groups: Arbitrary<Doc> = fc
  .tuple(
    fc.oneof(
      keys,
      fc.constant(null),
      fc.tuple(keys, keys).map(([x, y]) => doc(['x', x], ['y', y])),
    ),
    fc.array(accumulators, { maxLength: 2 }),
  )
  .map(([id, fields]) =>
    doc(['$group', doc(['_id', id], ...fields.map(([name, operand], i): [string, Value] => [`f${i}`, doc([name, operand])]))]),
  );

const stages: Arbitrary<Doc> = fc.oneof(
  fc
    .tuple(fc.constantFrom('a', 'b', 'c', 'x.y', 'a.b'), expressions)
    .map(([name, value]) => doc(['$addFields', doc([name, value])])),
  fc
    .tuple(fc.constantFrom('a', 'b', 'c'), expressions)
    .map(([name, value]) => doc(['$project', doc([name, new Int32(1)], ['computed', value])])),
  fc
    .tuple(fieldPaths, fc.boolean())
    .map(([path, preserves]) =>
      doc(['$unwind', doc(['path', path], ['preserveNullAndEmptyArrays', preserves], ['includeArrayIndex', 'index'])]),
    ),
  groups,
  keys.map((key) => doc(['$sortByCount', key])),
  fc.constantFrom('a', 'b').map((path) => doc(['$unset', path])),
  sorts.map((sort) => doc(['$sort', new Map(sort).set('_id', new Int32(1))])),
  fc.integer({ min: 1, max: 4 }).map((n) => doc(['$limit', new Int32(n)])),
  fc.integer({ min: 0, max: 2 }).map((n) => doc(['$skip', new Int32(n)])),
  fc.constantFrom('count', 'n').map((name) => doc(['$count', name])),
  fieldPaths.map((path) =>
    doc(['$replaceRoot', doc(['newRoot', doc(['$mergeObjects', [doc(['_id', '$_id']), doc(['value', path])]])])]),
  ),
  fc
    .tuple(
      paths.filter((path) => !/\d/.test(path)),
      paths.filter((path) => !/\d/.test(path)),
    )
    .map(([local, foreign]) =>
      doc(['$lookup', doc(['from', 'others'], ['localField', local], ['foreignField', foreign], ['as', 'joined'])]),
    ),
  fieldPaths.map((path) =>
    doc([
      '$lookup',
      doc(
        ['from', 'others'],
        ['let', doc(['v', path])],
        ['pipeline', [doc(['$match', doc(['$expr', doc(['$eq', ['$a', '$$v']])])])]],
        ['as', 'joined'],
      ),
    ]),
  ),
);

/** Pipelines whose documents stand in a certain order wherever a stage depends on it. */
export const pipelines: Arbitrary<Doc[]> = fc
  .tuple(fc.array(stages, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([list, union]) => {
    const settled = list.flatMap((stage) =>
      stage.has('$group') || stage.has('$sortByCount') ? [stage, WRAP_ID, BY_ID] : [stage],
    );
    return [BY_ID, ...settled, ...(union ? [doc(['$unionWith', 'others'])] : [])];
  });

/** A group's array would be sorted by one of its elements, and so might tie with another group. */
const WRAP_ID = doc(['$replaceRoot', doc(['newRoot', doc(['$mergeObjects', ['$$ROOT', doc(['_id', doc(['key', '$_id'])])]])])]);
const BY_ID = doc(['$sort', doc(['_id', new Int32(1)])]);
