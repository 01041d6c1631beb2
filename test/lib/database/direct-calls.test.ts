import { MongoBulkWriteError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { isDuplicateKey } from '../../../lib/database/failures.ts';
import { commandsGot, useDatabaseWithin } from '../../support/database-within.ts';

await useDatabaseWithin();

type NumberedDocument = { _id: number; text?: string | undefined };
const numbers = database.collection<NumberedDocument>('numbers');
await numbers.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id, text: `number ${_id}` })));

describe('operations on a database within this process', () => {
  it('operations on a database within this process have no session and no number for retries', async () => {
    const got = await fieldsGot(async () => {
      await numbers.insertOne({ _id: 10 });
      await numbers.findOneAndUpdate({ _id: 10 }, { $set: { text: 'ten' } });
      await numbers.deleteOne({ _id: 10 });
      await numbers.find({}, { batchSize: 6 }).toArray();
    });
    expect(got.map(([name]) => name)).toEqual(['insert', 'findAndModify', 'delete', 'find', 'getMore']);
    expect(got.flat().filter((field) => ['lsid', 'txnNumber'].includes(field))).toEqual([]);
  });

  it('operations on a database in the same process run concurrently', async () => {
    const ids = Array.from({ length: 1_000 }, (_, at) => at % 10);
    const found = await Promise.all(ids.map((_id) => numbers.findOne({ _id })));
    expect(found.map((number) => number?._id)).toEqual(ids);
  });

  it('operations on a database within this process return the same as through a socket', async () => {
    expect(await numbers.findOne({ _id: 99 })).toBeNull();
    expect(await numbers.findOneAndUpdate({ _id: 99 }, { $set: { text: 'none' } })).toBeNull();
    expect(await numbers.countDocuments({ _id: { $gte: 5 } })).toBe(5);
    expect(await numbers.updateMany({ _id: { $lt: 3 } }, { $set: { text: 'small' } })).toMatchObject({ modifiedCount: 3 });
    expect(await numbers.aggregate([{ $match: { _id: 4 } }, { $project: { text: 1 } }]).toArray()).toEqual([
      { _id: 4, text: 'number 4' },
    ]);
    const changes = [
      { updateOne: { filter: { _id: 20 }, update: { $set: { text: 'twenty' } }, upsert: true } },
      { deleteOne: { filter: { _id: 20 } } },
    ];
    expect(await numbers.bulkWrite(changes)).toMatchObject({ upsertedCount: 1, deletedCount: 1 });
    expect((await numbers.indexes()).map(({ name }) => name)).toEqual(['_id_']);
  });

  it('operations on a database within this process leave out undefined fields', async () => {
    await numbers.insertOne({ _id: 30, text: undefined });
    expect(await numbers.findOneAndDelete({ _id: 30 })).toEqual({ _id: 30 });
  });

  it('operations on a database within this process leave the given command unchanged', async () => {
    const command = { ping: 1 };
    expect(await database.command(command)).toEqual({ ok: 1 });
    expect(command).toEqual({ ping: 1 });
  });

  it('operations on a database within this process close a cursor that is not read to its end', async () => {
    const got = await fieldsGot(async () => {
      for await (const { _id } of numbers.find({}, { batchSize: 2 })) if (_id === 1) break;
    });
    expect(got.map(([name]) => name)).toEqual(['find', 'killCursors']);
  });

  it('operations on a database within this process fail with the same errors as through a socket', async () => {
    const one = await numbers.insertOne({ _id: 1 }).catch((error: unknown) => error);
    expect(isDuplicateKey(one)).toBe(true);
    const many = await numbers.insertMany([{ _id: 40 }, { _id: 2 }, { _id: 41 }], { ordered: false }).catch((error) => error);
    expect(many).toBeInstanceOf(MongoBulkWriteError);
    expect(many).toMatchObject({ insertedCount: 2, writeErrors: [{ index: 1, code: 11_000 }] });
    expect(await numbers.deleteMany({ _id: { $gte: 40 } })).toMatchObject({ deletedCount: 2 });
    await expect(numbers.updateOne({ _id: 1 }, { $set: { _id: 2 } })).rejects.toMatchObject({ code: 66 });
    await expect(database.command({ doNothing: 1 })).rejects.toMatchObject({ code: 59, name: 'MongoServerError' });
    await expect(numbers.find({ _id: { $no: 1 } as object }).toArray()).rejects.toMatchObject({ code: 2 });
  });
});

/** The fields of each command, starting with its name. */
const fieldsGot = async (work: () => Promise<unknown>) => (await commandsGot(work)).map((command) => [...command.keys()]);
