import { Binary, Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compare, equals } from '../../src/values/compare.ts';
import { hashKey } from '../../src/values/hash-key.ts';
import { identical } from '../../src/values/identical.ts';
import { OpaqueValue, type Value } from '../../src/values/value.ts';
import { values } from './arbitraries.ts';
import { codeOf, d } from './notation.ts';

const id = new ObjectId('507f1f77bcf86cd799439011');
const double = (value: number) => new Double(value);
const long = (text: string) => Long.fromString(text);
const decimal = (text: string) => new OpaqueValue(19, Decimal128.fromString(text).bytes);

describe('the order of values', () => {
  const ladder: [string, Value | undefined][] = [
    ['a missing field', undefined],
    ['null', null],
    ['NaN', double(Number.NaN)],
    ['-Infinity', double(Number.NEGATIVE_INFINITY)],
    ['the least int64', Long.MIN_VALUE],
    ['-1', new Int32(-1)],
    ['0.1', double(0.1)],
    ['2^53', double(2 ** 53)],
    ['2^53 + 1 as int64', long('9007199254740993')],
    ['the greatest int64', Long.MAX_VALUE],
    ['2^63', double(2 ** 63)],
    ['Infinity', double(Number.POSITIVE_INFINITY)],
    ['an empty text', ''],
    ['capitals before small letters', 'B'],
    ['small letters', 'a'],
    ['a text before its continuations', 'ab'],
    ['letters beyond ASCII', 'ü'],
    ['the end of the basic plane', '\uffff'],
    ['characters beyond the basic plane, whose UTF-16 units are smaller', '😀'],
    ['an empty document', d({})],
    ['a document by the type of its first field', d({ b: 1 })],
    ['a document by the name of its first field', d({ c: 0 })],
    ['a document with more fields', d({ c: 0, d: 1 })],
    ['a document with a field of a later type', d({ a: 'x' })],
    ['an empty array', []],
    ['an array by its first elements', [new Int32(1), new Int32(5)]],
    ['a greater first element', [new Int32(2)]],
    ['binary data by length', new Binary(Buffer.from('z'))],
    ['binary data of one length by subtype', new Binary(Buffer.from('aa'), 0)],
    ['a later subtype', new Binary(Buffer.from('aa'), 4)],
    ['ObjectIds by bytes', id],
    ['false', false],
    ['true', true],
    ['a date', new Date(0)],
  ];

  it.each(ladder.slice(1).map(([story, value], i) => [story, value, ladder[i]?.[0], ladder[i]?.[1]] as const))(
    'the order of values puts %s after the value before it',
    (_story, value, _before, before) => {
      expect(Math.sign(compare(before, value))).toBe(-1);
      expect(Math.sign(compare(value, before))).toBe(1);
      expect(compare(value, value)).toBe(0);
    },
  );

  it.each<[string, Value, Value]>([
    ['1 of every type of number', new Int32(1), double(1)],
    ['int64 and double', long('5'), double(5)],
    ['zero of both signs', double(0), double(-0)],
  ])('the order of values treats %s as equal', (_story, a, b) => {
    expect(equals(a, b)).toBe(true);
    expect(hashKey(a)).toBe(hashKey(b));
    expect(identical(a, b)).toBe(false);
  });

  it.each<[string, Value, Value]>([
    ['decimals', decimal('1'), decimal('2')],
    ['a decimal and a number', decimal('1'), new Int32(1)],
  ])('the order of values refuses %s', (_story, a, b) => {
    expect(codeOf(() => compare(a, b))).toBe(115);
    expect(compare(a, decimal('1'))).toBe(0);
    expect(Math.sign(compare('text', a))).toBe(1);
  });

  it('the order of values is total: of any three values, each pair is in one order and the order is transitive', () => {
    fc.assert(
      fc.property(values, values, values, (a, b, c) => {
        const [low, middle, high] = [a, b, c].sort(compare) as [Value, Value, Value];
        const opposite = Math.sign(compare(a, b)) + Math.sign(compare(b, a)) === 0;
        return opposite && compare(low, middle) <= 0 && compare(middle, high) <= 0 && compare(low, high) <= 0;
      }),
      { numRuns: 5000 },
    );
  });

  it('the order of values agrees with the keys for grouping, which are the same only for equal values', () => {
    fc.assert(
      fc.property(values, values, (a, b) => (hashKey(a) === hashKey(b)) === equals(a, b)),
      { numRuns: 5000 },
    );
  });
});
