import { Long } from 'bson';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compileProjection } from '../../src/project/projection.ts';
import { compileRawProjection } from '../../src/project/raw.ts';
import { compileUpdate } from '../../src/update/update.ts';
import { encode } from '../../src/values/bson.ts';
import { DatabaseError } from '../../src/values/errors.ts';
import type { Doc, Value } from '../../src/values/value.ts';
import { collections, doc, one, paths, updates, values } from './arbitraries.ts';
import { d } from './notation.ts';

const bytes = (doc: Doc) => Buffer.from(encode(doc));

/** The result of a step, or its error code. */
function outcome<T>(step: () => T): T | number {
  try {
    return step();
  } catch (error) {
    if (error instanceof DatabaseError) return error.code;
    throw error;
  }
}

describe('a projection of encoded documents', () => {
  const flags = fc.uniqueArray(fc.tuple(fc.oneof(paths, fc.constant('_id')), fc.boolean()), {
    selector: ([path]) => path,
    minLength: 1,
    maxLength: 4,
  });
  const oneMind = fc
    .tuple(flags, fc.boolean())
    .map(([entries, flag]) => entries.map(([path, other]) => [path, path === '_id' ? other : flag] as const));

  it('a projection of encoded documents gives the same as a projection of decoded documents', () => {
    fc.assert(
      fc.property(collections, oneMind, (docs, entries) => {
        const spec: Doc = new Map(entries);
        const project = outcome(() => compileProjection(spec));
        if (typeof project === 'number') return;
        const raw = compileRawProjection(spec);
        for (const each of docs) expect(raw?.(bytes(each))).toEqual(bytes(project(each)));
      }),
      { numRuns: 3000 },
    );
  });

  it.each([
    ['an operator', { a: { $elemMatch: { b: 1 } } }],
    ['an expression', { a: '$b' }],
    ['a position', { 'a.$': 1 }],
  ])('a projection of encoded documents is not offered for %s', (_, spec) => {
    expect(compileRawProjection(d(spec))).toBeUndefined();
  });

  it('a projection of encoded documents supports names beyond ASCII', () => {
    const whole = doc(['_id', one], ['ü', [doc(['😀', one], ['a', one]), one]]);
    expect(compileRawProjection(d({ 'ü.😀': 1, _id: 0 }))?.(bytes(whole))).toEqual(bytes(doc(['ü', [doc(['😀', one])]])));
  });
});

describe('an update of encoded documents', () => {
  const same = fc
    .tuple(fc.constantFrom('$set', '$inc', '$max'), fc.constantFrom('a', 'b', 'a.b', 'c'), values)
    .map(([operator, path, value]) => doc([operator, doc([path, value])]));

  it('an update of encoded documents gives the same as an update of decoded documents, or nothing', () => {
    let applied = 0;
    fc.assert(
      fc.property(collections, fc.oneof(same, updates), (docs, spec) => {
        const update = outcome(() => compileUpdate(spec as Doc | Value[]));
        if (typeof update === 'number') return;
        for (const each of docs) {
          const before = bytes(each);
          const after = update.applyRaw?.(before);
          if (after === undefined) continue;
          applied++;
          const expected = update.apply(each);
          expect(after).toEqual(bytes(expected.doc));
          expect(after !== before).toBe(expected.modified);
        }
      }),
      { numRuns: 5000 },
    );
    expect(applied).toBeGreaterThan(100);
  });

  it.each<[string, object, object, object | undefined]>([
    ['$inc of the same type', { $inc: { n: 2, 'a.b': 1 } }, { n: 1, a: { b: 1 } }, { n: 3, a: { b: 2 } }],
    ['$inc to a wider type', { $inc: { n: Long.fromInt(2) } }, { n: 1 }, undefined],
    ['$set of a date', { $set: { at: new Date(5) } }, { at: new Date(3), x: 'y' }, { at: new Date(5), x: 'y' }],
    ['$set of a text', { $set: { x: 'z' } }, { x: 'y' }, undefined],
    ['$set of a missing field', { $set: { y: 1 } }, { x: 1 }, undefined],
    ['an element of an array', { $set: { 'x.0': 1 } }, { x: [2] }, undefined],
    ['a refused update', { $inc: { x: 1 } }, { x: true }, undefined],
  ])('an update of encoded documents is either made in place or left to the decoded document: %s', (_, spec, before, after) => {
    expect(compileUpdate(d(spec)).applyRaw?.(bytes(d(before)))).toEqual(after && bytes(d(after)));
  });
});
