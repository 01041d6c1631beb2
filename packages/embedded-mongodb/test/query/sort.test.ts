import { Double } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileSort, type Sort } from '../../src/match/sort.ts';
import type { Doc } from '../../src/values/value.ts';
import { all, codeOf, d } from './notation.ts';

const sortDocs = (docs: readonly Doc[], sort: Sort) => docs.toSorted((a, b) => sort.compareKeys(sort.keyOf(a), sort.keyOf(b)));

describe('a sort', () => {
  it.each<[string, object, object[]]>([
    ['goes up', { a: 1 }, [{ a: 1 }, { a: 2 }]],
    ['goes down', { a: -1 }, [{ a: 2 }, { a: 1 }]],
    [
      'takes further fields where the first are equal',
      { a: 1, b: -1 },
      [
        { a: 1, b: 2 },
        { a: 1, b: 1 },
        { a: 2, b: 9 },
      ],
    ],
    ['leads into documents', { 'a.b': 1 }, [{ a: { b: 1 } }, { a: { b: 2 } }]],
    ['has missing fields and null before all numbers', { a: 1 }, [{}, { a: -5 }]],
    ['has numbers before texts before documents before arrays of them', { a: 1 }, [{ a: 1 }, { a: '1' }, { a: {} }]],
    ['takes the least element of an array when it goes up', { a: 1 }, [{ a: [5, 1] }, { a: 2 }]],
    ['takes the greatest element of an array when it goes down', { a: -1 }, [{ a: [5, 1] }, { a: 2 }]],
    ['takes the least among the documents of an array', { 'a.b': 1 }, [{ a: [{ b: 9 }, { b: 1 }] }, { a: { b: 2 } }]],
    ['takes a document without the field for null', { 'a.b': 1 }, [{ a: [{ b: 9 }, {}] }, { a: { b: 2 } }]],
    ['has an empty array before null', { a: 1 }, [{ a: [] }, { a: null }]],
    ['takes an element by its number', { 'a.1': 1 }, [{ a: [9, 1] }, { a: [0, 2] }]],
    ['compares inner arrays as a whole', { a: 1 }, [{ a: [[1, 9]] }, { a: [[2]] }]],
  ])('a sort %s', (_story, spec, expected) => {
    const docs = all(...expected);
    expect(sortDocs(docs.toReversed(), compileSort(d(spec)))).toEqual(docs);
  });

  it('a sort leaves documents that it treats as equal in their order', () => {
    const docs = all({ a: 1, i: 1 }, { a: 1, i: 2 }, { a: 1, i: 3 });
    expect(sortDocs(docs, compileSort(d({ a: -1 })))).toEqual(docs);
  });

  it('a sort gives the keys that an index of the same fields would have', () => {
    expect(compileSort(d({ a: 1, 'b.c': -1 })).keyOf(d({ a: [], b: [{ c: 1 }, { c: 3.5 }] }))).toEqual([
      undefined,
      new Double(3.5),
    ]);
  });

  it.each<[string, object, number]>([
    ['by 2', { a: 2 }, 15975],
    ['by a text', { a: 'up' }, 15974],
    ['by relevance', { a: { $meta: 'textScore' } }, 15974],
    ['by a path with an empty part', { 'a..b': 1 }, 15998],
    ['by an operator', { $a: 1 }, 16410],
  ])('a sort %s is refused', (_story, spec, code) => {
    expect(codeOf(() => compileSort(d(spec)))).toBe(code);
  });
});
