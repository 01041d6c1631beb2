import { describe, expect, it } from 'vitest';
import { compileUpdate } from '../../src/query/update.ts';
import { codeOf, d } from './notation.ts';

const updated = (update: object, before: object) => compileUpdate(d(update)).apply(d(before)).doc;

/** A sentence, an update, a document before it and after it. */
type Row = readonly [story: string, update: object, before: object, after: object];

const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  $push: [
    ['adds at the end', { $push: { a: 2 } }, { a: [1] }, { a: [1, 2] }],
    ['makes the array', { $push: { 'a.b': 1 } }, {}, { a: { b: [1] } }],
    ['adds an array as one element', { $push: { a: [2, 3] } }, { a: [1] }, { a: [1, [2, 3]] }],
    ['adds several with $each', { $push: { a: { $each: [2, 3] } } }, { a: [1] }, { a: [1, 2, 3] }],
    ['makes an empty array of nothing', { $push: { a: { $each: [] } } }, {}, { a: [] }],
    ['adds at a $position', { $push: { a: { $each: [9], $position: 1 } } }, { a: [1, 2] }, { a: [1, 9, 2] }],
    [
      'counts a negative $position from the end',
      { $push: { a: { $each: [9], $position: -1 } } },
      { a: [1, 2] },
      { a: [1, 9, 2] },
    ],
    ['keeps the first with a positive $slice', { $push: { a: { $each: [3], $slice: 2 } } }, { a: [1, 2] }, { a: [1, 2] }],
    ['keeps the last with a negative $slice', { $push: { a: { $each: [3], $slice: -2 } } }, { a: [1, 2] }, { a: [2, 3] }],
    ['sorts by value', { $push: { a: { $each: [2], $sort: -1 } } }, { a: [1, 3] }, { a: [3, 2, 1] }],
    [
      'sorts by a field',
      { $push: { a: { $each: [{ x: 1 }], $sort: { x: 1 } } } },
      { a: [{ x: 2 }] },
      { a: [{ x: 1 }, { x: 2 }] },
    ],
    [
      'sorts by a field of a field',
      { $push: { a: { $each: [], $sort: { 'x.y': -1 } } } },
      { a: [{ x: { y: 1 } }, { x: { y: 2 } }] },
      { a: [{ x: { y: 2 } }, { x: { y: 1 } }] },
    ],
    ['sorts before it slices', { $push: { a: { $each: [0], $sort: 1, $slice: 2 } } }, { a: [2, 1] }, { a: [0, 1] }],
  ],
  $addToSet: [
    ['adds what is not there', { $addToSet: { a: 2 } }, { a: [1] }, { a: [1, 2] }],
    ['leaves what is there', { $addToSet: { a: 1 } }, { a: [1] }, { a: [1] }],
    ['takes numbers of all types for the same', { $addToSet: { a: 1.0 } }, { a: [1] }, { a: [1] }],
    [
      'tells documents of another order of fields apart',
      { $addToSet: { a: { y: 1, x: 1 } } },
      { a: [{ x: 1, y: 1 }] },
      {
        a: [
          { x: 1, y: 1 },
          { y: 1, x: 1 },
        ],
      },
    ],
    ['adds several with $each, each once', { $addToSet: { a: { $each: [2, 2, 1] } } }, { a: [1] }, { a: [1, 2] }],
    ['makes the array', { $addToSet: { a: 1 } }, {}, { a: [1] }],
  ],
  $pop: [
    ['takes the last with 1', { $pop: { a: 1 } }, { a: [1, 2] }, { a: [1] }],
    ['takes the first with -1', { $pop: { a: -1 } }, { a: [1, 2] }, { a: [2] }],
    ['passes over an empty array and a missing one', { $pop: { a: 1, b: 1 } }, { a: [] }, { a: [] }],
  ],
  $pull: [
    ['takes away what equals a value', { $pull: { a: 1 } }, { a: [1, 2, 1] }, { a: [2] }],
    ['takes away what meets operators', { $pull: { a: { $gt: 1 } } }, { a: [1, 2, 3] }, { a: [1] }],
    [
      'takes away documents that match',
      { $pull: { a: { x: 1, y: { $lt: 5 } } } },
      {
        a: [
          { x: 1, y: 1 },
          { x: 1, y: 9 },
        ],
      },
      { a: [{ x: 1, y: 9 }] },
    ],
    ['takes away texts that match a pattern', { $pull: { a: /^x/ } }, { a: ['xy', 'yx'] }, { a: ['yx'] }],
    ['takes away an array that equals an array', { $pull: { a: [1] } }, { a: [[1], 1] }, { a: [1] }],
    ['looks into inner arrays with operators', { $pull: { a: { $gt: 1 } } }, { a: [[2], [1]] }, { a: [[1]] }],
    ['takes away those in a list', { $pull: { a: { $in: [1, 2] } } }, { a: [1, 2, 3] }, { a: [3] }],
    ['passes over what is missing', { $pull: { 'a.b': 1 } }, {}, {}],
  ],
  $pullAll: [['takes away all values of a list', { $pullAll: { a: [1, 2] } }, { a: [1, 2, 3, 1] }, { a: [3] }]],
};

describe.each(Object.entries(SECTIONS))('%s', (_section, rows) => {
  it.each(rows)('%s', (_story, update, before, after) => {
    expect(updated(update, before)).toEqual(d(after));
  });
});

describe('an update of an array is refused', () => {
  it.each<[string, object, object, number]>([
    ['with $push to what is no array', { $push: { a: 1 } }, { a: 1 }, 2],
    ['with $push and a clause that there is not', { $push: { a: { $each: [], $foo: 1 } } }, {}, 2],
    ['with $each of what is no array', { $push: { a: { $each: 1 } } }, {}, 2],
    ['with a $position between two places', { $push: { a: { $each: [], $position: 0.5 } } }, {}, 2],
    ['with a $slice that is no number', { $push: { a: { $each: [], $slice: 'x' } } }, {}, 2],
    ['with a $sort by 2', { $push: { a: { $each: [], $sort: 2 } } }, {}, 2],
    ['with a $sort by no field', { $push: { a: { $each: [], $sort: {} } } }, {}, 2],
    ['with $addToSet to what is no array', { $addToSet: { a: 1 } }, { a: 1 }, 2],
    ['with $addToSet $each of what is no array', { $addToSet: { a: { $each: 1 } } }, {}, 14],
    ['with $addToSet and more than $each', { $addToSet: { a: { $each: [], $slice: 1 } } }, {}, 2],
    ['with $pop of what is no array', { $pop: { a: 1 } }, { a: 1 }, 14],
    ['with $pop by 2', { $pop: { a: 2 } }, {}, 9],
    ['with $pop by a text', { $pop: { a: 'x' } }, {}, 9],
    ['with $pull from what is no array', { $pull: { a: 1 } }, { a: 1 }, 2],
    ['with $pull by an unknown operator', { $pull: { a: { $foo: 1 } } }, {}, 2],
    ['with $pullAll by what is no array', { $pullAll: { a: 1 } }, {}, 2],
  ])('%s', (_story, update, before, code) => {
    expect(codeOf(() => updated(update, before))).toBe(code);
  });
});
