import { describe, expect, it } from 'vitest';
import { compilePipeline } from '../../src/aggregate/pipeline.ts';
import { present } from '../../src/operation.ts';
import type { Doc } from '../../src/values/value.ts';
import { all, codeOf, d } from './notation.ts';
import { plain, type Row, run } from './running.ts';

const sections: Readonly<Record<string, readonly Row[]>> = {
  'a filtering stage': [
    ['$match keeps the documents that match', [{ $match: { a: { $gt: 1 } } }], [{ a: 1 }, { a: 2 }], [{ a: 2 }]],
    ['$limit keeps the first documents', [{ $limit: 2 }], [{ a: 1 }, { a: 2 }, { a: 3 }], [{ a: 1 }, { a: 2 }]],
    ['$sort orders the documents', [{ $sort: { a: -1 } }], [{ a: 1 }, { a: 2 }], [{ a: 2 }, { a: 1 }]],
  ],
  'a shaping stage': [
    ['$project keeps the chosen fields', [{ $project: { _id: 0, a: 1 } }], [{ _id: 1, a: 2, b: 3 }], [{ a: 2 }]],
    ['$set adds fields', [{ $set: { b: '$a' } }, { $set: { c: '$b' } }], [{ a: 1 }], [{ a: 1, b: 1, c: 1 }]],
    [
      '$replaceWith replaces the document',
      [{ $replaceWith: '$a' }, { $replaceWith: { x: '$b' } }],
      [{ a: { b: 1 } }],
      [{ x: 1 }],
    ],
    [
      '$unwind makes a document of each element',
      [{ $unwind: '$a' }],
      [{ a: [1, 2], b: 0 }, { a: [] }, { b: 1 }, { a: 5 }],
      [{ a: 1, b: 0 }, { a: 2, b: 0 }, { a: 5 }],
    ],
  ],
};

describe.each(Object.entries(sections))('%s:', (_section, rows) => {
  it.each(rows)('%s', (_story, stages, docs, expected) => {
    expect(run(stages, all(...docs)).map(plain)).toEqual(all(...expected).map(plain));
  });
});

describe('the laziness of pipelines', () => {
  it('a pipeline asks for no more documents than it needs', () => {
    let asked = 0;
    function* endless(): Generator<Doc> {
      for (;;) yield d({ a: asked++ });
    }
    const stages = [{ $match: { a: { $ne: 1 } } }, { $set: { b: 1 } }, { $limit: 2 }].map(d);
    expect([...present(compilePipeline(stages, { collection: () => [] }).run(endless()))].map(plain)).toEqual([
      { a: 0, b: 1 },
      { a: 2, b: 1 },
    ]);
    expect(asked).toBe(3);
  });
});

describe('the memory of pipelines', () => {
  // V8 creates a hidden class for each generator closure. It keeps all data of the pipeline until
  // the next full garbage collection.
  it.each([
    { $match: { a: 1 } },
    { $limit: 1 },
    { $sort: { a: 1 } },
    { $set: { a: 1 } },
    { $project: { a: 1 } },
    { $replaceWith: '$a' },
    { $unwind: '$a' },
    { $group: { _id: null } },
    { $lookup: { from: 'users', localField: 'a', foreignField: 'b', as: 'x' } },
  ])('all pipelines of %o share one generator, so that none leaks memory', (stage) => {
    const prototypeOfRun = () => Object.getPrototypeOf(compilePipeline([d(stage)], { collection: () => [] }).run([]));
    expect(prototypeOfRun()).toBe(prototypeOfRun());
  });
});

describe('$sort before $limit', () => {
  it('$sort before $limit gives the same documents as sorting all of them, though it keeps only a few', () => {
    const docs = Array.from({ length: 1000 }, (_, i) => d({ a: (i * 7919) % 1000, i }));
    const sorted = run([{ $sort: { a: -1 } }], docs);
    expect(run([{ $sort: { a: -1 } }, { $limit: 3 }], docs)).toEqual(sorted.slice(0, 3));
  });
});

describe('pipelines that are refused', () => {
  it.each<[string, object[], number]>([
    ['with an unknown stage', [{ $foo: {} }], 40324],
    ['with a stage of two names', [{ $match: {}, $limit: 1 }], 40323],
    ['with a stage of no name', [{}], 40323],
    ['with a stage that this database does not have', [{ $skip: 1 }], 40324],
    ['with a $match that is not a document', [{ $match: 1 }], 15959],
    ['with $limit 0', [{ $limit: 0 }], 15958],
    ['with a negative $limit', [{ $limit: -1 }], 5107201],
    ['with a $sort by nothing', [{ $sort: {} }], 15976],
    ['with $group without _id', [{ $group: { n: { $sum: 1 } } }], 15955],
    ['with another accumulator than $sum', [{ $group: { _id: null, n: { $avg: 1 } } }], 115],
    ['with an accumulator of a list', [{ $group: { _id: null, n: { $sum: ['$a'] } } }], 40237],
    ['with a grouped field that is not an accumulator', [{ $group: { _id: null, n: 1 } }], 40234],
    ['with a dotted grouped field', [{ $group: { _id: null, 'a.b': { $sum: 1 } } }], 40235],
    ['with an $unwind that is not a path', [{ $unwind: {} }], 28812],
    ['with $unwind of a path without $', [{ $unwind: 'a' }], 28818],
    ['with $unwind and an option', [{ $unwind: { path: '$a', preserveNullAndEmptyArrays: true } }], 28811],
    ['with $lookup by a pipeline', [{ $lookup: { from: 'users', pipeline: [], as: 'x' } }], 9],
    ['with $lookup without as', [{ $lookup: { from: 'users', localField: 'a', foreignField: 'b' } }], 9],
    ['with $lookup of half a pair of fields', [{ $lookup: { from: 'users', localField: 'a', as: 'x' } }], 9],
  ])('a pipeline is refused %s', (_story, stages, code) => {
    expect(codeOf(() => run(stages, all({ a: 1 })))).toBe(code);
  });

  it('a pipeline is refused when a new root is not a document', () => {
    expect(codeOf(() => run([{ $replaceWith: '$a' }], all({ a: 1 })))).toBe(40228);
  });
});
