import { Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { double, evaluate, long, named, now, type Row } from './evaluation.ts';
import { codeOf, d } from './notation.ts';

const sections: Readonly<Record<string, readonly Row[]>> = {
  'paths and values': [
    ['a path finds a field', '$a.b', 1, { a: { b: 1 } }],
    ['a path that leads nowhere is missing', '$a.b', undefined, { a: 1 }],
    ['a path collects from the documents of an array', '$a.b', [1, 2], { a: [{ b: 1 }, { c: 9 }, { b: 2 }, 5] }],
    ['a number in a path is not an array index', '$a.0', [], { a: [1, 2] }],
    ['a number keeps its type', '$a', long('5'), { a: long('5') }],
    ['a document is evaluated field by field, without missing ones', { x: '$a', y: '$none' }, { x: 1 }, { a: 1 }],
    ['an array is evaluated item by item, with null for missing ones', ['$a', '$none'], [1, null], { a: 1 }],
    ['$literal is not evaluated', { $literal: '$a' }, '$a'],
    ['$$ROOT is the document', '$$ROOT', { a: 1 }, { a: 1 }],
    ['$$NOW is the time of the command', '$$NOW', now],
  ],
  arithmetic: [
    ['$add keeps int32', { $add: [1, 2] }, 3],
    ['$add continues in int64', { $add: [2147483647, 1] }, long('2147483648')],
    ['$add continues as double beyond int64', { $add: [Long.MAX_VALUE, 1] }, double(2 ** 63)],
    ['$add adds its arguments in order', { $add: [0.1, 0.2, 0.3] }, double(0.1 + 0.2 + 0.3)],
    ['$add stays double where int64 was too narrow on the way', { $add: [-1, Long.MIN_VALUE, 1] }, double(-(2 ** 63))],
    ['$add of int32 is int32 if the sum fits, whatever the sum was on the way', { $add: [2147483647, 1, -1] }, 2147483647],
    ['$add to a date adds milliseconds', { $add: [new Date(5), 10] }, new Date(15)],
    ['$add of null is null', { $add: [1, null] }, null],
    ['$add of a missing field is null', { $add: [1, '$none'] }, null],
    ['$add to a date can go back', { $add: [new Date(15), -5] }, new Date(10)],
    ['$add to a date rounds each number that follows', { $add: [new Date(15), 1.5, 1.5, -0.5] }, new Date(18)],
    ['$add to a date rounds the sum of those before it', { $add: [1.5, 1.5, new Date(15)] }, new Date(18)],
    ['$max gives the greatest argument', [{ $max: [3, null, 1] }, { $max: [3, 'x'] }, { $max: ['$none', null] }], [3, 'x', null]],
    ['$min gives the least argument', [{ $min: [3, null, 1] }, { $min: [3, 'x'] }, { $min: ['$none', null] }], [1, 3, null]],
    ['$max gives the greatest element of a single array', { $max: '$a' }, 3, { a: [1, 2, 3] }],
  ],
  'comparison and choice': [
    ['$eq meets numbers of all types', { $eq: [1, long('1')] }, true],
    ['$eq distinguishes null from missing', { $eq: ['$none', null] }, false],
    ['$lt orders missing before null', { $lt: ['$none', null] }, true],
    ['$and needs all arguments, and $or needs one', [{ $and: [1, 'x'] }, { $or: [0, null] }], [true, false]],
    ['$not negates its argument', [{ $not: ['$nothing'] }, { $not: 1 }], [true, false]],
    [
      '$cond takes its arguments by position or by name',
      [{ $cond: [true, 1, 2] }, { $cond: named(['if', 0], ['then', 1], ['else', 2]) }],
      [1, 2],
    ],
    ['$ifNull gives the first existing value', { $ifNull: ['$none', null, 3] }, 3],
    ['$let defines variables', { $let: { vars: { x: '$a', y: 2 }, in: { $add: ['$$x', '$$y'] } } }, 3, { a: 1 }],
  ],
  arrays: [
    ['$arrayElemAt counts from either end', [{ $arrayElemAt: [[1, 2, 3], 0] }, { $arrayElemAt: [[1, 2, 3], -1] }], [1, 3]],
    ['$arrayElemAt beyond the end is missing', { $arrayElemAt: [[1], 5] }, undefined],
    ['$size counts the elements', { $size: [[1, 2]] }, 2],
    [
      '$concatArrays joins arrays, and gives null for a null argument',
      [{ $concatArrays: [[1], [2]] }, { $concatArrays: [[1], null] }],
      [[1, 2], null],
    ],
    ['$in finds an element', [{ $in: [2, [1, 2]] }, { $in: [3, [1, 2]] }], [true, false]],
    ['$map maps every element', { $map: { input: '$a', as: 'x', in: { $add: ['$$x', 2] } } }, [3, 4], { a: [1, 2] }],
    [
      '$filter keeps the elements that meet its condition',
      { $filter: { input: '$a', cond: { $gt: ['$$this', 1] } } },
      [2, 3],
      { a: [1, 2, 3] },
    ],
    [
      '$map can be nested',
      { $map: { input: '$a', as: 'row', in: { $max: { $map: { input: '$$row', as: 'n', in: { $add: ['$$n', '$b'] } } } } } },
      [12, 11],
      { a: [[1, 2], [1]], b: 10 },
    ],
    [
      '$setUnion unites arrays, and gives null for a null argument',
      [{ $setUnion: [[2, 1], [1]] }, { $setUnion: [[1], null] }],
      [[1, 2], null],
    ],
  ],
};

describe.each(Object.entries(sections))('%s:', (_section, rows) => {
  it.each(rows)('%s', (_story, expression, result, document) => {
    const expected = result === undefined ? undefined : d({ result }).get('result');
    expect(evaluate(expression, document as object | undefined)).toEqual(expected);
  });
});

describe('$mergeObjects', () => {
  it('$mergeObjects lets later documents win, and ignores null', () => {
    expect(evaluate({ $mergeObjects: ['$a', { c: 3 }, null] }, { a: { b: 1, c: 2 } })).toEqual(d({ b: 1, c: 3 }));
  });
});

describe('expressions that are refused', () => {
  it.each<[string, unknown, number]>([
    ['with an unknown operator', { $foo: 1 }, 168],
    ['with two operators in one document', { $add: [1], $size: 1 }, 15983],
    ['with an operator after a field', { a: 1, $add: [1] }, 168],
    ['with a path without a name', '$', 16872],
    ['with a path that ends in a dot', '$a.', 40353],
    ['with an unknown variable', '$$nobody', 17276],
    ['with too many arguments', { $size: [1, 2] }, 16020],
    ['with too few arguments', { $arrayElemAt: [1] }, 16020],
    ['when a text is added', { $add: [1, 'x'] }, 14],
    ['when two dates are added', { $add: [now, now] }, 16612],
    ['when the argument of $size is a text', { $size: 'x' }, 17124],
    ['when the array of $arrayElemAt is a text', { $arrayElemAt: ['x', 0] }, 28689],
    ['when a number is concatenated', { $concatArrays: [[1], 1] }, 28664],
    ['when a text is united', { $setUnion: [[1], 'x'] }, 17043],
    ['when a number is merged', { $mergeObjects: [1] }, 40400],
    ['when a number is mapped', { $map: { input: 1, in: 1 } }, 16883],
    ['when the index of $arrayElemAt is a text', { $arrayElemAt: [[1], 'x'] }, 28690],
    ['when the array of $in is a number', { $in: [1, 1] }, 40081],
    ['when $map has no input', { $map: { in: 1 } }, 16880],
    ['when $filter has no condition', { $filter: { input: [] } }, 28650],
    ['when $let has a variable with a capital', { $let: { vars: { X: 1 }, in: 1 } }, 9],
    ['when $cond lacks a part', { $cond: named(['if', 1], ['then', 2]) }, 17082],
  ])('an expression is refused %s', (_story, expression, code) => {
    expect(codeOf(() => evaluate(expression))).toBe(code);
  });
});
