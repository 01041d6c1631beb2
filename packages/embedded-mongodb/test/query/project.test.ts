import { describe, expect, it } from 'vitest';
import { compileAddFields, compileProject, compileProjection } from '../../src/project/projection.ts';
import { codeOf, d } from './notation.ts';

const example = { _id: 1, a: { b: 1, c: 2 }, l: [{ x: 1, y: 2 }, { x: 3 }, 5], t: 'text' };

describe('a projection', () => {
  it.each<[string, object, object]>([
    ['keeps the named fields and _id', { t: 1 }, { _id: 1, t: 'text' }],
    ['drops _id when told to', { t: 1, _id: 0 }, { t: 'text' }],
    ['drops the named fields', { a: 0, l: 0 }, { _id: 1, t: 'text' }],
    ['of _id alone keeps _id alone', { _id: 1 }, { _id: 1 }],
    ['of no _id keeps all else', { _id: 0, a: 0 }, { l: example.l, t: 'text' }],
    ['keeps fields of fields', { 'a.b': 1 }, { _id: 1, a: { b: 1 } }],
    ['drops fields of fields', { 'a.b': 0, l: 0 }, { _id: 1, a: { c: 2 }, t: 'text' }],
    ['keeps fields of the documents in an array, and drops other elements', { 'l.x': 1 }, { _id: 1, l: [{ x: 1 }, { x: 3 }] }],
    [
      'drops fields of the documents in an array, and keeps other elements',
      { 'l.x': 0, a: 0 },
      { _id: 1, l: [{ y: 2 }, {}, 5], t: 'text' },
    ],
    ['makes nothing of missing fields', { 'a.z': 1, 't.z': 1, q: 1 }, { _id: 1, a: {} }],
    ['computes', { n: { $add: ['$a.b', 1] } }, { _id: 1, n: 2 }],
    ['copies a field', { copy: '$t' }, { _id: 1, copy: 'text' }],
    ['takes a text for itself', { kind: 'note' }, { _id: 1, kind: 'note' }],
    ['computes into documents', { 'a.d': '$t', 'a.b': 1 }, { _id: 1, a: { b: 1, d: 'text' } }],
    [
      'computes into each element of an array, also into those that are not documents',
      { 'l.z': '$t', 'l.x': 1 },
      { _id: 1, l: [{ x: 1, z: 'text' }, { x: 3, z: 'text' }, { z: 'text' }] },
    ],
    ['makes an empty document of an element for which there is nothing to compute', { 'l.z': '$q' }, { _id: 1, l: [{}, {}, {}] }],
    ['of nothing keeps everything', {}, example],
  ])('a projection %s', (_story, spec, expected) => {
    const result = compileProjection(d(spec))(d(example));
    expect(result).toEqual(d(expected));
    expect([...result.keys()]).toEqual(Object.keys(expected));
  });

  it('a projection keeps the order of the document, and appends computed fields', () => {
    expect([...compileProjection(d({ t: 1, z: '$t', a: 1 }))(d(example)).keys()]).toEqual(['_id', 'a', 't', 'z']);
  });
});

describe('the projection of a find', () => {
  it.each<[string, object, object]>([
    [
      'keeps the first element that matches $elemMatch',
      { l: { $elemMatch: { x: { $gt: 0 } } } },
      { _id: 1, l: [{ x: 1, y: 2 }] },
    ],
    ['keeps no element where none matches $elemMatch', { l: { $elemMatch: { x: 9 } }, t: 1 }, { _id: 1, t: 'text' }],
  ])('the projection of a find %s', (_story, spec, expected) => {
    expect(compileProjection(d(spec))(d(example))).toEqual(d(expected));
  });

  it('the projection of a find adds the relevance by $meta', () => {
    const project = compileProjection(d({ score: { $meta: 'textScore' } }), { textScore: () => 1.5 });
    expect(project(d({ _id: 1, a: 2 }))).toEqual(d({ _id: 1, a: 2, score: 1.5 }));
  });

  it.each<[string, object, number]>([
    ['that includes and excludes', { a: 1, b: 0 }, 31254],
    ['that excludes and includes', { a: 0, b: 1 }, 31253],
    ['that excludes and computes', { a: 0, b: { $add: [1, 2] } }, 31252],
    ['that excludes and copies', { a: 0, b: '$a' }, 31310],
    ['of a path and what lies under it', { a: 1, 'a.b': 1 }, 31249],
    ['of a path and what lies above it', { 'a.b': 1, a: 1 }, 31250],
    ['by a document', { a: { b: 1 } }, 115],
    ['by an unknown operator', { a: { $foo: 1 } }, 31325],
    ['of a path with an empty part', { 'a..b': 1 }, 15998],
    ['of a path that ends in a dot', { 'a.': 1 }, 40353],
    ['by an $elemMatch that is not a document', { a: { $elemMatch: 1 } }, 31274],
    ['by $elemMatch inside a field', { 'a.b': { $elemMatch: { x: 1 } } }, 31275],
    ['by a position', { 'a.$': 1 }, 115],
    ['by an unknown $meta', { a: { $meta: 'color' } }, 115],
    ['by $slice', { a: { $slice: 1 } }, 31325],
  ])('the projection of a find %s is refused', (_story, spec, code) => {
    expect(codeOf(() => compileProjection(d(spec)))).toBe(code);
  });
});

describe('an aggregation stage', () => {
  it.each<[string, () => unknown, object]>([
    ['$project is a projection', () => compileProject(d({ t: 1 }))(d(example)), { _id: 1, t: 'text' }],
    ['$set adds', () => compileAddFields(d({ n: 1 }))(d({ _id: 1 })), { _id: 1, n: 1 }],
    [
      '$set changes in place',
      () => compileAddFields(d({ 'a.b': '$t' }))(d({ a: { b: 1, c: 2 }, t: 5 })),
      { a: { b: 5, c: 2 }, t: 5 },
    ],
    ['$set may be nested', () => compileAddFields(d({ a: { x: '$t' } }))(d({ a: { b: 1 }, t: 5 })), { a: { b: 1, x: 5 }, t: 5 }],
    [
      '$set reaches into each document of an array',
      () => compileAddFields(d({ 'l.z': 1 }))(d({ l: [{ x: 1 }, 5] })),
      { l: [{ x: 1, z: 1 }, { z: 1 }] },
    ],
    ['$set replaces a number by a document', () => compileAddFields(d({ 'a.b': 1 }))(d({ a: 5 })), { a: { b: 1 } }],
  ])('%s', (_story, run, expected) => {
    expect(run()).toEqual(d(expected));
  });

  it.each<[string, () => unknown, number]>([
    ['$project of no document', () => compileProject('a'), 15969],
    ['$project of nothing', () => compileProject(d({})), 51272],
    ['$set of no document', () => compileAddFields('a'), 40272],
  ])('%s is refused', (_story, run, code) => {
    expect(codeOf(run)).toBe(code);
  });
});
