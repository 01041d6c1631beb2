import { describe, expect, it } from 'vitest';
import type { Doc } from '../../src/values/value.ts';
import { all, d } from './notation.ts';
import { plain, type Row, run, someUsers } from './running.ts';

const sections: Readonly<Record<string, readonly Row[]>> = {
  joining: [
    [
      '$lookup joins by fields',
      [{ $lookup: { from: 'users', localField: 'u', foreignField: '_id', as: 'user' } }, { $project: { 'user.name': 1 } }],
      [{ u: 1 }, { u: 9 }],
      [{ user: [{ name: 'Ada' }] }, { user: [] }],
    ],
    [
      '$lookup joins by the elements of an array',
      [{ $lookup: { from: 'users', localField: 'u', foreignField: '_id', as: 'n' } }, { $project: { n: '$n.name' } }],
      [{ u: [2, 1] }],
      [{ n: ['Ada', 'Bob'] }],
    ],
    [
      '$lookup joins with the elements of a foreign array',
      [{ $lookup: { from: 'users', localField: 'r', foreignField: 'rooms', as: 'n' } }, { $project: { n: '$n.name' } }],
      [{ r: 'b' }],
      [{ n: ['Ada'] }],
    ],
    [
      '$lookup treats missing as null on both sides',
      [{ $lookup: { from: 'users', localField: 'none', foreignField: 'boss', as: 'n' } }, { $project: { n: '$n.name' } }],
      [{ a: 1 }],
      [{ n: ['Ada'] }],
    ],
  ],
};

describe.each(Object.entries(sections))('%s:', (_section, rows) => {
  it.each(rows)('%s', (_story, stages, docs, expected) => {
    expect(run(stages, all(...docs)).map(plain)).toEqual(all(...expected).map(plain));
  });
});

describe('a join through an index', () => {
  it('a join through an index looks up the partners of each document by their field', () => {
    const filters: unknown[] = [];
    const collection = (_name: string, filter?: Doc) => {
      filters.push(filter);
      return someUsers;
    };
    const stages = [
      { $lookup: { from: 'users', localField: 'u', foreignField: '_id', as: 'x' } },
      { $project: { n: '$x.name' } },
    ];
    expect(run(stages, all({ u: 2 }), { collection, isIndexed: () => true }).map(plain)).toEqual([{ n: ['Bob'] }]);
    expect(filters).toEqual([d({ _id: 2 })]);
    run(stages, all({ u: [1, 2] }), { collection, isIndexed: () => true });
    expect(filters).toEqual([d({ _id: 2 }), d({ _id: { $in: [1, 2] } })]);
  });
});
