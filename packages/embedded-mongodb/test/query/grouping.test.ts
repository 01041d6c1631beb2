import { Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { all } from './notation.ts';
import { plain, type Row, run } from './running.ts';

const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  grouping: [
    [
      '$group by a field',
      [{ $group: { _id: '$k', n: { $sum: 1 }, all: { $push: '$v' } } }],
      [
        { k: 'x', v: 1 },
        { k: 'y', v: 2 },
        { k: 'x', v: 3 },
      ],
      [
        { _id: 'x', n: 2, all: [1, 3] },
        { _id: 'y', n: 1, all: [2] },
      ],
    ],
    [
      '$group meets numbers of all types',
      [{ $group: { _id: '$k', n: { $sum: 1 } } }],
      [{ k: 1 }, { k: Long.fromInt(1) }, { k: 1.0 }],
      [{ _id: 1, n: 3 }],
    ],
    ['$group takes missing for null', [{ $group: { _id: '$k', n: { $sum: 1 } } }], [{}, { k: null }], [{ _id: null, n: 2 }]],
    [
      '$group of everything',
      [{ $group: { _id: null, sum: { $sum: '$v' }, avg: { $avg: '$v' }, min: { $min: '$v' }, max: { $max: '$v' } } }],
      [{ v: 1 }, { v: 2.5 }, { v: 'x' }, {}],
      [{ _id: null, sum: 3.5, avg: 1.75, min: 1, max: 'x' }],
    ],
    [
      '$first and $last',
      [{ $group: { _id: null, f: { $first: '$v' }, l: { $last: '$v' } } }],
      [{ v: 1 }, { v: 2 }, {}],
      [{ _id: null, f: 1, l: null }],
    ],
    [
      '$addToSet and $mergeObjects',
      [{ $group: { _id: null, s: { $addToSet: '$v' }, m: { $mergeObjects: '$o' } } }],
      [
        { v: 1, o: { a: 1 } },
        { v: 1, o: { b: 2 } },
      ],
      [{ _id: null, s: [1], m: { a: 1, b: 2 } }],
    ],
    [
      '$top, $bottomN, $firstN, $maxN',
      [
        {
          $group: {
            _id: null,
            t: { $top: { sortBy: { v: -1 }, output: '$n' } },
            b: { $bottomN: { n: 2, sortBy: { v: -1 }, output: '$n' } },
            f: { $firstN: { n: 1, input: '$n' } },
            m: { $maxN: { n: 2, input: '$v' } },
          },
        },
      ],
      [
        { n: 'a', v: 1 },
        { n: 'b', v: 3 },
        { n: 'c', v: 2 },
      ],
      [{ _id: null, t: 'b', b: ['c', 'a'], f: ['a'], m: [3, 2] }],
    ],
    [
      '$stdDevPop and $stdDevSamp',
      [{ $group: { _id: null, p: { $stdDevPop: '$v' }, s: { $stdDevSamp: '$v' } } }],
      [{ v: 5 }],
      [{ _id: null, p: 0, s: null }],
    ],
    ['$count', [{ $count: 'n' }], [{ a: 1 }, { a: 2 }], [{ n: 2 }]],
    ['$count of nothing is nothing', [{ $count: 'n' }], [], []],
    [
      '$sortByCount',
      [{ $sortByCount: '$k' }],
      [{ k: 1 }, { k: 2 }, { k: 2 }],
      [
        { _id: 2, count: 2 },
        { _id: 1, count: 1 },
      ],
    ],
    [
      '$bucket',
      [{ $bucket: { groupBy: '$v', boundaries: [0, 5, 10], default: 'other' } }],
      [{ v: 1 }, { v: 5 }, { v: 9 }, { v: 99 }],
      [
        { _id: 0, count: 1 },
        { _id: 5, count: 2 },
        { _id: 'other', count: 1 },
      ],
    ],
    [
      '$bucketAuto',
      [{ $bucketAuto: { groupBy: '$v', buckets: 2 } }],
      [{ v: 1 }, { v: 2 }, { v: 3 }, { v: 4 }],
      [
        { _id: { min: 1, max: 3 }, count: 2 },
        { _id: { min: 3, max: 4 }, count: 2 },
      ],
    ],
  ],
  'windows ($setWindowFields)': [
    [
      'ranks',
      [
        {
          $setWindowFields: { sortBy: { v: 1 }, output: { r: { $rank: {} }, d: { $denseRank: {} }, n: { $documentNumber: {} } } },
        },
      ],
      [{ v: 1 }, { v: 1 }, { v: 2 }],
      [
        { v: 1, r: 1, d: 1, n: 1 },
        { v: 1, r: 1, d: 1, n: 2 },
        { v: 2, r: 3, d: 2, n: 3 },
      ],
    ],
    [
      'running totals by partition',
      [
        {
          $setWindowFields: {
            partitionBy: '$k',
            sortBy: { v: 1 },
            output: { t: { $sum: '$v', window: { documents: ['unbounded', 'current'] } } },
          },
        },
      ],
      [
        { k: 'b', v: 5 },
        { k: 'a', v: 2 },
        { k: 'a', v: 1 },
      ],
      [
        { k: 'a', v: 1, t: 1 },
        { k: 'a', v: 2, t: 3 },
        { k: 'b', v: 5, t: 5 },
      ],
    ],
    [
      'neighbours by number',
      [{ $setWindowFields: { sortBy: { v: 1 }, output: { p: { $push: '$v', window: { documents: [-1, 1] } } } } }],
      [{ v: 1 }, { v: 2 }, { v: 3 }],
      [
        { v: 1, p: [1, 2] },
        { v: 2, p: [1, 2, 3] },
        { v: 3, p: [2, 3] },
      ],
    ],
    [
      'neighbours by distance',
      [{ $setWindowFields: { sortBy: { v: 1 }, output: { n: { $count: {}, window: { range: [-1, 'current'] } } } } }],
      [{ v: 1 }, { v: 2 }, { v: 9 }],
      [
        { v: 1, n: 1 },
        { v: 2, n: 2 },
        { v: 9, n: 1 },
      ],
    ],
    [
      'shifted values, last values, lines between',
      [
        {
          $setWindowFields: {
            sortBy: { x: 1 },
            output: { s: { $shift: { output: '$x', by: 1, default: 0 } }, l: { $locf: '$v' }, f: { $linearFill: '$v' } },
          },
        },
      ],
      [
        { x: 1, v: 10 },
        { x: 2, v: null },
        { x: 3, v: 20 },
      ],
      [
        { x: 1, v: 10, s: 2, l: 10, f: 10 },
        { x: 2, v: null, s: 3, l: 10, f: 15.0 },
        { x: 3, v: 20, s: 0, l: 20, f: 20 },
      ],
    ],
  ],
};

describe.each(Object.entries(SECTIONS))('%s', (_section, rows) => {
  it.each(rows)('%s', (_story, stages, docs, expected) => {
    expect(run(stages, all(...docs)).map(plain)).toEqual(all(...expected).map(plain));
  });
});
