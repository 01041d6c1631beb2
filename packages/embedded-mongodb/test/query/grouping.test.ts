import { Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { all } from './notation.ts';
import { plain, type Row, run } from './running.ts';

const sections: Readonly<Record<string, readonly Row[]>> = {
  grouping: [
    [
      '$group groups by a field',
      [{ $group: { _id: '$k', n: { $sum: 1 }, all: { $sum: '$v' } } }],
      [
        { k: 'x', v: 1 },
        { k: 'y', v: 2 },
        { k: 'x', v: 3 },
      ],
      [
        { _id: 'x', n: 2, all: 4 },
        { _id: 'y', n: 1, all: 2 },
      ],
    ],
    [
      '$group treats equal numbers of all types as one group',
      [{ $group: { _id: '$k', n: { $sum: 1 } } }],
      [{ k: 1 }, { k: Long.fromInt(1) }, { k: 1.0 }],
      [{ _id: 1, n: 3 }],
    ],
    ['$group treats missing as null', [{ $group: { _id: '$k', n: { $sum: 1 } } }], [{}, { k: null }], [{ _id: null, n: 2 }]],
    [
      '$group can group all documents',
      [{ $group: { _id: null, sum: { $sum: '$v' } } }],
      [{ v: 1 }, { v: 2.5 }, { v: 'x' }, {}],
      [{ _id: null, sum: 3.5 }],
    ],
  ],
};

describe.each(Object.entries(sections))('%s:', (_section, rows) => {
  it.each(rows)('%s', (_story, stages, docs, expected) => {
    expect(run(stages, all(...docs)).map(plain)).toEqual(all(...expected).map(plain));
  });
});
