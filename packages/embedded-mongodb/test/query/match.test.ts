import { Binary, BSONRegExp, Decimal128, Double, Int32, Long, MaxKey, MinKey, ObjectId, Timestamp } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileFilter } from '../../src/query/match.ts';
import { UNDEFINED } from '../../src/query/value.ts';
import { codeOf, d } from './notation.ts';

const matches = (filter: object, document: object) => compileFilter(d(filter)).matches(d(document));

/** Stands where no document could be missed. */
const nothing = {};

/** A sentence, a filter, and a document that it finds beside one that it does not. */
type Row = readonly [story: string, filter: object, found: object, notFound: object];

const SECTIONS: Readonly<Record<string, readonly Row[]>> = {
  equality: [
    ['a value equals itself', { a: 1 }, { a: 1 }, { a: 2 }],
    ['numbers of all types meet by value', { a: 1 }, { a: Long.fromInt(1) }, { a: Long.fromString('9007199254740993') }],
    ['a decimal and a double meet where the double is exact', { a: Decimal128.fromString('0.50') }, { a: 0.5 }, { a: 0.1 }],
    ['NaN equals NaN', { a: Number.NaN }, { a: Number.NaN }, { a: 0 }],
    ['texts do not equal numbers', { a: '1' }, { a: '1' }, { a: 1 }],
    ['an array has the value as an element', { a: 2 }, { a: [1, 2] }, { a: [[2]] }],
    ['an array equals the same array', { a: [1, 2] }, { a: [1, 2] }, { a: [2, 1] }],
    ['an array is an element of an array', { a: [1] }, { a: [[1], 2] }, { a: [1, 2] }],
    ['a document equals field by field, in order', { a: { b: 1, c: 2 } }, { a: { b: 1, c: 2 } }, { a: { c: 2, b: 1 } }],
    ['an empty document equals an empty document only', { a: {} }, { a: {} }, { a: { b: 1 } }],
    ['null finds null', { a: null }, { a: null }, { a: 0 }],
    ['null finds what is missing', { a: null }, {}, { a: '' }],
    ['null finds an array with null in it', { a: null }, { a: [1, null] }, { a: [] }],
    ['several fields must all match', { a: 1, b: 2 }, { a: 1, b: 2 }, { a: 1, b: 3 }],
    ['no condition finds everything', {}, { a: 1 }, nothing],
  ],
  'dotted paths': [
    ['lead into documents', { 'a.b': 1 }, { a: { b: 1 } }, { b: 1 }],
    ['lead into each document of an array', { 'a.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, { a: [{ c: 2 }] }],
    ['lead to an array element by its number', { 'a.1': 2 }, { a: [1, 2] }, { a: [2, 1] }],
    ['lead through an array element by its number', { 'a.0.b': 1 }, { a: [{ b: 1 }] }, { a: [{ b: 2 }, { b: 1 }] }],
    ['take a number for a field name as well', { 'a.0': 1 }, { a: { 0: 1 } }, { a: { 1: 1 } }],
    ['do not lead into an array inside an array', { 'a.b': 1 }, { a: [{ b: 1 }] }, { a: [[{ b: 1 }]] }],
    ['show an array element found by number as a whole', { 'a.0': [1] }, { a: [[1]] }, { a: [1] }],
    ['find null where a scalar is in the way', { 'a.b': null }, { a: 5 }, { a: { b: 5 } }],
    ['find null where one document of an array lacks the field', { 'a.b': null }, { a: [{ b: 1 }, {}] }, { a: [{ b: 1 }] }],
    ['find no null in an array without documents', { 'a.b': null }, { a: [{}] }, { a: [1, 2] }],
  ],
  '$eq, $ne': [
    ['$eq is equality', { a: { $eq: 1 } }, { a: 1 }, { a: 2 }],
    ['$eq of a regular expression finds the expression itself, not texts', { a: { $eq: /x/ } }, { a: /x/ }, { a: /y/ }],
    ['$ne finds what $eq does not', { a: { $ne: 1 } }, { a: 2 }, { a: 1 }],
    ['$ne finds missing fields', { a: { $ne: 1 } }, {}, { a: [1, 2] }],
    ['$ne null finds what is there', { a: { $ne: null } }, { a: 0 }, {}],
  ],
  '$gt, $gte, $lt, $lte': [
    ['compare numbers', { a: { $gt: 1 } }, { a: 1.5 }, { a: 1 }],
    ['include the bound with e', { a: { $lte: 1 } }, { a: 1 }, { a: 1.5 }],
    ['compare texts by bytes', { a: { $gt: 'B' } }, { a: 'a' }, { a: 'A' }],
    ['compare only values of the kind', { a: { $gt: 1 } }, { a: 2 }, { a: 'x' }],
    ['compare dates', { a: { $lt: new Date(5) } }, { a: new Date(4) }, { a: new Timestamp({ t: 0, i: 0 }) }],
    ['are met by one element of an array', { a: { $gt: 5 } }, { a: [1, 9] }, { a: [1, 2] }],
    ['may be met by two elements together', { a: { $gt: 5, $lt: 3 } }, { a: [1, 9] }, { a: [4] }],
    ['compare arrays as a whole with arrays', { a: { $gte: [2] } }, { a: [3, 0] }, { a: [1, 9] }],
    ['find null and missing at null', { a: { $gte: null } }, {}, { a: 1 }],
    ['are never met by NaN', { a: { $lt: 5 } }, { a: 4 }, { a: Number.NaN }],
    ['find NaN at NaN', { a: { $gte: Number.NaN } }, { a: Number.NaN }, { a: 1 }],
    [
      'hold exactly beyond 2^53',
      { a: { $gt: new Double(2 ** 53) } },
      { a: Long.fromString('9007199254740993') },
      { a: Long.fromString('9007199254740992') },
    ],
    ['find every type above minKey', { a: { $gt: new MinKey() } }, { a: 'x' }, { a: new MinKey() }],
    ['find every type below maxKey', { a: { $lt: new MaxKey() } }, { a: 'x' }, { a: new MaxKey() }],
  ],
  '$in, $nin': [
    ['$in finds any of the values', { a: { $in: [1, 'x'] } }, { a: 'x' }, { a: 2 }],
    ['$in finds an element of an array', { a: { $in: [1, 2] } }, { a: [0, 2] }, { a: [0] }],
    ['$in finds a whole array', { a: { $in: [[1]] } }, { a: [1] }, { a: [2] }],
    ['$in with null finds what is missing', { a: { $in: [null, 1] } }, {}, { a: 2 }],
    ['$in takes regular expressions', { a: { $in: [/^x/, 1] } }, { a: 'xy' }, { a: 'y' }],
    ['$in of nothing finds nothing', { $nor: [{ a: { $in: [] } }] }, { a: 1 }, nothing],
    ['$nin finds what $in does not', { a: { $nin: [1, null] } }, { a: 2 }, {}],
  ],
  '$and, $or, $nor, $not': [
    ['$and needs all', { $and: [{ a: 1 }, { b: 2 }] }, { a: 1, b: 2 }, { a: 1 }],
    ['$or needs one', { $or: [{ a: 1 }, { b: 2 }] }, { b: 2 }, { a: 2 }],
    ['$nor needs none', { $nor: [{ a: 1 }, { b: 2 }] }, { a: 2 }, { b: 2 }],
    ['$not turns all its operators at once', { a: { $not: { $gt: 1, $lt: 5 } } }, { a: 7 }, { a: 3 }],
    ['$not finds what is missing', { a: { $not: { $gt: 1 } } }, {}, { a: 2 }],
    ['$not takes a regular expression', { a: { $not: /^x/ } }, { a: 'y' }, { a: 'x' }],
  ],
  $exists: [
    ['true finds null, too', { a: { $exists: true } }, { a: null }, {}],
    ['false finds what is missing', { a: { $exists: false } }, {}, { a: null }],
    ['0 counts as false', { a: { $exists: 0 } }, {}, { a: 1 }],
    ['an array element exists by number', { 'a.1': { $exists: true } }, { a: [1, 2] }, { a: [1] }],
  ],
  $type: [
    ['finds by name', { a: { $type: 'int' } }, { a: 1 }, { a: 1.5 }],
    ['finds by number', { a: { $type: 2 } }, { a: 'x' }, { a: 1 }],
    ['finds any number', { a: { $type: 'number' } }, { a: Decimal128.fromString('1') }, { a: '1' }],
    ['finds one of several types', { a: { $type: ['string', 'null'] } }, { a: null }, {}],
    ['finds an array itself and by its elements', { a: { $type: 'array' } }, { a: [] }, { a: {} }],
    ['finds an element of an array', { a: { $type: 'string' } }, { a: [1, 'x'] }, { a: [1] }],
  ],
  $regex: [
    ['finds texts', { a: { $regex: 'b' } }, { a: 'abc' }, { a: 'xyz' }],
    ['takes options', { a: { $regex: '^AB', $options: 'i' } }, { a: 'abc' }, { a: 'xab' }],
    ['may be written as a value', { a: /^a.c$/ }, { a: 'abc' }, { a: 'abcd' }],
    ['finds an element of an array', { a: /x/ }, { a: ['a', 'x'] }, { a: ['a'] }],
    ['stands beside other operators', { a: { $regex: '^a', $ne: 'ab' } }, { a: 'ac' }, { a: 'ab' }],
  ],
  $mod: [
    ['finds by remainder', { a: { $mod: [3, 1] } }, { a: 7 }, { a: 6 }],
    ['keeps the sign of what is divided', { a: { $mod: [3, -1] } }, { a: -4 }, { a: 4 }],
    ['cuts fractions off', { a: { $mod: [2, 0] } }, { a: 4.9 }, { a: 5.1 }],
    ['passes over infinity', { a: { $mod: [2, 0] } }, { a: 0 }, { a: Number.POSITIVE_INFINITY }],
  ],
  $all: [
    ['needs every value', { a: { $all: [1, 2] } }, { a: [2, 3, 1] }, { a: [1] }],
    ['takes a scalar for an array of one', { a: { $all: [1] } }, { a: 1 }, { a: 2 }],
    ['takes regular expressions', { a: { $all: [/^x/, 'y'] } }, { a: ['xx', 'y'] }, { a: ['xx'] }],
    [
      'takes $elemMatch',
      { a: { $all: [{ $elemMatch: { b: 1 } }, { $elemMatch: { b: 2 } }] } },
      { a: [{ b: 2 }, { b: 1 }] },
      { a: [{ b: 1 }] },
    ],
    ['of nothing finds nothing', { $nor: [{ a: { $all: [] } }] }, { a: [] }, nothing],
  ],
  $elemMatch: [
    ['needs one element that meets all operators', { a: { $elemMatch: { $gt: 1, $lt: 3 } } }, { a: [0, 2] }, { a: [0, 5] }],
    [
      'needs one document that meets all fields',
      { a: { $elemMatch: { b: 1, c: 2 } } },
      { a: [{ b: 1, c: 2 }] },
      { a: [{ b: 1 }, { c: 2 }] },
    ],
    ['does not take what is no array', { a: { $elemMatch: { b: 1 } } }, { a: [{ b: 1 }] }, { a: { b: 1 } }],
    ['takes logic over the element', { a: { $elemMatch: { $or: [{ b: 1 }, { c: 1 }] } } }, { a: [{ c: 1 }] }, { a: [{ d: 1 }] }],
    ['numbers the elements of an inner array', { a: { $elemMatch: { 0: 5 } } }, { a: [[5]] }, { a: [[6]] }],
    ['stands inside itself', { a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }, { a: [[2]] }, { a: [2] }],
  ],
  $size: [
    ['counts elements', { a: { $size: 2 } }, { a: [1, 2] }, { a: [1] }],
    ['does not take what is no array', { a: { $size: 0 } }, { a: [] }, {}],
  ],
  '$bitsAllSet and its kind': [
    ['$bitsAllSet needs all bits of a mask', { a: { $bitsAllSet: 6 } }, { a: 7 }, { a: 5 }],
    ['$bitsAnySet needs one', { a: { $bitsAnySet: 6 } }, { a: 4 }, { a: 1 }],
    ['$bitsAllClear needs none', { a: { $bitsAllClear: [1, 2] } }, { a: 1 }, { a: 2 }],
    ['$bitsAnyClear needs one clear', { a: { $bitsAnyClear: [0, 1] } }, { a: 1 }, { a: 3 }],
    ['negative numbers go on with their sign', { a: { $bitsAllSet: [200] } }, { a: -1 }, { a: 1 }],
    [
      'binary data is read from its first byte',
      { a: { $bitsAllSet: new Binary(Buffer.from([1])) } },
      { a: new Binary(Buffer.from([3])) },
      { a: new Binary(Buffer.from([2])) },
    ],
    ['numbers with a fraction have no bits', { a: { $bitsAllSet: 1 } }, { a: 1 }, { a: 1.5 }],
  ],
  $expr: [
    ['compares fields with each other', { $expr: { $gt: ['$a', '$b'] } }, { a: 2, b: 1 }, { a: 1, b: 1 }],
    ['takes any value for true but false, null and 0', { $expr: '$a' }, { a: '' }, { a: 0 }],
  ],
  'the rest': [
    ['$comment says nothing', { $comment: 'why', a: { $eq: 1, $comment: 'here too' } }, { a: 1 }, { a: 2 }],
    ['$alwaysTrue finds everything', { $alwaysTrue: 1 }, {}, nothing],
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

describe.each(Object.entries(SECTIONS))('%s', (_section, rows) => {
  it.each(rows)('%s', (_story, filter, found, notFound) => {
    expect(matches(filter, found)).toBe(true);
    if (notFound !== nothing) expect(matches(filter, notFound)).toBe(false);
  });
});

describe('null and the deprecated undefined', () => {
  it('are two values: null finds no undefined, and undefined cannot be asked for', () => {
    expect(compileFilter(d({ a: null })).matches(new Map([['a', UNDEFINED]]))).toBe(false);
    expect(codeOf(() => compileFilter(new Map([['a', UNDEFINED]])))).toBe(2);
  });
});

describe('the position of the match', () => {
  it.each<[string, object, object, number | undefined]>([
    ['is the index of the element', { a: 2 }, { a: [1, 2] }, 1],
    ['is the index of the document in the array on the way', { 'a.b': 2 }, { a: [{ b: 1 }, { b: 2 }] }, 1],
    ['is the index in the outermost array', { 'a.b': 2 }, { a: [{ b: [1, 2] }] }, 0],
    ['comes from $elemMatch', { a: { $elemMatch: { b: 2 } } }, { a: [{ b: 1 }, { b: 2 }] }, 1],
    [
      'comes from the array, whatever stands beside it',
      { _id: 1, 'a.b': 2, c: { $gt: 0 } },
      { _id: 1, a: [{ b: 1 }, { b: 2 }], c: 1 },
      1,
    ],
    ['comes from none where no array was passed', { a: 2 }, { a: 2 }, undefined],
    ['does not come from a negation', { a: { $ne: 3 } }, { a: [1, 2] }, undefined],
    ['does not come from an $or', { $or: [{ a: 2 }] }, { a: [1, 2] }, undefined],
  ])('%s', (_story, filter, document, position) => {
    expect(compileFilter(d(filter)).positionOf(d(document))).toBe(position);
  });
});

describe('a filter is refused', () => {
  it.each<[string, object, number]>([
    ['with an operator that there is not', { a: { $foo: 1 } }, 2],
    ['with a field among operators', { a: { $gt: 1, b: 2 } }, 2],
    ['with an unknown operator in place of a field', { $foo: 1 }, 2],
    ['with $and of nothing', { $and: [] }, 2],
    ['with $or of what is no array', { $or: { a: 1 } }, 2],
    ['with $or of what are no documents', { $or: [1] }, 2],
    ['with $in of what is no array', { a: { $in: 1 } }, 2],
    ['with operators inside $in', { a: { $in: [{ $gt: 1 }] } }, 2],
    ['with $all of what is no array', { a: { $all: 1 } }, 2],
    ['with $elemMatch of what is no document', { a: { $elemMatch: 1 } }, 2],
    ['with $not of a value', { a: { $not: 1 } }, 2],
    ['with $not of nothing', { a: { $not: {} } }, 2],
    ['with $ne of a regular expression', { a: { $ne: /x/ } }, 2],
    ['with $gt of a regular expression', { a: { $gt: /x/ } }, 2],
    ['with $options and no $regex', { a: { $options: 'i' } }, 2],
    ['with $regex of a number', { a: { $regex: 1 } }, 2],
    ['with unknown $options', { a: { $regex: 'a', $options: 'q' } }, 51108],
    ['with options in two places', { a: { $regex: /a/i, $options: 'i' } }, 51075],
    ['with a pattern that is none', { a: { $regex: '(' } }, 51091],
    ['with $mod of one number', { a: { $mod: [2] } }, 2],
    ['with $mod by 0', { a: { $mod: [0, 1] } }, 2],
    ['with a negative $size', { a: { $size: -1 } }, 2],
    ['with an unknown type', { a: { $type: 'number?' } }, 2],
    ['with a type that is neither name nor number', { a: { $type: {} } }, 14],
    ['with a negative bit mask', { a: { $bitsAllSet: -1 } }, 9],
    ['with $where', { $where: 'true' }, 2],
    ['with geometry', { a: { $geoWithin: {} } }, 115],
    ['with $text where there is no text index', { $text: { $search: 'x' } }, 27],
    ['with $jsonSchema of what is no document', { $jsonSchema: 1 }, 14],
  ])('%s', (_story, filter, code) => {
    expect(codeOf(() => compileFilter(d(filter)))).toBe(code);
  });
});

describe('$text', () => {
  it('asks whoever has the index, once for the search and then by document', () => {
    const searches: unknown[] = [];
    const text = (search: unknown) => {
      searches.push(search);
      return (doc: ReadonlyMap<string, unknown>) => (doc.get('a') === 'hit' ? 1.5 : undefined);
    };
    const filter = compileFilter(d({ $text: { $search: 'x' }, b: 1 }), { text });
    expect(
      [
        { a: 'hit', b: 1 },
        { a: 'hit', b: 2 },
        { a: 'miss', b: 1 },
      ].map((doc) => filter.matches(d(doc))),
    ).toEqual([true, false, false]);
    expect(searches).toEqual([d({ $search: 'x' })]);
  });
});

describe('a collation', () => {
  it('orders and equates texts, and leaves everything else alone', () => {
    const texts = new Intl.Collator('en', { sensitivity: 'base' }).compare;
    const found = (filter: object, document: object) => compileFilter(d(filter), { texts }).matches(d(document));
    expect(found({ a: 'ABC' }, { a: 'abc' })).toBe(true);
    expect(found({ a: { $in: ['B', 'A'] } }, { a: 'a' })).toBe(true);
    expect(found({ a: { $gt: 'B' } }, { a: 'a' })).toBe(false);
    expect(found({ a: { b: 'X' } }, { a: { b: 'x' } })).toBe(true);
    expect(found({ a: new Int32(1) }, { a: '1' })).toBe(false);
    expect(found({ a: new BSONRegExp('^A') }, { a: 'a' })).toBe(false);
  });
});
