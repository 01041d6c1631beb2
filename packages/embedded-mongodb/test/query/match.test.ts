import { Decimal128, Double, Long, ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../src/match/filter.ts';
import { codeOf, d } from './notation.ts';

const matches = (filter: object, document: object) => compileFilter(d(filter)).matches(d(document));

/** Used in place of a non-matching document if every document matches. */
const nothing = {};

/** A title, a filter, a document that matches, and one that does not. */
type Row = readonly [story: string, filter: object, found: object, notFound: object];

const sections: Readonly<Record<string, readonly Row[]>> = {
  equality: [
    ['a value equals itself', { a: 1 }, { a: 1 }, { a: 2 }],
    [
      'numbers of all types equal each other by value',
      { a: 1 },
      { a: Long.fromInt(1) },
      { a: Long.fromString('9007199254740993') },
    ],
    ['NaN equals NaN', { a: Number.NaN }, { a: Number.NaN }, { a: 0 }],
    ['texts do not equal numbers', { a: '1' }, { a: '1' }, { a: 1 }],
    ['an array has the value as an element', { a: 2 }, { a: [1, 2] }, { a: [[2]] }],
    ['an array equals the same array', { a: [1, 2] }, { a: [1, 2] }, { a: [2, 1] }],
    ['an array is an element of an array', { a: [1] }, { a: [[1], 2] }, { a: [1, 2] }],
    ['a document equals field by field, in order', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
    ['an empty document equals an empty document only', { a: {} }, { a: {} }, { a: { b: 1 } }],
    ['null finds null', { a: null }, { a: null }, { a: 0 }],
    ['null finds a missing field', { a: null }, {}, { a: '' }],
    ['null finds an array with null in it', { a: null }, { a: [1, null] }, { a: [] }],
    ['several fields must all match', { a: 1, b: 2 }, { a: 1, b: 2 }, { a: 1, b: 3 }],
    ['no condition finds everything', {}, { a: 1 }, nothing],
  ],
  'dotted paths': [
    ['dotted paths lead into documents', { 'a.b': 1 }, { a: { b: 1 } }, { b: 1 }],
    ['dotted paths lead into each document of an array', { 'a.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, { a: [{ c: 2 }] }],
    ['dotted paths lead to an array element by its number', { 'a.1': 2 }, { a: [1, 2] }, { a: [2, 1] }],
    ['dotted paths lead through an array element by its number', { 'a.0.b': 1 }, { a: [{ b: 1 }] }, { a: [{ b: 2 }, { b: 1 }] }],
    ['dotted paths treat a number as a field name as well', { 'a.0': 1 }, { a: { 0: 1 } }, { a: { 1: 1 } }],
    ['dotted paths do not lead into an array inside an array', { 'a.b': 1 }, { a: [{ b: 1 }] }, { a: [[{ b: 1 }]] }],
    ['dotted paths show an array element found by number as a whole', { 'a.0': [1] }, { a: [[1]] }, { a: [1] }],
    ['dotted paths find null where a scalar is in the way', { 'a.b': null }, { a: 5 }, { a: { b: 5 } }],
    [
      'dotted paths find null where one document of an array lacks the field',
      { 'a.b': null },
      { a: [{ b: 1 }, {}] },
      { a: [{ b: 1 }] },
    ],
    ['dotted paths find no null in an array without documents', { 'a.b': null }, { a: [{}] }, { a: [1, 2] }],
  ],
  '$eq, $ne': [
    ['$eq compares by equality', { a: { $eq: 1 } }, { a: 1 }, { a: 2 }],
    ['$ne finds what $eq does not', { a: { $ne: 1 } }, { a: 2 }, { a: 1 }],
    ['$ne finds missing fields', { a: { $ne: 1 } }, {}, { a: [1, 2] }],
    ['$ne null finds an existing field', { a: { $ne: null } }, { a: 0 }, {}],
  ],
  '$gt, $gte, $lt, $lte': [
    ['ranges compare numbers', { a: { $gt: 1 } }, { a: 1.5 }, { a: 1 }],
    ['ranges include the bound with $gte and $lte', { a: { $lte: 1 } }, { a: 1 }, { a: 1.5 }],
    ['ranges compare texts by bytes', { a: { $gt: 'B' } }, { a: 'a' }, { a: 'A' }],
    ['ranges compare only values of the kind', { a: { $gt: 1 } }, { a: 2 }, { a: 'x' }],
    ['ranges compare dates', { a: { $lt: new Date(5) } }, { a: new Date(4) }, { a: 4 }],
    ['ranges are met by one element of an array', { a: { $gt: 5 } }, { a: [1, 9] }, { a: [1, 2] }],
    ['ranges may be met by two elements together', { a: { $gt: 5, $lt: 3 } }, { a: [1, 9] }, { a: [4] }],
    ['ranges compare arrays as a whole with arrays', { a: { $gte: [2] } }, { a: [3, 0] }, { a: [1, 9] }],
    ['ranges find null and missing at null', { a: { $gte: null } }, {}, { a: 1 }],
    ['ranges are never met by NaN', { a: { $lt: 5 } }, { a: 4 }, { a: Number.NaN }],
    ['ranges find NaN at NaN', { a: { $gte: Number.NaN } }, { a: Number.NaN }, { a: 1 }],
    [
      'ranges hold exactly beyond 2^53',
      { a: { $gt: new Double(2 ** 53) } },
      { a: Long.fromString('9007199254740993') },
      { a: Long.fromString('9007199254740992') },
    ],
  ],
  $in: [
    ['$in finds any of the values', { a: { $in: [1, 'x'] } }, { a: 'x' }, { a: 2 }],
    ['$in finds an element of an array', { a: { $in: [1, 2] } }, { a: [0, 2] }, { a: [0] }],
    ['$in finds a whole array', { a: { $in: [[1]] } }, { a: [1] }, { a: [2] }],
    ['$in with null finds a missing field', { a: { $in: [null, 1] } }, {}, { a: 2 }],
    ['$in of nothing finds nothing', { $nor: [{ a: { $in: [] } }] }, { a: 1 }, nothing],
  ],
  '$and, $or, $nor, $not': [
    ['$and needs all', { $and: [{ a: 1 }, { b: 2 }] }, { a: 1, b: 2 }, { a: 1 }],
    ['$or needs one', { $or: [{ a: 1 }, { b: 2 }] }, { b: 2 }, { a: 2 }],
    ['$nor needs none', { $nor: [{ a: 1 }, { b: 2 }] }, { a: 2 }, { b: 2 }],
    ['$not negates the conjunction of its operators', { a: { $not: { $gt: 1, $lt: 5 } } }, { a: 7 }, { a: 3 }],
    ['$not finds a missing field', { a: { $not: { $gt: 1 } } }, {}, { a: 2 }],
  ],
  $exists: [
    ['$exists true finds also null', { a: { $exists: true } }, { a: null }, {}],
    ['$exists false finds a missing field', { a: { $exists: false } }, {}, { a: null }],
    ['$exists 0 counts as false', { a: { $exists: 0 } }, {}, { a: 1 }],
    ['$exists finds an array element by number', { 'a.1': { $exists: true } }, { a: [1, 2] }, { a: [1] }],
  ],
  $elemMatch: [
    [
      '$elemMatch needs one element that meets all operators',
      { a: { $elemMatch: { $gt: 1, $lt: 3 } } },
      { a: [0, 2] },
      { a: [0, 5] },
    ],
    [
      '$elemMatch needs one document that meets all fields',
      { a: { $elemMatch: { b: 1, c: 2 } } },
      { a: [{ b: 1, c: 2 }] },
      { a: [{ b: 1 }, { c: 2 }] },
    ],
    [
      '$elemMatch does not match a value that is not an array',
      { a: { $elemMatch: { b: 1 } } },
      { a: [{ b: 1 }] },
      { a: { b: 1 } },
    ],
    [
      '$elemMatch accepts $or over an element',
      { a: { $elemMatch: { $or: [{ b: 1 }, { c: 1 }] } } },
      { a: [{ c: 1 }] },
      { a: [{ d: 1 }] },
    ],
    ['$elemMatch numbers the elements of an inner array', { a: { $elemMatch: { 0: 5 } } }, { a: [[5]] }, { a: [[6]] }],
    ['$elemMatch can be nested', { a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }, { a: [[2]] }, { a: [2] }],
  ],
  $size: [
    ['$size counts elements', { a: { $size: 2 } }, { a: [1, 2] }, { a: [1] }],
    ['$size does not match a value that is not an array', { a: { $size: 0 } }, { a: [] }, {}],
  ],
  $expr: [
    ['$expr compares fields with each other', { $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1 }, { a: 1, b: 1 }],
    ['$expr treats any value as true except false, null and 0', { $expr: '$a' }, { a: '' }, { a: 0 }],
  ],
  'the rest': [
    [
      'a DBRef is a value and no operators',
      { a: { $ref: 'users', $id: 1 } },
      { a: { $ref: 'users', $id: 1 } },
      { a: { $ref: 'users', $id: 2 } },
    ],
    ['fields named like those of objects are fields', { toString: 1 }, { toString: 1 }, {}],
    [
      'ObjectIds match by their bytes',
      { a: new ObjectId('507f1f77bcf86cd799439011') },
      { a: new ObjectId('507f1f77bcf86cd799439011') },
      { a: '507f1f77bcf86cd799439011' },
    ],
  ],
};

describe.each(Object.entries(sections))('%s:', (_section, rows) => {
  it.each(rows)('%s', (_story, filter, found, notFound) => {
    expect(matches(filter, found)).toBe(true);
    if (notFound !== nothing) expect(matches(filter, notFound)).toBe(false);
  });
});

describe('filters that are refused', () => {
  it.each<[string, object, number]>([
    ['with an unknown operator', { a: { $foo: 1 } }, 2],
    ['with a field among operators', { a: { $gt: 1, b: 2 } }, 2],
    ['with an unknown operator in place of a field', { $foo: 1 }, 2],
    ['with $and of nothing', { $and: [] }, 2],
    ['with $or of a value that is not an array', { $or: { a: 1 } }, 2],
    ['with $or of values that are not documents', { $or: [1] }, 2],
    ['with $in of a value that is not an array', { a: { $in: 1 } }, 2],
    ['with operators inside $in', { a: { $in: [{ $gt: 1 }] } }, 2],
    ['with $elemMatch of a value that is not a document', { a: { $elemMatch: 1 } }, 2],
    ['with $not of a value', { a: { $not: 1 } }, 2],
    ['with $not of nothing', { a: { $not: {} } }, 2],
    ['with a regular expression', { a: /x/ }, 115],
    ['with a regular expression in a list', { a: { $in: [/x/] } }, 115],
    ['with a decimal', { a: { $gt: Decimal128.fromString('1') } }, 115],
    ['with a negative $size', { a: { $size: -1 } }, 2],
    ['with $where', { $where: 'true' }, 2],
    ['with geometry', { a: { $geoWithin: {} } }, 2],
    ['with $text without a text index', { $text: { $search: 'x' } }, 27],
  ])('a filter is refused %s', (_story, filter, code) => {
    expect(codeOf(() => compileFilter(d(filter)))).toBe(code);
  });
});

describe('a stored value that cannot be compared', () => {
  it('a stored value that cannot be compared is found by its existence, and is refused in a comparison', () => {
    const document = { a: Decimal128.fromString('1.5') };
    expect(matches({ a: { $exists: true } }, document)).toBe(true);
    expect(matches({ a: 'text' }, document)).toBe(false);
    expect(codeOf(() => matches({ a: 1 }, document))).toBe(115);
  });
});

describe('$text', () => {
  const search = { $text: { $search: 'x' } };

  it('$text counts as fulfilled where documents are found by it', () => {
    const filter = compileFilter(d({ $and: [search], b: 1 }), { hasText: true });
    expect([{ b: 1 }, { b: 2 }].map((doc) => filter.matches(d(doc)))).toEqual([true, false]);
  });

  it.each([
    ['where nothing finds documents by it', search, false],
    ['in $or', { $or: [search, { b: 1 }] }, true],
    ['in $nor', { $nor: [search] }, true],
    ['in $elemMatch', { a: { $elemMatch: { b: 1, ...search } } }, true],
  ])('$text is refused %s', (_, filter, hasText) => {
    expect(codeOf(() => compileFilter(d(filter), { hasText }))).toBe(27);
  });
});
