import { Int32, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { splitOutput } from '../../src/query/output-stage.ts';
import type { Doc } from '../../src/query/value.ts';
import { all, codeOf, d } from './notation.ts';
import { plain, type Row, run, USERS } from './running.ts';

const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  joining: [
    [
      '$lookup by fields',
      [{ $lookup: { from: 'users', localField: 'u', foreignField: '_id', as: 'user' } }, { $project: { 'user.name': 1 } }],
      [{ u: 1 }, { u: 9 }],
      [{ user: [{ name: 'Ada' }] }, { user: [] }],
    ],
    [
      '$lookup by the elements of an array',
      [{ $lookup: { from: 'users', localField: 'u', foreignField: '_id', as: 'n' } }, { $project: { n: '$n.name' } }],
      [{ u: [2, 1] }],
      [{ n: ['Ada', 'Bob'] }],
    ],
    [
      '$lookup into an array',
      [{ $lookup: { from: 'users', localField: 'r', foreignField: 'rooms', as: 'n' } }, { $project: { n: '$n.name' } }],
      [{ r: 'b' }],
      [{ n: ['Ada'] }],
    ],
    [
      '$lookup takes missing for null on both sides',
      [{ $lookup: { from: 'users', localField: 'none', foreignField: 'boss', as: 'n' } }, { $project: { n: '$n.name' } }],
      [{ a: 1 }],
      [{ n: ['Ada'] }],
    ],
    [
      '$lookup by a pipeline with variables',
      [
        {
          $lookup: {
            from: 'users',
            let: { id: '$u' },
            pipeline: [{ $match: { $expr: { $gt: ['$_id', '$$id'] } } }, { $project: { name: 1, _id: 0 } }],
            as: 'after',
          },
        },
      ],
      [{ u: 2 }],
      [{ u: 2, after: [{ name: 'Cyd' }] }],
    ],
    [
      '$lookup by both',
      [
        {
          $lookup: {
            from: 'users',
            localField: 'u',
            foreignField: '_id',
            let: { min: 2 },
            pipeline: [{ $match: { $expr: { $gte: ['$_id', '$$min'] } } }, { $count: 'n' }],
            as: 'found',
          },
        },
      ],
      [{ u: [1, 2] }],
      [{ u: [1, 2], found: [{ n: 1 }] }],
    ],
    [
      '$lookup inside $lookup sees the variables of both',
      [
        {
          $lookup: {
            from: 'users',
            let: { a: '$u' },
            pipeline: [
              { $match: { _id: 1 } },
              {
                $lookup: {
                  from: 'users',
                  let: { b: '$_id' },
                  pipeline: [{ $match: { _id: 3 } }, { $project: { _id: 0, sum: { $add: ['$$a', '$$b'] } } }],
                  as: 'in',
                },
              },
              { $project: { _id: 0, in: 1 } },
            ],
            as: 'out',
          },
        },
      ],
      [{ u: 10 }],
      [{ u: 10, out: [{ in: [{ sum: 11 }] }] }],
    ],
    [
      '$graphLookup follows references',
      [
        {
          $graphLookup: {
            from: 'users',
            startWith: '$u',
            connectFromField: 'boss',
            connectToField: '_id',
            as: 'chain',
            depthField: 'depth',
          },
        },
        { $project: { chain: { $sortArray: { input: '$chain', sortBy: { _id: 1 } } } } },
        { $project: { 'chain._id': 1, 'chain.depth': 1 } },
      ],
      [{ u: 3 }],
      [{ chain: [1, 2, 3].map((id) => ({ _id: id, depth: Long.fromInt(3 - id) })) }],
    ],
    [
      '$unionWith',
      [{ $unionWith: { coll: 'users', pipeline: [{ $match: { _id: 3 } }, { $project: { name: 1 } }] } }],
      [{ a: 1 }],
      [{ a: 1 }, { _id: 3, name: 'Cyd' }],
    ],
    [
      '$facet',
      [{ $facet: { n: [{ $count: 'n' }], first: [{ $limit: 1 }] } }],
      [{ a: 1 }, { a: 2 }],
      [{ n: [{ n: 2 }], first: [{ a: 1 }] }],
    ],
  ],
};

describe.each(Object.entries(SECTIONS))('%s', (_section, rows) => {
  it.each(rows)('%s', (_story, stages, docs, expected) => {
    expect(run(stages, all(...docs)).map(plain)).toEqual(all(...expected).map(plain));
  });
});

describe('a join through an index', () => {
  it('asks the collection for the partners of each document by their field', () => {
    const filters: unknown[] = [];
    const collection = (_name: string, filter?: Doc) => {
      filters.push(filter);
      return USERS;
    };
    const stages = [
      { $lookup: { from: 'users', localField: 'u', foreignField: '_id', as: 'x' } },
      { $project: { n: '$x.name' } },
    ];
    expect(run(stages, all({ u: 2 }), { collection, isIndexed: () => true }).map(plain)).toEqual([{ n: ['Bob'] }]);
    expect(filters).toEqual([d({ _id: { $in: [2] } })]);
  });

  it('asks by what the first $match of a sub-pipeline says, variables included', () => {
    const filters: unknown[] = [];
    const collection = (_name: string, filter?: Doc) => {
      filters.push(filter);
      return USERS;
    };
    const pipeline = [{ $match: { name: 'Bob', $expr: { $eq: ['$_id', '$$id'] } } }];
    expect(
      run([{ $lookup: { from: 'users', let: { id: '$u' }, pipeline, as: 'x' } }], all({ u: 2 }), { collection }),
    ).toHaveLength(1);
    expect(filters).toEqual([d({ name: 'Bob', _id: { $eq: 2 } })]);
  });
});

describe('a collation', () => {
  it('rules over groups, joins and sorts', () => {
    const texts = new Intl.Collator('en', { sensitivity: 'base' }).compare;
    const stages = [
      { $group: { _id: '$k', n: { $sum: 1 } } },
      { $lookup: { from: 'users', localField: '_id', foreignField: 'name', as: 'u' } },
      { $project: { n: 1, u: { $size: '$u' } } },
    ];
    expect(run(stages, all({ k: 'ada' }, { k: 'ADA' }, { k: 'x' }), { texts }).map(plain)).toEqual([
      { _id: 'ada', n: 2, u: 1 },
      { _id: 'x', n: 1, u: 0 },
    ]);
  });
});

describe('splitOutput', () => {
  it.each<[string, object[], unknown]>([
    ['takes $out off', [{ $match: {} }, { $out: 'x' }], { kind: 'out', db: undefined, collection: 'x' }],
    ['knows another database', [{ $out: { db: 'd', coll: 'x' } }], { kind: 'out', db: 'd', collection: 'x' }],
    [
      'knows what $merge does by itself',
      [{ $merge: 'x' }],
      {
        kind: 'merge',
        db: undefined,
        collection: 'x',
        on: undefined,
        variables: undefined,
        whenMatched: 'merge',
        whenNotMatched: 'insert',
      },
    ],
    ['leaves other pipelines alone', [{ $match: {} }], undefined],
  ])('%s', (_story, stages, output) => {
    const split = splitOutput(stages.map(d));
    expect(split.output).toEqual(output);
    expect(split.stages).toHaveLength(stages.length - (output === undefined ? 0 : 1));
  });

  it('keeps what is told to $merge', () => {
    const into = { db: 'd', coll: 'x' };
    const { output } = splitOutput([
      d({ $merge: { into, on: ['a', 'b'], whenMatched: [{ $set: { n: 1 } }], whenNotMatched: 'discard' } }),
    ]);
    expect(output).toMatchObject({
      db: 'd',
      collection: 'x',
      on: ['a', 'b'],
      whenMatched: [new Map([['$set', new Map([['n', new Int32(1)]])]])],
      whenNotMatched: 'discard',
    });
  });

  it.each<[string, object, number]>([
    ['$out of a number', { $out: 1 }, 16990],
    ['$merge into nothing', { $merge: {} }, 40414],
    ['$merge of an unknown way', { $merge: { into: 'x', whenMatched: 'bounce' } }, 9],
    ['$merge on nothing', { $merge: { into: 'x', on: [] } }, 51187],
  ])('%s is refused', (_story, stage, code) => {
    expect(codeOf(() => splitOutput([d(stage)]))).toBe(code);
  });
});
