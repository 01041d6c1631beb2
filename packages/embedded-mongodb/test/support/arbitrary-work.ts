import { Double, Int32, Long, ObjectId } from 'bson';
import fc, { type Arbitrary } from 'fast-check';
import type { Doc, Value } from '../../src/values/value.ts';
import { doc } from '../query/arbitraries.ts';

/*
 * Commands as services send them. They avoid cases in which MongoDB does not specify the order or
 * choice of documents.
 */

const int = (n: number) => new Int32(n);
const smallInts = fc.integer({ min: -2, max: 6 }).map(int);
const numbers: Arbitrary<Value> = fc.oneof(
  { weight: 4, arbitrary: smallInts },
  fc.constantFrom<Value>(new Double(0.5), new Double(2), Long.fromNumber(3)),
);
const texts = fc.constantFrom('', 'a', 'b', 'ab', 'room', 'ü');
const dates = fc.integer({ min: 0, max: 4 }).map((n) => new Date(1_700_000_000_000 + n * 1000));
const objectIds = fc.integer({ min: 0, max: 3 }).map((n) => new ObjectId(n.toString().padStart(24, '0')));
const scalars: Arbitrary<Value> = fc.oneof(numbers, texts, dates, objectIds, fc.boolean(), fc.constant(null));
const lists = fc.array(fc.oneof(numbers, texts), { minLength: 1, maxLength: 3 });
const inner = fc.record({ x: scalars, y: numbers }, { requiredKeys: [] }).map((fields): Doc => new Map(Object.entries(fields)));

const ids = fc.nat(9).map(int);
const fields = fc
  .record({ n: numbers, t: texts, s: scalars, l: lists, d: inner }, { requiredKeys: [] })
  .map((record): [string, Value][] => Object.entries(record));
const documents = fc.tuple(ids, fields).map(([_id, rest]) => doc(['_id', _id], ...rest));

const comparable = fc.constantFrom('n', 't', 's', 'd.x', 'd.y', 'l');
const conditions: Arbitrary<Value> = fc.oneof(
  scalars,
  fc.tuple(fc.constantFrom('$gt', '$gte', '$lt', '$lte', '$ne', '$eq'), scalars).map((entry) => doc(entry)),
  fc.tuple(fc.constant('$in'), fc.array(scalars, { minLength: 1, maxLength: 3 })).map((entry) => doc(entry)),
  fc.boolean().map((exists) => doc(['$exists', exists])),
);
const plainFilters = fc
  .uniqueArray(fc.tuple(comparable, conditions), { selector: ([path]) => path, maxLength: 2 })
  .map((entries): Doc => new Map(entries));
const filters = fc.oneof(
  { weight: 4, arbitrary: plainFilters },
  fc.tuple(fc.constantFrom('$or', '$and'), fc.array(plainFilters, { minLength: 1, maxLength: 2 })).map((entry) => doc(entry)),
  ids.map((_id) => doc(['_id', _id])),
);

const operators: Arbitrary<[string, Doc]> = fc.oneof(
  fc.tuple(fc.constantFrom('n', 't', 's', 'd.x'), scalars).map(([path, value]): [string, Doc] => ['$set', doc([path, value])]),
  fc.tuple(fc.constantFrom('n', 'd.y'), smallInts).map(([path, by]): [string, Doc] => ['$inc', doc([path, by])]),
  smallInts.map((to): [string, Doc] => ['$max', doc(['n', to])]),
  fc.constantFrom('t', 'd.x', 'l').map((path): [string, Doc] => ['$unset', doc([path, ''])]),
  fc
    .tuple(fc.constantFrom('$push', '$addToSet', '$pull'), numbers)
    .map(([name, item]): [string, Doc] => [name, doc(['l', item])]),
);
const updates = fc
  .uniqueArray(operators, { selector: ([, target]) => [...target.keys()][0]?.split('.')[0], minLength: 1, maxLength: 3 })
  .map((entries) => {
    const update: Doc = new Map();
    for (const [name, target] of entries)
      update.set(name, new Map([...((update.get(name) as Doc | undefined) ?? []), ...target]));
    return update;
  });

const directions = fc.constantFrom(1, -1).map(int);
/** Sorts end with `_id`, so that the order is unique. */
const sorts = fc
  .uniqueArray(fc.tuple(fc.constantFrom('n', 't', 'd.y'), directions), { selector: ([path]) => path, maxLength: 2 })
  .map((parts): Doc => new Map<string, Value>([...parts, ['_id', int(1)]]));
const projections = fc.constantFrom(
  doc(['n', int(1)], ['d.x', int(1)]),
  doc(['t', int(1)], ['_id', int(0)]),
  doc(['l', int(0)]),
  doc(['d', int(0)], ['s', int(0)]),
);
const patterns = fc.constantFrom(
  doc(['n', int(1)]),
  doc(['t', int(1)], ['n', int(-1)]),
  doc(['s', int(-1)]),
  doc(['l', int(1)], ['n', int(1)]),
  doc(['d.x', int(1)]),
);
const indexOptions = fc.constantFrom<[string, Value][]>(
  [],
  [],
  [['sparse', true]],
  [['partialFilterExpression', doc(['n', doc(['$gt', int(0)])])]],
);

/**
 * Only sparse indexes of one field: in a unique index, the reference engine accepts any number of
 * documents without the field.
 */
const uniqueIndexes = fc.constantFrom('n', 's', 'd.x').map((path): [Doc, [string, Value][]] => [
  doc([path, int(1)]),
  [
    ['unique', true],
    ['sparse', true],
  ],
]);

const stages: Arbitrary<Doc[]> = fc.oneof(
  filters.map((filter): Doc[] => [doc(['$match', filter]), doc(['$sort', doc(['_id', int(1)])])]),
  fc
    .constantFrom<Value>('$t', doc(['$gt', ['$n', int(1)]]))
    .map((by): Doc[] => [
      doc(['$group', doc(['_id', by], ['count', doc(['$sum', int(1)])], ['sum', doc(['$sum', '$n'])])]),
      doc(['$sort', doc(['_id', int(1)])]),
    ]),
  // A list may have equal numbers of several types, so the order of its elements must be fixed.
  fc.constant<Doc[]>([doc(['$sort', doc(['_id', int(1)])]), doc(['$unwind', '$l']), doc(['$limit', int(4)])]),
  fc.constant<Doc[]>([doc(['$sort', doc(['_id', int(1)])]), doc(['$project', doc(['sum', doc(['$add', ['$n', int(2)]])])])]),
  filters.map((filter): Doc[] => [doc(['$match', filter]), doc(['$group', doc(['_id', int(1)], ['n', doc(['$sum', int(1)])])])]),
);

const maybe = <T extends Value>(name: string, value: Arbitrary<T>): Arbitrary<[string, Value][]> =>
  fc.option(value, { nil: undefined }).map((given) => (given === undefined ? [] : [[name, given]]));

/** A command on a collection, without its first field, which names the collection. */
export type Work = readonly [command: string, ...fields: [string, Value][]];

/** Read and write commands with their arguments. */
export const work: Arbitrary<Work> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.array(documents, { minLength: 1, maxLength: 4 }), fc.boolean())
      .map(([list, ordered]): Work => ['insert', ['documents', list], ['ordered', ordered]]),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        ids,
        fc.oneof(
          { weight: 4, arbitrary: updates },
          fields.map((list): Doc => new Map(list)),
        ),
        fc.boolean(),
      )
      .map(([_id, u, upsert]): Work => ['update', ['updates', [doc(['q', doc(['_id', _id])], ['u', u], ['upsert', upsert])]]]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(filters, updates)
      .map(([q, u]): Work => ['update', ['updates', [doc(['q', q], ['u', u], ['multi', true])]]]),
  },
  { weight: 1, arbitrary: filters.map((q): Work => ['delete', ['deletes', [doc(['q', q], ['limit', int(0)])]]]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(filters, updates, sorts, fc.boolean(), maybe('fields', projections))
      .map(
        ([query, update, sort, returnNew, rest]): Work => [
          'findAndModify',
          ['query', query],
          ['update', update],
          ['sort', sort],
          ['new', returnNew],
          ...rest,
        ],
      ),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(filters, sorts)
      .map(([query, sort]): Work => ['findAndModify', ['query', query], ['sort', sort], ['remove', true]]),
  },
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        filters,
        sorts,
        maybe('projection', projections),
        maybe('skip', fc.nat(2).map(int)),
        maybe('limit', fc.integer({ min: 1, max: 4 }).map(int)),
      )
      .map(([filter, sort, ...rest]): Work => ['find', ['filter', filter], ['sort', sort], ...rest.flat()]),
  },
  { weight: 3, arbitrary: stages.map((pipeline): Work => ['aggregate', ['pipeline', pipeline], ['cursor', new Map()]]) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.oneof({ weight: 4, arbitrary: fc.tuple(patterns, indexOptions) }, uniqueIndexes), fc.nat(2))
      .map(([[key, options], i]): Work => ['createIndexes', ['indexes', [doc(['key', key], ['name', `index${i}`], ...options)]]]),
  },
);
