import { Binary, Double, Int32, Long, ObjectId } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import { type Doc, isDoc, type Value } from '../../src/values/value.ts';

/** A document from pairs. An object literal would put integer-like names first. */
export function doc(...fields: [string, Value][]): Doc {
  return new Map(fields);
}

const names = fc.constantFrom('a', 'b', 'c', 'd');

/** Small numbers of all types, so that equal values of different types are frequent. */
export const numbers: Arbitrary<Value> = fc.oneof(
  { weight: 6, arbitrary: fc.integer({ min: -3, max: 5 }).map((n) => new Int32(n)) },
  { weight: 2, arbitrary: fc.integer({ min: -3, max: 5 }).map((n) => Long.fromNumber(n)) },
  { weight: 3, arbitrary: fc.constantFrom(-1.5, 0, 0.5, 1, 2, 2.5, 3, 1e10).map((n) => new Double(n)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Value>(
      new Int32(2147483647),
      new Int32(-2147483648),
      Long.MAX_VALUE,
      Long.MIN_VALUE,
      Long.fromString('9007199254740993'),
      new Double(9007199254740992),
      new Double(Number.NaN),
      new Double(Number.POSITIVE_INFINITY),
      new Double(Number.NEGATIVE_INFINITY),
    ),
  },
);

/** Strings, some with non-ASCII characters. */
export const texts: Arbitrary<string> = fc.constantFrom('', 'a', 'b', 'ab', 'abc', 'A', 'B b', 'ü', '😀', 'z', '1');

const ids = fc
  .constantFrom('507f1f77bcf86cd799439011', '507f1f77bcf86cd799439012', '607f1f77bcf86cd799439011')
  .map((hex) => new ObjectId(hex));
const dates = fc.constantFrom(-1, 0, 1_000, 1_700_000_000_000, 1_709_164_800_123).map((millis) => new Date(millis));

/** Values except documents and arrays. */
export const scalars: Arbitrary<Value> = fc.oneof(
  { weight: 8, arbitrary: numbers },
  { weight: 5, arbitrary: texts },
  { weight: 2, arbitrary: fc.constant(null) },
  { weight: 2, arbitrary: fc.boolean() },
  { weight: 1, arbitrary: ids },
  { weight: 1, arbitrary: dates },
  { weight: 1, arbitrary: fc.constantFrom<Value>(new Binary(Buffer.from('ab')), new Binary(Buffer.from('b'), 4)) },
);

/** Any value, nested up to three levels. */
export const values: Arbitrary<Value> = fc.letrec<{ value: Value; document: Doc; array: Value[] }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 7, arbitrary: scalars },
    { weight: 2, arbitrary: tie('document') },
    { weight: 2, arbitrary: tie('array') },
  ),
  document: documentOf(tie('value')),
  array: fc.array(tie('value'), { maxLength: 3 }),
})).value;

/** Documents without `_id`. */
export const documents: Arbitrary<Doc> = documentOf(values);

/** Documents with an `_id` that counts up from 0. */
export const collections: Arbitrary<Doc[]> = fc
  .array(documents, { minLength: 1, maxLength: 8 })
  .map((docs) => docs.map((fields, i) => new Map<string, Value>([['_id', new Int32(i)], ...fields])));

function documentOf(value: Arbitrary<Value>): Arbitrary<Doc> {
  return fc.uniqueArray(fc.tuple(names, value), { selector: ([name]) => name, maxLength: 4 }).map((fields) => new Map(fields));
}

/** Dotted paths, with and without array positions. */
export const paths: Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: names },
  { weight: 4, arbitrary: fc.tuple(names, fc.constantFrom('a', 'b', 'c', '0', '1')).map((parts) => parts.join('.')) },
  {
    weight: 1,
    arbitrary: fc.tuple(names, fc.constantFrom('a', '0', '1'), fc.constantFrom('b', 'c', '0')).map((parts) => parts.join('.')),
  },
);

/** Operands of comparisons. */
const operands = values.filter((value) => !isDoc(value));

/** One operator of a filter with its operand. */
const operators: Arbitrary<[string, Value]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constantFrom('$eq', '$ne', '$gt', '$gte', '$lt', '$lte'), operands) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('$in'), fc.array(operands, { maxLength: 3 })) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('$exists'), fc.boolean()) },
  {
    weight: 1,
    arbitrary: fc.tuple(
      fc.constant('$size'),
      fc.integer({ min: 0, max: 3 }).map((n) => new Int32(n)),
    ),
  },
);

const operatorDocs: Arbitrary<Doc> = fc
  .uniqueArray(operators, { selector: ([name]) => name, minLength: 1, maxLength: 2 })
  .map((entries) => new Map(entries));

const fieldConditions: Arbitrary<Value> = fc.oneof(
  { weight: 5, arbitrary: operatorDocs },
  { weight: 3, arbitrary: values.filter((value) => !(isDoc(value) && value.size === 0)) },
  { weight: 1, arbitrary: operatorDocs.map((inner) => doc(['$not', inner])) },
  { weight: 1, arbitrary: operatorDocs.map((inner) => doc(['$elemMatch', inner])) },
  { weight: 1, arbitrary: fc.tuple(names, operatorDocs).map(([name, inner]) => doc(['$elemMatch', doc([name, inner])])) },
);

/** Filters of the query language. */
export const filters: Arbitrary<Doc> = fc.letrec<{ filter: Doc; fields: Doc; logic: Doc }>((tie) => ({
  filter: fc.oneof({ maxDepth: 2 }, { weight: 5, arbitrary: tie('fields') }, { weight: 1, arbitrary: tie('logic') }),
  fields: fc
    .uniqueArray(fc.tuple(paths, fieldConditions), { selector: ([path]) => path, minLength: 1, maxLength: 2 })
    .map((fields) => new Map(fields)),
  logic: fc
    .tuple(fc.constantFrom('$and', '$or', '$nor'), fc.array(tie('filter'), { minLength: 1, maxLength: 2 }))
    .map(([name, parts]) => doc([name, parts])),
})).filter;

/** Sorts by up to two paths. */
export const sorts: Arbitrary<Doc> = fc
  .uniqueArray(fc.tuple(paths, fc.constantFrom(1, -1)), { selector: ([path]) => path, minLength: 1, maxLength: 2 })
  .map((parts) => new Map<string, Value>(parts.map(([path, direction]) => [path, new Int32(direction)])));

const pushes: Arbitrary<Value> = fc.oneof(
  values,
  fc
    .record(
      {
        $each: fc.array(values, { maxLength: 3 }),
        $slice: fc.integer({ min: -2, max: 3 }).map((n) => new Int32(n)),
      },
      { requiredKeys: ['$each'] },
    )
    .map((clauses) => new Map<string, Value>(Object.entries(clauses))),
);

const updateParts: Arbitrary<[string, Value]> = fc.oneof(
  { weight: 4, arbitrary: fc.tuple(fc.constant('$set'), values) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('$unset'), fc.constant('')) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('$inc'), numbers) },
  { weight: 2, arbitrary: fc.tuple(fc.constant('$max'), values) },
  { weight: 3, arbitrary: fc.tuple(fc.constant('$push'), pushes) },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('$addToSet'),
      fc.oneof(
        values,
        fc.array(values, { maxLength: 3 }).map((items) => doc(['$each', items])),
      ),
    ),
  },
  {
    weight: 2,
    arbitrary: fc.tuple(
      fc.constant('$pull'),
      fc.oneof(
        values,
        operatorDocs,
        fc.tuple(names, operatorDocs).map(([name, inner]) => doc([name, inner])),
      ),
    ),
  },
);

/** Update paths, some with `$[]` for all elements of an array. */
const updatePaths = fc.oneof(
  { weight: 6, arbitrary: paths },
  { weight: 1, arbitrary: names.map((name) => `${name}.$[]`) },
  { weight: 1, arbitrary: fc.tuple(names, names).map(([name, inner]) => `${name}.$[].${inner}`) },
);

/** Updates of up to three operators. */
export const updates: Arbitrary<Doc> = fc
  .array(fc.tuple(updatePaths, updateParts), { minLength: 1, maxLength: 3 })
  .map((parts) => {
    const update: Doc = new Map();
    for (const [path, [operator, operand]] of parts) {
      const fields = (update.get(operator) as Doc | undefined) ?? new Map();
      update.set(operator, fields.set(path, operand));
    }
    return update;
  });

/** Inclusive or exclusive projections. */
export const projections: Arbitrary<Doc> = fc
  .tuple(fc.boolean(), fc.uniqueArray(paths, { minLength: 1, maxLength: 3 }), fc.boolean())
  .map(([includes, chosen, keepsId]) => {
    const spec: Doc = new Map(chosen.map((path) => [path, new Int32(includes ? 1 : 0)]));
    return keepsId ? spec : spec.set('_id', new Int32(0));
  });
/** The sort direction 1. */
export const one = new Int32(1);

/** Updates of array elements, with their array filters. */
export const filteredUpdates: Arbitrary<{ update: Doc; arrayFilters: Doc[] }> = fc
  .tuple(names, fc.constantFrom('', '.a', '.b.c'), updateParts, fieldConditions, fc.constantFrom('', '.a'))
  .map(([name, rest, [operator, operand], condition, inner]) => ({
    update: doc([operator, doc([`${name}.$[e]${rest}`, operand])]),
    arrayFilters: [doc([`e${inner}`, condition])],
  }));

/**
 * Conditions on array elements. `$exists` is left out: false on a null in an array crashes the
 * reference engine.
 */
const comparisons = fc
  .tuple(fc.constantFrom('$eq', '$gt', '$lte', '$ne'), operands)
  .map(([name, operand]) => doc([name, operand]));

/** Projections that compute values, or that exist only in a find. */
export const findProjections: Arbitrary<Doc> = fc
  .uniqueArray(
    fc.tuple(
      names,
      fc.oneof<Arbitrary<Value>[]>(
        fc.tuple(names, comparisons).map(([name, inner]) => doc(['$elemMatch', doc([name, inner])])),
        comparisons.map((inner) => doc(['$elemMatch', inner])),
        fc.constantFrom<Value>(new Int32(1), new Int32(0), '$b', 'text'),
      ),
    ),
    { selector: ([name]) => name, minLength: 1, maxLength: 3 },
  )
  .map((fields) => new Map(fields));
