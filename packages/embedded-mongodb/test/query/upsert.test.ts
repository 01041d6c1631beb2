import { ObjectId } from 'bson';
import { describe, expect, it } from 'vitest';
import { compileUpdate } from '../../src/update/update.ts';
import { upsertDocument } from '../../src/update/upsert.ts';
import { codeOf, d } from './notation.ts';

const id = new ObjectId('507f1f77bcf86cd799439011');
const upserted = (filter: object, update: object | object[]) =>
  upsertDocument(d(filter), compileUpdate(Array.isArray(update) ? update.map(d) : d(update)), () => id);

describe('what an upsert inserts', () => {
  it.each<[string, object, object | object[], object]>([
    ['what the filter demands and the update sets', { a: 1 }, { $set: { b: 2 } }, { _id: id, a: 1, b: 2 }],
    ['the _id of the filter', { _id: 5 }, { $set: { b: 2 } }, { _id: 5, b: 2 }],
    ['the _id of the update', {}, { $set: { _id: 7 } }, { _id: 7 }],
    ['$eq as a value', { a: { $eq: 1 } }, { $set: { b: 2 } }, { _id: id, a: 1, b: 2 }],
    ['dotted paths as documents', { 'a.b': 1, 'a.c': 2 }, { $set: { x: 1 } }, { _id: id, a: { b: 1, c: 2 }, x: 1 }],
    ['the equalities inside $and', { $and: [{ a: 1 }, { b: { $eq: 2 } }] }, { $inc: { a: 1 } }, { _id: id, a: 2, b: 2 }],
    ['the equality inside an $or of one', { $or: [{ a: 1 }] }, { $set: { b: 1 } }, { _id: id, a: 1, b: 1 }],
    ['an $in of one', { a: { $in: [1] } }, { $set: { b: 1 } }, { _id: id, a: 1, b: 1 }],
    [
      'nothing of other operators',
      { a: { $gt: 1 }, b: { $ne: 2 }, $or: [{ c: 1 }, { c: 2 }] },
      { $set: { z: 1 } },
      { _id: id, z: 1 },
    ],
    ['the array that the filter demands as a whole', { a: [1, 2] }, { $push: { a: 3 } }, { _id: id, a: [1, 2, 3] }],
    ['a replacement with the _id of the filter alone', { _id: 5, a: 1 }, { b: 2 }, { _id: 5, b: 2 }],
    ['what a pipeline makes of the filter', { _id: 5, a: 1 }, [{ $set: { b: { $add: ['$a', 1] } } }], { _id: 5, a: 1, b: 2 }],
    ['a replacement, whatever else the filter demands twice', { _id: 5, a: 1, 'a.b': 2 }, { b: 2 }, { _id: 5, b: 2 }],
  ])('an upsert inserts %s', (_story, filter, update, inserted) => {
    const doc = upserted(filter, update);
    expect(doc).toEqual(d(inserted));
    expect(doc.keys().next().value).toBe('_id');
  });
});

describe('upserts that are refused', () => {
  it.each<[string, object, object, number]>([
    ['when the filter demands two values of one path', { a: 1, $and: [{ a: 2 }] }, { $set: { b: 1 } }, 54],
    ['when the filter demands a path and what lies under it', { a: { x: 1 }, 'a.b': 1 }, { $set: { b: 1 } }, 54],
    ['when filter and update disagree about _id', { _id: 1 }, { $set: { _id: 2 } }, 66],
    ['when filter and replacement disagree about _id', { _id: 1 }, { _id: 2 }, 66],
    ['when _id would be an array', {}, { $set: { _id: [1] } }, 53],
  ])('an upsert is refused %s', (_story, filter, update, code) => {
    expect(codeOf(() => upserted(filter, update))).toBe(code);
  });
});
