import { Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { decimal, double, evaluate, long, named, now, type Row } from './evaluation.ts';
import { codeOf, d } from './notation.ts';

const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  'paths and values': [
    ['a path finds a field', '$a.b', 1, { a: { b: 1 } }],
    ['a path that leads nowhere is missing', '$a.b', undefined, { a: 1 }],
    ['a path collects from the documents of an array', '$a.b', [1, 2], { a: [{ b: 1 }, { c: 9 }, { b: 2 }, 5] }],
    ['a number in a path is no array index', '$a.0', [], { a: [1, 2] }],
    ['a number keeps its type', '$a', long('5'), { a: long('5') }],
    ['a document is evaluated field by field, without missing ones', { x: '$a', y: '$none' }, { x: 1 }, { a: 1 }],
    ['an array is evaluated item by item, with null for missing ones', ['$a', '$none'], [1, null], { a: 1 }],
    ['$literal is not evaluated', { $literal: '$a' }, '$a'],
    ['$$ROOT is the document', '$$ROOT', { a: 1 }, { a: 1 }],
    ['$$CURRENT is the document, too', '$$CURRENT.a', 1, { a: 1 }],
    ['$$NOW is the time of the command', '$$NOW', now],
    ['$$REMOVE is missing', '$$REMOVE', undefined],
    ['a variable of the command', '$$given', 42],
  ],
  arithmetic: [
    ['$add keeps int32', { $add: [1, 2] }, 3],
    ['$add goes on in int64', { $add: [2147483647, 1] }, long('2147483648')],
    ['$add goes on as double beyond int64', { $add: [Long.MAX_VALUE, 1] }, double(2 ** 63)],
    ['$add loses no small parts on the way', { $add: [0.1, 0.2, 0.3] }, double(0.6)],
    ['$add to a date adds milliseconds', { $add: [new Date(5), 10] }, new Date(15)],
    ['$add of null is null', { $add: [1, null] }, null],
    ['$add of a missing field is null', { $add: [1, '$none'] }, null],
    ['$subtract of dates is their distance in int64', { $subtract: [new Date(15), new Date(5)] }, long('10')],
    ['$subtract from a date', { $subtract: [new Date(15), 5] }, new Date(10)],
    ['$multiply', { $multiply: [2, 3, long('4')] }, long('24')],
    ['$divide is always a double', { $divide: [6, 3] }, double(2)],
    ['$divide of decimals is a decimal', { $divide: [decimal('1'), 8] }, decimal('0.125')],
    ['$mod keeps the sign of what is divided', { $mod: [-7, 3] }, -1],
    ['$abs', { $abs: -5 }, 5],
    ['$ceil and $floor leave whole numbers alone', [{ $ceil: 5 }, { $floor: 5 }], [5, 5]],
    ['$ceil and $floor of doubles are doubles', [{ $ceil: 1.2 }, { $floor: -1.2 }], [double(2), double(-2)]],
    ['$round goes to the even of two neighbours', [{ $round: 2.5 }, { $round: 3.5 }], [double(2), double(4)]],
    ['$round takes places behind and before the point', [{ $round: [1.2345, 2] }, { $round: [1255, -1] }], [double(1.23), 1260]],
    ['$trunc cuts', [{ $trunc: -1.9 }, { $trunc: [1.29, 1] }], [double(-1), double(1.2)]],
    [
      '$pow stays whole where it can',
      [{ $pow: [2, 10] }, { $pow: [2, -1] }, { $pow: [2, 40] }],
      [1024, double(0.5), long('1099511627776')],
    ],
    ['$sqrt of a decimal has 34 digits', { $sqrt: decimal('2') }, decimal('1.414213562373095048801688724209698')],
    [
      '$ln, $log10, $log, $exp',
      [{ $ln: 1 }, { $log10: 100 }, { $log: [8, 2] }, { $exp: 0 }],
      [double(0), double(2), double(3), double(1)],
    ],
    [
      '$sin and its kind',
      [{ $sin: 0 }, { $cos: 0 }, { $atan2: [0, 1] }, { $degreesToRadians: 180 }],
      [double(0), double(1), double(0), double(Math.PI)],
    ],
    [
      '$bitAnd, $bitOr, $bitXor, $bitNot',
      [{ $bitAnd: [6, 3] }, { $bitOr: [6, 3] }, { $bitXor: [6, 3] }, { $bitNot: 0 }],
      [2, 7, 5, -1],
    ],
    [
      '$sum, $avg, $min, $max over arguments',
      [{ $sum: [1, 'x', 2] }, { $avg: [1, 2] }, { $min: [3, null, 1] }, { $max: [3, 'x'] }],
      [3, double(1.5), 1, 'x'],
    ],
    ['and over the elements of one array', [{ $sum: '$a' }, { $max: '$a' }], [6, 3], { a: [1, 2, 3] }],
  ],
  'comparison and choice': [
    ['$eq meets numbers of all types', { $eq: [1, long('1')] }, true],
    ['$eq tells null from missing', { $eq: ['$none', null] }, false],
    ['$lt has missing before null', { $lt: ['$none', null] }, true],
    ['$cmp', [{ $cmp: [1, 2] }, { $cmp: ['b', 'a'] }], [-1, 1]],
    ['$and, $or, $not', [{ $and: [1, 'x'] }, { $or: [0, null] }, { $not: [0] }], [true, false, true]],
    ['$cond by list and by name', [{ $cond: [true, 1, 2] }, { $cond: named(['if', 0], ['then', 1], ['else', 2]) }], [1, 2]],
    ['$ifNull takes the first that is there', { $ifNull: ['$none', null, 3] }, 3],
    [
      '$switch takes the first branch that holds',
      {
        $switch: {
          branches: [named(['case', false], ['then', 1]), named(['case', true], ['then', 2])],
          default: 3,
        },
      },
      2,
    ],
    ['$let defines variables', { $let: { vars: { x: '$a', y: 2 }, in: { $add: ['$$x', '$$y'] } } }, 3, { a: 1 }],
    ['$let may move the root of paths', { $let: { vars: { CURRENT: '$a' }, in: '$b' } }, 1, { a: { b: 1 } }],
  ],
  arrays: [
    ['$arrayElemAt counts from either end', [{ $arrayElemAt: [[1, 2, 3], 0] }, { $arrayElemAt: [[1, 2, 3], -1] }], [1, 3]],
    ['$arrayElemAt beyond the end is missing', { $arrayElemAt: [[1], 5] }, undefined],
    ['$first, $last, $size', [{ $first: [[1, 2]] }, { $last: [[1, 2]] }, { $size: [[1, 2]] }], [1, 2, 2]],
    ['$slice', [{ $slice: [[1, 2, 3], 2] }, { $slice: [[1, 2, 3], -2] }, { $slice: [[1, 2, 3], 1, 1] }], [[1, 2], [2, 3], [2]]],
    [
      '$concatArrays, $reverseArray',
      [{ $concatArrays: [[1], [2]] }, { $reverseArray: [[1, 2]] }],
      [
        [1, 2],
        [2, 1],
      ],
    ],
    ['$in, $indexOfArray, $isArray', [{ $in: [2, [1, 2]] }, { $indexOfArray: [[1, 2], 2] }, { $isArray: [[]] }], [true, 1, true]],
    ['$map', { $map: { input: '$a', as: 'x', in: { $multiply: ['$$x', 2] } } }, [2, 4], { a: [1, 2] }],
    [
      '$filter, with a limit',
      [{ $filter: { input: '$a', cond: { $gt: ['$$this', 1] } } }, { $filter: { input: '$a', cond: true, limit: 1 } }],
      [[2, 3], [1]],
      { a: [1, 2, 3] },
    ],
    [
      '$reduce',
      { $reduce: { input: '$a', initialValue: '', in: { $concat: ['$$value', '$$this'] } } },
      'xyz',
      { a: ['x', 'y', 'z'] },
    ],
    [
      'one inside the other',
      { $map: { input: '$a', as: 'row', in: { $sum: { $map: { input: '$$row', as: 'n', in: { $add: ['$$n', '$b'] } } } } } },
      [23, 11],
      { a: [[1, 2], [1]], b: 10 },
    ],
    [
      '$range',
      [{ $range: [0, 3] }, { $range: [3, 0, -2] }],
      [
        [0, 1, 2],
        [3, 1],
      ],
    ],
    [
      '$zip',
      { $zip: { inputs: [[1, 2], [3]], useLongestLength: true, defaults: [0, 9] } },
      [
        [1, 3],
        [2, 9],
      ],
    ],
    [
      '$sortArray by value and by field',
      [{ $sortArray: { input: [3, 1, 2], sortBy: -1 } }, { $sortArray: { input: '$a', sortBy: { x: 1 } } }],
      [
        [3, 2, 1],
        [{ x: 1 }, { x: 2 }],
      ],
      { a: [{ x: 2 }, { x: 1 }] },
    ],
    [
      '$firstN, $lastN, $maxN, $minN',
      [
        { $firstN: { n: 1, input: [1, 2] } },
        { $lastN: { n: 1, input: [1, 2] } },
        { $maxN: { n: 2, input: [1, 3, 2] } },
        { $minN: { n: 1, input: [2, 1] } },
      ],
      [[1], [2], [3, 2], [1]],
    ],
    [
      '$arrayToObject and $objectToArray',
      [{ $arrayToObject: [[['a', 1]]] }, { $objectToArray: '$a' }],
      [{ a: 1 }, [{ k: 'b', v: 2 }]],
      { a: { b: 2 } },
    ],
    [
      '$setUnion, $setIntersection, $setDifference',
      [
        { $setUnion: [[2, 1], [1]] },
        {
          $setIntersection: [
            [1, 2],
            [2, 3],
          ],
        },
        { $setDifference: [[1, 2], [2]] },
      ],
      [[1, 2], [2], [1]],
    ],
    [
      '$setEquals, $setIsSubset',
      [
        {
          $setEquals: [
            [1, 2],
            [2, 1, 1],
          ],
        },
        { $setIsSubset: [[1], [1, 2]] },
      ],
      [true, true],
    ],
    ['$anyElementTrue, $allElementsTrue', [{ $anyElementTrue: [[0, 1]] }, { $allElementsTrue: [[0, 1]] }], [true, false]],
  ],
};

describe.each(Object.entries(SECTIONS))('%s', (_section, rows) => {
  it.each(rows)('%s', (_story, expression, result, document) => {
    const expected = result === undefined ? undefined : d({ result }).get('result');
    expect(evaluate(expression, document as object | undefined)).toEqual(expected);
  });
});

describe('an expression is refused', () => {
  it.each<[string, unknown, number]>([
    ['with an unknown operator', { $foo: 1 }, 168],
    ['with two operators in one document', { $add: [1], $abs: 1 }, 15983],
    ['with an operator behind a field', { a: 1, $add: [1] }, 168],
    ['with a path without a name', '$', 16872],
    ['with a path that ends in a dot', '$a.', 40353],
    ['with a variable that there is not', '$$nobody', 17276],
    ['with too many arguments', { $abs: [1, 2] }, 16020],
    ['with too few arguments', { $substrCP: ['a'] }, 16020],
    ['when a text is added', { $add: [1, 'x'] }, 14],
    ['when two dates are added', { $add: [now, now] }, 16612],
    ['when divided by zero', { $divide: [1, 0] }, 2],
    ['when the remainder of zero is asked for', { $mod: [1, 0] }, 16610],
    ['when the root of a negative number is asked for', { $sqrt: -1 }, 28714],
    ['when the size of a text is asked for', { $size: 'x' }, 17124],
    ['when an element of a text is asked for', { $arrayElemAt: ['x', 0] }, 28689],
    ['when a number is concatenated', { $concat: ['a', 1] }, 16702],
    ['when the length of null is asked for', { $strLenCP: null }, 34471],
    ['when a range has no steps', { $range: [0, 1, 0] }, 34449],
    ['when $map has no input', { $map: { in: 1 } }, 16880],
    ['when $filter has no condition', { $filter: { input: [] } }, 28650],
    ['when $let has a variable with a capital', { $let: { vars: { X: 1 }, in: 1 } }, 9],
    ['when no branch of $switch holds', { $switch: { branches: [named(['case', false], ['then', 1])] } }, 40066],
    ['when $cond lacks a part', { $cond: named(['if', 1], ['then', 2]) }, 17082],
    ['when a text is no number', { $toInt: 'x' }, 241],
    ['when a number is too large', { $toInt: 1e10 }, 241],
    ['when a conversion is unknown', { $convert: { input: 1, to: 'color' } }, 2],
    ['when a zone is unknown', { $hour: { date: now, timezone: 'Mars/Base' } }, 40485],
    ['when a text is no date', { $year: 'today' }, 16006],
    ['when a format is unknown', { $dateToString: { date: now, format: '%q' } }, 18536],
    ['when a unit of time is unknown', { $dateAdd: { startDate: now, unit: 'moon', amount: 1 } }, 9],
    ['when a pattern is none', { $regexMatch: { input: 'a', regex: '(' } }, 51091],
    ['when a power of decimals is asked for', { $pow: [decimal('2'), 2] }, 238],
    ['when scripts are asked for', { $function: { body: '', args: [], lang: 'js' } }, 115],
  ])('%s', (_story, expression, code) => {
    expect(codeOf(() => evaluate(expression))).toBe(code);
  });
});
