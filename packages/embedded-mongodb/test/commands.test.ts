import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { connect, freshCollection, freshDatabase, freshDb } from './support/database.ts';
import { withFailPoints } from './support/fail-points.ts';

describe('a pipeline', () => {
  it('a pipeline uses an index of the other collection for a join', async () => {
    const db = await freshDb();
    await db.collection<NumberedDocument>('users').insertMany([
      { _id: 1, name: 'Ada' },
      { _id: 2, name: 'Bob' },
    ]);
    await db.collection<NumberedDocument>('tokens').insertOne({ _id: 7, hash: 'x', user: 2 });
    const joined = db
      .collection('tokens')
      .aggregate([
        { $match: { hash: 'x' } },
        { $lookup: { from: 'users', localField: 'user', foreignField: '_id', as: 'user' } },
        { $project: { _id: 0, name: { $arrayElemAt: ['$user.name', 0] } } },
      ]);
    expect(await joined.toArray()).toEqual([{ name: 'Bob' }]);
  });
});

describe('every command', () => {
  it('every command ends at its time limit', async () => {
    const things = await freshCollection();
    await things.insertMany(Array.from({ length: 20_000 }, (_, n) => ({ n, text: 'x'.repeat(100) })));
    const slow = things.find({ text: 'y' }).maxTimeMS(1);
    await expect(slow.toArray()).rejects.toMatchObject({ code: 50, codeName: 'MaxTimeMSExpired' });
  });

  it.each<[string, number, Document]>([
    ['an unknown read concern', 2, { find: 'things', readConcern: { level: 'hearsay' } }],
    ['a read of the past', 246, { find: 'things', readConcern: { level: 'snapshot' } }],
    ['a write with a read concern', 72, { insert: 'things', documents: [{}], readConcern: { level: 'majority' } }],
    ['a read with a write concern', 72, { find: 'things', writeConcern: { w: 1 } }],
    ['an invalid write concern', 9, { insert: 'things', documents: [{}], writeConcern: { w: -1 } }],
    [
      'an expression in the filter of an upsert',
      224,
      { findAndModify: 'things', query: { $or: [{ $expr: { $gt: ['$a', 1] } }] }, update: { $set: { b: 1 } }, upsert: true },
    ],
    ['an unknown field', 40415, { find: 'things', colour: 'red' }],
    ['an unknown field of a statement', 40415, { update: 'things', updates: [{ q: {}, u: {}, colour: 'red' }] }],
    ['a version of the API', 40415, { ping: 1, apiVersion: '1' }],
    ['an unknown command', 59, { distinct: 'things', key: 'a' }],
    ['a transaction', 20, { find: 'things', startTransaction: true, autocommit: false }],
    ['fail points outside of tests', 59, { configureFailPoint: 'failCommand', mode: 'off' }],
    ['a hint', 40415, { find: 'things', hint: '_id_' }],
    ['a collation', 40415, { find: 'things', collation: { locale: 'fr' } }],
    ['a wildcard index', 67, { createIndexes: 'things', indexes: [{ key: { '$**': 1 }, name: 'all' }] }],
    ['a cursor whose number is not whole', 14, { getMore: 1.5, collection: 'things' }],
    ['cursors to be closed whose numbers are none', 14, { killCursors: 'things', cursors: ['one'] }],
    ['a numbered write whose number is not whole', 14, { insert: 'things', documents: [{}], txnNumber: 1.5 }],
  ])('a command is refused with %s', async (_, code, command) => {
    const db = await freshDb();
    await expect(db.command(command)).rejects.toMatchObject({ code });
    expect(await db.command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('a command carries out a write whose write concern the only member cannot meet, and says so', async () => {
    const db = await freshDb();
    const answer = await db.command({ insert: 'things', documents: [{}], writeConcern: { w: 2 } }).catch((error) => error);
    expect(answer.errorResponse ?? answer).toMatchObject({ writeConcernError: { code: 100 } });
    expect(await db.collection('things').countDocuments()).toBe(1);
    const change = { findAndModify: 'things', query: {}, update: { $set: { n: 1 } }, fields: { n: 1 }, writeConcern: { w: 2 } };
    const changed = await db.command(change).catch((error) => error);
    expect(changed.errorResponse ?? changed).toMatchObject({ writeConcernError: { code: 100 } });
    expect(await db.collection('things').countDocuments({ n: 1 })).toBe(1);
  });
});

describe('the fail points of the tests', () => {
  it('fail points fail only the named commands, as often as they say', async () => {
    const client = connect((await freshDatabase({ intercept: withFailPoints })).uri, { retryReads: false });
    const data = { failCommands: ['find'], errorCode: 89 };
    await client.db('admin').command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
    expect(await client.db('test').command({ ping: 1 })).toMatchObject({ ok: 1 });
    await expect(client.db('test').collection('things').findOne()).rejects.toMatchObject({ code: 89 });
    expect(await client.db('test').collection('things').findOne()).toBeNull();
  });

  it('fail points that close the connection after a write do not cause a second write', async () => {
    const client = connect((await freshDatabase({ intercept: withFailPoints })).uri);
    await client.db('admin').command({ configureFailPoint: 'onPrimaryTransactionalWrite', mode: { times: 1 } });
    const things = client.db('test').collection<{ _id: number; n: number }>('things');
    await things.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true });
    expect(await things.findOne()).toEqual({ _id: 1, n: 1 });
  });
});

type NumberedDocument = { _id: number; [field: string]: unknown };
