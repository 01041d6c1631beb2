import type { Db, Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { connect, freshCollection, freshDatabase, freshDb } from './support/database.ts';

describe('a view', () => {
  it('shows what its pipeline makes of a collection, to every kind of read', async () => {
    const { view } = await withView();
    expect(await view.find({ n: { $gte: 4 } }, { sort: { n: -1 }, skip: 1, projection: { _id: 0 } }).toArray()).toEqual([
      { n: 4, square: 16 },
    ]);
    expect(await view.countDocuments({})).toBe(3);
    expect(await view.estimatedDocumentCount()).toBe(3);
    expect(await view.distinct('square')).toEqual([9, 16, 25]);
    expect(await view.aggregate([{ $group: { _id: null, sum: { $sum: '$square' } } }]).toArray()).toEqual([
      { _id: null, sum: 50 },
    ]);
  });

  it.each<[string, (db: Db) => Promise<unknown>]>([
    ['an insert', (db) => db.collection('view').insertOne({})],
    ['an update', (db) => db.collection('view').updateOne({}, { $set: { a: 1 } })],
    ['an index', (db) => db.collection('view').createIndex({ a: 1 })],
    [
      'a pipeline that ends in it',
      (db) =>
        db
          .collection('things')
          .aggregate([{ $out: 'view' }])
          .toArray(),
    ],
  ])('refuses %s', async (_, attempt) => {
    const { db } = await withView();
    await expect(attempt(db)).rejects.toMatchObject({ code: 166 });
  });
});

describe('a pipeline', () => {
  it('joins by the index of the other collection', async () => {
    const db = await freshDb();
    await db.collection<Numbered>('users').insertMany([
      { _id: 1, name: 'Ada' },
      { _id: 2, name: 'Bob' },
    ]);
    await db.collection<Numbered>('tokens').insertOne({ _id: 7, hash: 'x', user: 2 });
    const joined = db
      .collection('tokens')
      .aggregate([
        { $match: { hash: 'x' } },
        { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'user' } },
        { $project: { _id: 0, name: { $first: '$user.name' } } },
      ]);
    expect(await joined.toArray()).toEqual([{ name: 'Bob' }]);
  });

  it.each<[string, Document, Document[]]>([
    [
      'merges into what is there',
      { $merge: 'target' },
      [
        { _id: 1, old: true, n: 1 },
        { _id: 2, n: 2 },
      ],
    ],
    [
      'replaces what is there',
      { $merge: { into: 'target', whenMatched: 'replace' } },
      [
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ],
    ],
    [
      'keeps what is there',
      { $merge: { into: 'target', whenMatched: 'keepExisting' } },
      [
        { _id: 1, old: true },
        { _id: 2, n: 2 },
      ],
    ],
    ['leaves out what is new', { $merge: { into: 'target', whenNotMatched: 'discard' } }, [{ _id: 1, old: true, n: 1 }]],
    [
      'changes what is there by a pipeline',
      { $merge: { into: 'target', whenMatched: [{ $set: { seen: '$$new.n' } }] } },
      [
        { _id: 1, old: true, seen: 1 },
        { _id: 2, n: 2 },
      ],
    ],
    [
      'puts a new collection in the place of the old',
      { $out: 'target' },
      [
        { _id: 1, n: 1 },
        { _id: 2, n: 2 },
      ],
    ],
  ])('%s', async (_, output, expected) => {
    const db = await freshDb();
    await db.collection<Numbered>('source').insertMany([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    await db.collection<Numbered>('target').insertOne({ _id: 1, old: true });
    expect(await db.collection('source').aggregate([output]).toArray()).toEqual([]);
    expect(await db.collection('target').find().toArray()).toEqual(expected);
  });
});

describe('a collation', () => {
  it('finds, sorts and tells apart as its locale does, past indexes in the order of bytes', async () => {
    const things = await freshCollection<Document>();
    await things.createIndex({ name: 1 });
    await things.insertMany(['Zoe', 'émile', 'Emile', 'zoe', 'adam'].map((name) => ({ name })));
    const collation = { locale: 'fr', strength: 1 };
    expect(await names(things.find({ name: 'emile' }, { collation }))).toEqual(['émile', 'Emile']);
    expect(await names(things.find({}, { collation, sort: { name: 1 } }))).toEqual(['adam', 'émile', 'Emile', 'Zoe', 'zoe']);
    expect(await things.distinct('name', {}, { collation })).toEqual(['Zoe', 'émile', 'adam']);
    expect(await things.countDocuments({ name: 'ZOE' }, { collation })).toBe(2);
  });

  it.each([
    ['an unknown locale', 2, { locale: 'nowhere' }],
    ['an unknown field', 40415, { locale: 'fr', colour: 'red' }],
    ['no locale', 40414, { strength: 1 }],
  ])('with %s is refused', async (_, code, collation) => {
    const db = await freshDb();
    await expect(db.command({ find: 'things', filter: {}, collation })).rejects.toMatchObject({ code });
  });
});

describe('every command', () => {
  it('ends when its time is up', async () => {
    const things = await freshCollection();
    await things.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(100) })));
    const slow = things.find({ text: { $regex: 'y' } }).maxTimeMS(1);
    await expect(slow.toArray()).rejects.toMatchObject({ code: 50 });
  });

  it.each<[string, number, Document]>([
    ['an unknown read concern', 2, { find: 'things', readConcern: { level: 'hearsay' } }],
    ['a read of the past', 246, { find: 'things', readConcern: { level: 'snapshot' } }],
    ['a write with a read concern', 72, { insert: 'things', documents: [{}], readConcern: { level: 'majority' } }],
    ['a read with a write concern', 72, { find: 'things', writeConcern: { w: 1 } }],
    ['a write concern that is none', 9, { insert: 'things', documents: [{}], writeConcern: { w: -1 } }],
    ['an unknown field', 40415, { find: 'things', colour: 'red' }],
    ['an unknown field of a statement', 40415, { update: 'things', updates: [{ q: {}, u: {}, colour: 'red' }] }],
    ['another version of the API', 322, { ping: 1, apiVersion: '2' }],
    [
      'a command outside the API that it keeps to strictly',
      323,
      { distinct: 'things', key: 'a', apiVersion: '1', apiStrict: true },
    ],
    ['a transaction', 20, { find: 'things', startTransaction: true, autocommit: false }],
    ['fail points outside of tests', 59, { configureFailPoint: 'failCommand', mode: 'off' }],
    ['an expression on fields in let', 4890500, { find: 'things', let: { a: '$b' } }],
    ['a tailable cursor', 2, { find: 'things', tailable: true }],
    ['a view that could not be read', 40324, { create: 'view', viewOn: 'things', pipeline: [{ $nothing: {} }] }],
    ['a wildcard index', 67, { createIndexes: 'things', indexes: [{ key: { '$**': 1 }, name: 'all' }] }],
    ['a cursor whose number is no whole one', 14, { getMore: 1.5, collection: 'things' }],
    ['cursors to be closed whose numbers are none', 14, { killCursors: 'things', cursors: ['one'] }],
    ['a numbered write whose number is no whole one', 14, { insert: 'things', documents: [{}], txnNumber: 1.5 }],
    ['bounds by min and max', 115, { find: 'things', min: { a: 1 } }],
  ])('refuses %s', async (_, code, command) => {
    const db = await freshDb();
    await expect(db.command(command)).rejects.toMatchObject({ code });
    expect(await db.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('carries out a write whose write concern one member cannot meet, and says so', async () => {
    const db = await freshDb();
    const answer = await db.command({ insert: 'things', documents: [{}], writeConcern: { w: 2 } }).catch((error) => error);
    expect(answer.errorResponse ?? answer).toMatchObject({ writeConcernError: { code: 100 } });
    expect(await db.collection('things').countDocuments()).toBe(1);
  });
});

describe('fail points, in test mode', () => {
  it('fail just the commands that they name, as often as they say', async () => {
    const client = connect((await freshDatabase({ testMode: true })).uri, { retryReads: false });
    const data = { failCommands: ['find'], errorCode: 89 };
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    expect(await client.db('test').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await expect(client.db('test').collection('things').findOne()).rejects.toMatchObject({ code: 89 });
    expect(await client.db('test').collection('things').findOne()).toBeNull();
  });

  it('that close the connection after a write do not let it happen twice', async () => {
    const client = connect((await freshDatabase({ testMode: true })).uri);
    await client.db('admin').command({ configureFailPoint: 'onPrimaryTransactionalWrite', mode: { times: 1 } });
    const things = client.db('test').collection<{ _id: number; n: number }>('things');
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true });
    expect(await things.findOne()).toEqual({ _id: 1, n: 1 });
  });
});

describe('statistics', () => {
  it('tell how many documents there are and how large they and the indexes are', async () => {
    const db = await freshDb();
    await db.collection('things').createIndex({ n: 1 });
    await db.collection<Numbered>('things').insertMany([1, 2, 3].map((n) => ({ _id: n, n })));
    expect(await db.command({ collStats: 'things' })).toMatchObject({
      ns: 'test.things',
      count: 3,
      size: 63,
      nindexes: 2,
      indexSizes: { _id_: 4096, n_1: 4096 },
    });
    expect(await db.stats()).toMatchObject({ collections: 1, objects: 3, indexes: 2, indexSize: 8192 });
    expect(
      await db
        .collection('things')
        .aggregate([{ $collStats: { count: {} } }])
        .toArray(),
    ).toMatchObject([{ count: 3 }]);
  });
});

type Numbered = { _id: number; [field: string]: unknown };

async function withView() {
  const db = await freshDb();
  await db.collection('things').insertMany([1, 2, 3, 4, 5].map((n) => ({ n })));
  const pipeline = [{ $match: { n: { $gt: 2 } } }, { $set: { square: { $multiply: ['$n', '$n'] } } }];
  await db.createCollection('view', { viewOn: 'things', pipeline });
  return { db, view: db.collection('view') };
}

async function names(found: { toArray(): Promise<Document[]> }): Promise<string[]> {
  return (await found.toArray()).map(({ name }) => name);
}
