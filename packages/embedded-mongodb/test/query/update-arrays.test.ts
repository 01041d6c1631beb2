import { describe, expect, it } from 'vitest';
import { compileUpdate } from '../../src/update/update.ts';
import { codeOf, d } from './notation.ts';

const updated = (update: object, before: object) => compileUpdate(d(update)).apply(d(before)).doc;

/** A title, an update, and a document before and after it. */
type Row = readonly [story: string, update: object, before: object, after: object];

const sections: Readonly<Record<string, readonly Row[]>> = {
  $push: [
    ['adds at the end', { $push: { a: 2 } }, { a: [1] }, { a: [1, 2] }],
    ['makes the array', { $push: { 'a.b': 1 } }, {}, { a: { b: [1] } }],
    ['adds an array as one element', { $push: { a: [2, 3] } }, { a: [1] }, { a: [1, [2, 3]] }],
    ['adds several with $each', { $push: { a: { $each: [2, 3] } } }, { a: [1] }, { a: [1, 2, 3] }],
    ['makes an empty array of nothing', { $push: { a: { $each: [] } } }, {}, { a: [] }],
    ['keeps the first with a positive $slice', { $push: { a: { $each: [3], $slice: 2 } } }, { a: [1, 2] }, { a: [1, 2] }],
    ['keeps the last with a negative $slice', { $push: { a: { $each: [3], $slice: -2 } } }, { a: [1, 2] }, { a: [2, 3] }],
  ],
  $addToSet: [
    ['adds a value that is missing', { $addToSet: { a: 2 } }, { a: [1] }, { a: [1, 2] }],
    ['adds no value that exists', { $addToSet: { a: 1 } }, { a: [1] }, { a: [1] }],
    ['treats equal numbers of all types as the same', { $addToSet: { a: 1.0 } }, { a: [1] }, { a: [1] }],
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
  $pull: [
    ['removes elements that equal a value', { $pull: { a: 1 } }, { a: [1, 2, 1] }, { a: [2] }],
    ['removes elements that meet operators', { $pull: { a: { $gt: 1 } } }, { a: [1, 2, 3] }, { a: [1] }],
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
    ['removes an array that equals an array', { $pull: { a: [1] } }, { a: [[1], 1] }, { a: [1] }],
    ['looks into inner arrays with operators', { $pull: { a: { $gt: 1 } } }, { a: [[2], [1]] }, { a: [[1]] }],
    ['removes the elements in a list', { $pull: { a: { $in: [1, 2] } } }, { a: [1, 2, 3] }, { a: [3] }],
    ['ignores a missing field', { $pull: { 'a.b': 1 } }, {}, {}],
  ],
};

describe.each(Object.entries(sections))('%s', (section, rows) => {
  it.each(rows)(`${section} %s`, (_story, update, before, after) => {
    expect(updated(update, before)).toEqual(d(after));
  });
});

describe('updates of arrays that are refused', () => {
  it.each<[string, object, object, number]>([
    ['with $push to a value that is not an array', { $push: { a: 1 } }, { a: 1 }, 2],
    ['with $push and an unknown clause', { $push: { a: { $each: [], $foo: 1 } } }, {}, 2],
    ['with $each of a value that is not an array', { $push: { a: { $each: 1 } } }, {}, 2],
    ['with a $slice that is not a number', { $push: { a: { $each: [], $slice: 'x' } } }, {}, 2],
    ['with $addToSet to a value that is not an array', { $addToSet: { a: 1 } }, { a: 1 }, 2],
    ['with $addToSet $each of a value that is not an array', { $addToSet: { a: { $each: 1 } } }, {}, 14],
    ['with $addToSet and more than $each', { $addToSet: { a: { $each: [], $slice: 1 } } }, {}, 2],
    ['with $pull from a value that is not an array', { $pull: { a: 1 } }, { a: 1 }, 2],
    ['with $pull by a regular expression', { $pull: { a: /x/ } }, {}, 115],
    ['with $pull by an unknown operator', { $pull: { a: { $foo: 1 } } }, {}, 2],
  ])('an update of an array is refused %s', (_story, update, before, code) => {
    expect(codeOf(() => updated(update, before))).toBe(code);
  });
});
