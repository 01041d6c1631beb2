import { join } from 'node:path';
import { Binary, Decimal128, Double, Int32, Long, MongoServerError, ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { startDatabase } from '../src/server.ts';
import { connect, freshCollection, freshDatabase, freshDirectory } from './support/database.ts';

describe('the embedded database', () => {
  it('the embedded database is a one-member replica set that accepts writes', async () => {
    const dataDir = freshDirectory();
    const { uri } = await freshDatabase({ dataDir });
    const hello = await connect(uri).db('admin').command({ hello: 1 });
    const me = join(dataDir, 'database.sock');
    expect(hello).toMatchObject({ setName: 'rs0', isWritablePrimary: true, me, maxWireVersion: 25 });
  });

  it('the embedded database is also found by the name of the replica set', async () => {
    const { port } = await freshDatabase({ port: 0 });
    const client = connect(`mongodb://127.0.0.1:${port}/?replicaSet=rs0`);
    expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
  });

  it('the embedded database returns every type as it was stored', async () => {
    const { uri } = await freshDatabase();
    const things = connect(uri, { promoteValues: false }).db('test').collection<Record<string, unknown>>('things');
    const thing = {
      _id: new ObjectId(),
      int: new Int32(7),
      long: Long.fromString('9007199254740993'),
      double: new Double(7),
      decimal: Decimal128.fromString('1.10'),
      date: new Date(5),
      binary: new Binary(Buffer.from([1, 2]), 4),
      text: 'ä\0b',
      list: [null, true, { deep: ['x'] }],
    };
    await things.insertOne(thing);
    const found = await things.findOne({ _id: thing._id });
    expect(found).toMatchObject({ date: thing.date, text: 'ä\0b', list: thing.list });
    expect([found?.int, found?.long, found?.double, found?.decimal]).toEqual([
      thing.int,
      thing.long,
      thing.double,
      thing.decimal,
    ]);
  });

  it('the embedded database inserts, finds, updates, counts and deletes', async () => {
    const things = await freshCollection();
    await things.insertMany([{ n: 1 }, { n: 2 }, { n: 3, tags: ['a', 'b'] }]);
    expect(
      (
        await things
          .find({ n: { $gte: 2 } })
          .sort({ n: -1 })
          .toArray()
      ).map(({ n }) => n),
    ).toEqual([3, 2]);
    expect(await things.updateMany({ n: { $lt: 3 } }, { $inc: { n: 10 } })).toMatchObject({ matchedCount: 2, modifiedCount: 2 });
    expect(await things.updateOne({ n: 99 }, { $set: { new: true } }, { upsert: true })).toMatchObject({ upsertedCount: 1 });
    expect(
      await things.findOneAndUpdate({ tags: 'b' }, { $push: { tags: 'c' } as never }, { returnDocument: 'after' }),
    ).toMatchObject({
      tags: ['a', 'b', 'c'],
    });
    expect(await things.countDocuments({})).toBe(4);
    expect(await things.countDocuments({ n: { $gt: 10 } })).toBe(3);
    expect(await things.deleteMany({ n: { $gt: 10 } })).toMatchObject({ deletedCount: 3 });
    expect(await things.countDocuments()).toBe(1);
  });

  it('the embedded database refuses a second document under a unique key and says which', async () => {
    const things = await freshCollection();
    await things.createIndex({ room: 1, name: 1 }, { unique: true });
    await things.insertOne({ room: 1, name: 'a' });
    await things.insertOne({ room: 1, name: 'b' });
    const error = await things.insertOne({ room: 1, name: 'a' }).catch((error) => error);
    expect(error).toBeInstanceOf(MongoServerError);
    expect(error).toMatchObject({ code: 11000, keyPattern: { room: 1, name: 1 }, keyValue: { room: 1, name: 'a' } });
  });

  it('the embedded database refuses a unique index over documents that already collide', async () => {
    const things = await freshCollection();
    await things.insertMany([{ name: 'a' }, { name: 'a' }]);
    await expect(things.createIndex({ name: 1 }, { unique: true })).rejects.toMatchObject({ code: 11000 });
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_']);
    await things.createIndex({ name: 1 });
    expect((await things.indexes()).map(({ name }) => name)).toEqual(['_id_', 'name_1']);
  });

  it('the embedded database returns a long answer in batches', async () => {
    const things = await freshCollection();
    await things.insertMany(Array.from({ length: 1000 }, (_, n) => ({ n })));
    const numbers = (await things.find({}, { batchSize: 7 }).toArray()).map(({ n }) => n);
    expect(numbers).toEqual(Array.from({ length: 1000 }, (_, n) => n));
  });

  it('the embedded database keeps acknowledged documents and their indexes over a restart', async () => {
    const dataDir = freshDirectory();
    const first = await startDatabase({ dataDir });
    const client = connect(first.uri);
    await client.db('test').collection('things').createIndex({ name: 1 }, { unique: true });
    await client.db('test').collection('things').insertOne({ name: 'kept' });
    await client.close();
    await first.close();
    const things = connect((await freshDatabase({ dataDir })).uri)
      .db('test')
      .collection('things');
    expect(await things.findOne({ name: 'kept' })).toMatchObject({ name: 'kept' });
    await expect(things.insertOne({ name: 'kept' })).rejects.toMatchObject({ code: 11000 });
  });

  it('the embedded database names the process that holds its directory in one sentence', async () => {
    const dataDir = freshDirectory();
    const { uri } = await freshDatabase({ dataDir });
    await expect(startDatabase({ dataDir })).rejects.toMatchObject({
      code: 'HELD',
      message: `The database in ${dataDir} is held by process ${process.pid}, which answers at ${uri}.`,
    });
  });

  it('the embedded database says in one sentence that the port is taken', async () => {
    const { port } = await freshDatabase({ port: 0 });
    await expect(startDatabase({ dataDir: freshDirectory(), port })).rejects.toMatchObject({
      code: 'PORT_TAKEN',
      message: `Port ${port} of 127.0.0.1 is taken: set DATABASE_PORT to another.`,
    });
  });
});
