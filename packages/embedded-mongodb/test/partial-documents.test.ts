import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MongoClient } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { startDatabase } from '../src/server.ts';

const dataDir = await mkdtemp(join(tmpdir(), 'partial-'));
const database = await startDatabase({ dataDir });
const client = await MongoClient.connect(database.uri);
const things = client.db('test').collection<{ _id: number } & Record<string, unknown>>('things');
await things.insertOne({ _id: 1, a: 1, b: [{ c: 2, d: 3 }, 4], e: 'text', f: null, g: { h: [5] } });
await things.createIndex({ e: 'text' }, { default_language: 'none' });

afterAll(async () => {
  await client.close();
  await database.close();
  await rm(dataDir, { recursive: true });
});

describe('a find decodes no more of a document than it needs, and answers as if it did', () => {
  it.each<[object, object, object | undefined, object]>([
    [{}, { a: 1 }, undefined, { _id: 1, a: 1 }],
    [{ g: { h: [5] } }, { a: 1, _id: 0 }, undefined, { a: 1 }],
    [{ 'b.c': 2, f: null, nowhere: null }, { 'b.d': true }, { e: 1 }, { _id: 1, b: [{ d: 3 }] }],
    [{ b: { $elemMatch: { c: 2 } } }, { 'b.$': 1 }, undefined, { _id: 1, b: [{ c: 2, d: 3 }] }],
    [{ $or: [{ e: 'text' }] }, { g: 1 }, undefined, { _id: 1, g: { h: [5] } }],
    [{ $expr: { $eq: ['$e', 'text'] } }, { a: 1 }, undefined, { _id: 1, a: 1 }],
    [{ $text: { $search: 'text' } }, { a: 1 }, undefined, { _id: 1, a: 1 }],
    [{}, { a: 1, size: { $size: '$b' } }, undefined, { _id: 1, a: 1, size: 2 }],
    [{ e: 'text' }, { b: 0, e: 0, f: 0, g: 0 }, undefined, { _id: 1, a: 1 }],
    [{ e: 'text' }, { _id: 1 }, { a: -1 }, { _id: 1 }],
  ])('%j projected to %j', async (filter, projection, sort, expected) => {
    const found = await things.find(filter, { projection, ...(sort && { sort: sort as { a: 1 } }) }).toArray();
    expect(found).toEqual([expected]);
  });
});

describe('a pipeline that only adds fields decodes no more of a document than it needs, and answers as if it did', () => {
  const partners = { $lookup: { from: 'things', localField: '_id', foreignField: 'a', as: 'p' } };

  it.each<[object[]]>([
    [[partners]],
    [[partners, { $set: { p: '$p.g.h' } }]],
    [[partners, { $set: { q: { $size: '$p' }, r: '$a' } }]],
    [[{ $lookup: { from: 'things', localField: 'b.c', foreignField: '_id', as: 'none' } }]],
    [[{ $lookup: { from: 'things', localField: 'a', foreignField: '_id', as: 'g.p' } }]],
    [[{ $lookup: { from: 'things', localField: 'a', foreignField: '_id', as: 'n.p' } }, { $set: { 'n.q': '$b.c' } }]],
    [[{ $set: { a: 2 } }]],
    [[{ $set: { z: '$$REMOVE', y: { x: '$e' } } }]],
    [[{ $set: { z: '$$REMOVE', a: '$$REMOVE' } }]],
    [[{ $set: { z: '$$ROOT' } }]],
    [[{ $set: { z: { $map: { input: '$b', as: 'one', in: ['$$one.c', '$e', { $literal: '$a' }] } } } }, { $set: { y: '$z' } }]],
  ])('%j', async (stages) => {
    // The second document already has a field that some of them add, the others have it not.
    await things.bulkWrite(
      [2, 3].map((_id) => ({ replaceOne: { filter: { _id }, replacement: { a: _id, z: _id - 2 || null }, upsert: true } })),
    );
    await things.updateOne({ _id: 3 }, { $unset: { z: true } });
    const given = [{ $match: { a: { $gt: 0 } } }, { $sort: { _id: 1 } }];
    const found = await things.aggregate([...given, ...stages]).toArray();
    const whole = await things.aggregate([...given, { $replaceWith: '$$ROOT' }, ...stages]).toArray();
    expect(found).toHaveLength(3);
    expect(JSON.stringify(found)).toBe(JSON.stringify(whole));
  });
});
