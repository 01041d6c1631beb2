import { Double, Int32, Long } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileUpdate, type UpdateOptions } from '../../src/update/update.ts';
import type { Doc } from '../../src/values/value.ts';
import { codeOf, d } from './notation.ts';

const now = new Date('2024-05-01T12:00:00Z');

function updated(update: object, before: object, options: UpdateOptions = {}): Doc {
  return compileUpdate(d(update), { now, ...options }).apply(d(before)).doc;
}

/** A title, an update, and a document before and after it. */
type Row = readonly [story: string, update: object, before: object, after: object];

const long = (text: string) => Long.fromString(text);

const sections: Readonly<Record<string, readonly Row[]>> = {
  $set: [
    ['sets a field', { $set: { a: 1 } }, { a: 0 }, { a: 1 }],
    ['adds a field', { $set: { b: 1 } }, { a: 0 }, { a: 0, b: 1 }],
    ['makes the documents on its path', { $set: { 'a.b.c': 1 } }, {}, { a: { b: { c: 1 } } }],
    ['sets an array element by its number', { $set: { 'a.1': 9 } }, { a: [1, 2] }, { a: [1, 9] }],
    ['fills an array up with null', { $set: { 'a.3': 9 } }, { a: [1] }, { a: [1, null, null, 9] }],
    ['treats a number as a field name outside arrays', { $set: { 'a.0': 1 } }, {}, { a: { 0: 1 } }],
    ['changes the type of a number', { $set: { a: Long.fromInt(1) } }, { a: 1 }, { a: Long.fromInt(1) }],
  ],
  $unset: [
    ['removes a field', { $unset: { a: '' } }, { a: 1, b: 2 }, { b: 2 }],
    ['leaves null in place of an array element', { $unset: { 'a.0': '' } }, { a: [1, 2] }, { a: [null, 2] }],
    ['ignores a missing field', { $unset: { 'a.b': '' } }, { a: 5 }, { a: 5 }],
  ],
  $inc: [
    ['adds numbers', { $inc: { a: 2 } }, { a: 1 }, { a: 3 }],
    ['sets a missing field', { $inc: { a: 2 } }, {}, { a: 2 }],
    ['of int32 beyond its range becomes int64', { $inc: { a: 1 } }, { a: 2147483647 }, { a: long('2147483648') }],
    ['with int64 stays int64', { $inc: { a: Long.fromInt(1) } }, { a: 1 }, { a: Long.fromInt(2) }],
    ['of int64 is exact', { $inc: { a: 1 } }, { a: long('9007199254740993') }, { a: long('9007199254740994') }],
    ['with a double becomes double', { $inc: { a: 0.5 } }, { a: 1 }, { a: 1.5 }],
  ],
  $max: [
    ['keeps the greater value', { $max: { a: 3 } }, { a: 2 }, { a: 3 }],
    ['compares by the order of types', { $max: { a: 'x' } }, { a: 99 }, { a: 'x' }],
    ['sets a missing field', { $max: { b: 1 } }, {}, { b: 1 }],
  ],
  $currentDate: [['sets the time of the command', { $currentDate: { a: true } }, {}, { a: now }]],
  replacement: [
    ['replaces all fields but _id', { b: 2 }, { _id: 1, a: 1 }, { _id: 1, b: 2 }],
    ['accepts the same _id', { b: 2, _id: 1 }, { _id: 1, a: 1 }, { _id: 1, b: 2 }],
    ['by an empty document keeps only _id', {}, { _id: 1, a: 1 }, { _id: 1 }],
  ],
};

describe.each(Object.entries(sections))('%s', (section, rows) => {
  it.each(rows)(`${section} %s`, (_story, update, before, after) => {
    const result = updated(update, before);
    expect([...result]).toEqual([...d(after)]);
    expect(result).toEqual(d(after));
  });
});

describe('new fields', () => {
  it('new fields are ordered by name, numbers by value, in any order of the operators', () => {
    expect([...updated({ $set: { z: 1, 'x.10': 1, 'x.9': 1 }, $inc: { m: 1 } }, { q: 0 })]).toEqual([
      ['q', new Int32(0)],
      ['m', new Int32(1)],
      [
        'x',
        new Map([
          ['9', new Int32(1)],
          ['10', new Int32(1)],
        ]),
      ],
      ['z', new Int32(1)],
    ]);
  });

  it('new fields come after _id, which stays first', () => {
    expect([
      ...compileUpdate(d({ b: 1, _id: 5 }))
        .apply(d({ a: 1, _id: 5 }))
        .doc.keys(),
    ]).toEqual(['_id', 'b']);
  });
});

describe('an update', () => {
  it.each<[string, object, object, boolean]>([
    ['reports a change', { $set: { a: 2 } }, { a: 1 }, true],
    ['reports no change for the same value', { $set: { a: 1 } }, { a: 1 }, false],
    ['reports a change for another type of the same number', { $set: { a: new Double(1) } }, { a: 1 }, true],
    ['reports a change for another order of fields', { $set: { a: { c: 1, b: 1 } } }, { a: { b: 1, c: 1 } }, true],
    ['reports no change for an increment by 0', { $inc: { a: 0 } }, { a: 1 }, false],
    ['reports no change for a replacement by the same document', { a: 1 }, { _id: 1, a: 1 }, false],
    ['reports a change from 0 to -0', { $set: { a: -0 } }, { a: new Double(0) }, true],
  ])('an update %s', (_story, update, before, modified) => {
    expect(compileUpdate(d(update)).apply(d(before)).modified).toBe(modified);
  });

  it('an update leaves the given document as it is', () => {
    const before = d({ a: { b: [1] } });
    compileUpdate(d({ $push: { 'a.b': 2 }, $set: { c: 1 } })).apply(before);
    expect(before).toEqual(d({ a: { b: [1] } }));
  });
});

describe('updates that are refused', () => {
  it.each<[string, object, object, number]>([
    ['with an unknown operator', { $foo: { a: 1 } }, {}, 9],
    ['with fields beside operators', { $set: { a: 1 }, b: 1 }, {}, 9],
    ['with operators beside fields', { a: 1, $set: { b: 1 } }, {}, 52],
    ['with an operator whose value is not a document', { $set: 1 }, {}, 9],
    ['with two operators on one path', { $set: { a: 1 }, $inc: { a: 1 } }, {}, 40],
    ['with an operator above another', { $set: { a: 1, 'a.b': 1 } }, {}, 40],
    ['with an operator below another', { $unset: { 'a.b': 1 }, $set: { a: 1 } }, {}, 40],
    ['without a path', { $set: { '': 1 } }, {}, 56],
    ['with a path that has an empty part', { $set: { 'a..b': 1 } }, {}, 56],
    ['with a path that has an operator in it', { $set: { 'a.$b': 1 } }, {}, 52],
    ['when it would change _id', { $set: { _id: 2 } }, { _id: 1 }, 66],
    ['when it would remove _id', { $unset: { _id: 1 } }, { _id: 1 }, 66],
    ['when a replacement has another _id', { _id: 2 }, { _id: 1 }, 66],
    ['when the path leads through a number', { $set: { 'a.b': 1 } }, { a: 1 }, 28],
    ['when the path leads through null', { $set: { 'a.b': 1 } }, { a: null }, 28],
    ['when the path names a field of an array', { $set: { 'a.b': 1 } }, { a: [] }, 28],
    ['when an array would have to be filled up with too many elements', { $set: { 'a.2000000': 1 } }, { a: [] }, 2],
    ['with $inc by a text', { $inc: { a: 'x' } }, {}, 14],
    ['with $inc of a text', { $inc: { a: 1 } }, { a: 'x' }, 14],
    ['when $inc goes beyond int64', { $inc: { a: 1 } }, { a: Long.MAX_VALUE }, 2],
    ['with $currentDate of an unknown type', { $currentDate: { a: { $type: 'timestamp' } } }, {}, 2],
    ['with $ for the position of the match', { $set: { 'a.$': 1 } }, { a: [1] }, 115],
    ['with $setOnInsert', { $setOnInsert: { a: 1 } }, {}, 9],
  ])('an update is refused %s', (_story, update, before, code) => {
    expect(codeOf(() => updated(update, before))).toBe(code);
  });
});

describe('an update by $[] and $[identifier]', () => {
  const positions = { a: [{ x: 1 }, { x: 2 }, { x: 3 }] };

  it('an update changes every element by $[]', () => {
    expect(updated({ $inc: { 'a.$[].x': 10 } }, positions)).toEqual(d({ a: [{ x: 11 }, { x: 12 }, { x: 13 }] }));
    expect(updated({ $max: { 'b.$[]': 2 } }, { b: [1, 2, 3] })).toEqual(d({ b: [2, 2, 3] }));
  });

  it('an update changes every element that the filter of $[identifier] finds', () => {
    const arrayFilters = [d({ 'big.x': { $gte: 2 } })];
    expect(updated({ $set: { 'a.$[big].y': 1 } }, positions, { arrayFilters })).toEqual(
      d({ a: [{ x: 1 }, { x: 2, y: 1 }, { x: 3, y: 1 }] }),
    );
    expect(updated({ $unset: { 'b.$[e]': 1 } }, { b: [1, 2] }, { arrayFilters: [d({ e: 2 })] })).toEqual(d({ b: [1, null] }));
    expect(
      updated(
        { $set: { 'c.$[o].$[i]': 0 } },
        { c: [[1, 5], [7]] },
        { arrayFilters: [d({ o: { $size: 2 } }), d({ i: { $gt: 4 } })] },
      ),
    ).toEqual(d({ c: [[1, 0], [7]] }));
  });

  it.each<[string, object, object, object[] | undefined, number]>([
    ['with $[] on a value that is not an array', { $set: { 'a.$[]': 1 } }, { a: 1 }, undefined, 2],
    ['with $[] on a missing field', { $set: { 'a.$[]': 1 } }, {}, undefined, 2],
    ['with an identifier without a filter', { $set: { 'a.$[x]': 1 } }, { a: [1] }, undefined, 2],
    ['with a filter without an identifier', { $set: { a: 1 } }, {}, [{ x: 1 }], 9],
    ['with two filters for one identifier', { $set: { 'a.$[x]': 1 } }, { a: [] }, [{ x: 1 }, { x: 2 }], 9],
    ['with a filter of two fields', { $set: { 'a.$[x]': 1 } }, { a: [] }, [{ x: 1, y: 2 }], 9],
    ['with a filter of no field', { $set: { 'a.$[x]': 1 } }, { a: [] }, [{}], 9],
    ['with an identifier that begins with a capital', { $set: { 'a.$[X]': 1 } }, { a: [] }, [{ X: 1 }], 2],
    ['with two operators on one element', { $set: { 'a.$[x]': 1, 'a.$[]': 2 } }, { a: [1] }, [{ x: 1 }], 40],
    ['with $[] beside a number', { $set: { 'a.$[].b': 1, 'a.0': 2 } }, { a: [{}] }, undefined, 40],
    ['with filters beside a replacement', { a: 1 }, {}, [{ x: 1 }], 9],
  ])('an update by $[] and $[identifier] %s is refused', (_story, update, before, arrayFilters, code) => {
    const options = arrayFilters === undefined ? {} : { arrayFilters: arrayFilters.map(d) };
    expect(codeOf(() => updated(update, before, options))).toBe(code);
  });
});

describe('a pipeline as an update', () => {
  const byPipeline = (stages: object[], before: object) => compileUpdate(stages.map(d), { now }).apply(d(before)).doc;

  it('a pipeline as an update computes from the document itself', () => {
    expect(byPipeline([{ $set: { sum: { $add: ['$a', '$b'] } } }, { $set: { a: 0 } }], { _id: 1, a: 1, b: 2 })).toEqual(
      d({ _id: 1, a: 0, b: 2, sum: 3 }),
    );
    expect(byPipeline([{ $set: { at: '$$NOW' } }], { _id: 1 })).toEqual(d({ _id: 1, at: now }));
  });

  it('a pipeline as an update keeps _id when it replaces the document', () => {
    expect(byPipeline([{ $replaceWith: { x: '$a' } }], { _id: 1, a: 5 })).toEqual(d({ _id: 1, x: 5 }));
  });

  it.each<[string, object[], number]>([
    ['of a stage that does not change one document by itself', [{ $match: {} }], 72],
    ['of a stage with two names', [{ $set: {}, $replaceWith: '$a' }], 40323],
    ['that changes _id', [{ $set: { _id: 2 } }], 66],
  ])('a pipeline as an update %s is refused', (_story, stages, code) => {
    expect(codeOf(() => byPipeline(stages, { _id: 1 }))).toBe(code);
  });
});
