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
