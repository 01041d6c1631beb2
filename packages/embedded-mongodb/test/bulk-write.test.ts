import { MongoClientBulkWriteError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { connect, freshDatabase } from './support/database.ts';

describe('a bulk write over several collections', () => {
  it('carries out all operations and tells what became of each', async () => {
    const client = connect((await freshDatabase()).uri);
    await client.db('a').collection<Numbered>('left').insertOne({ _id: 1 });
    const result = await client.bulkWrite<Schemas>(
      [
        { namespace: 'a.left', name: 'insertOne', document: { _id: 2 } },
        { namespace: 'b.right', name: 'updateOne', filter: { _id: 7 }, update: { $set: { n: 1 } }, upsert: true },
        { namespace: 'a.left', name: 'updateMany', filter: {}, update: [{ $set: { n: '$_id' } }] },
        { namespace: 'a.left', name: 'deleteOne', filter: { _id: 1 } },
      ],
      { verboseResults: true },
    );
    expect(result).toMatchObject({ insertedCount: 1, upsertedCount: 1, matchedCount: 2, modifiedCount: 2, deletedCount: 1 });
    expect(result.updateResults?.get(1)).toMatchObject({ upsertedId: 7 });
    expect(await client.db('a').collection('left').find().toArray()).toEqual([{ _id: 2, n: 2 }]);
    expect(await client.db('b').collection('right').find().toArray()).toEqual([{ _id: 7, n: 1 }]);
  });

  it.each([
    { ordered: true, stored: [1] },
    { ordered: false, stored: [1, 2] },
  ])('with ordered: $ordered stores $stored around an insert that fails', async ({ ordered, stored }) => {
    const client = connect((await freshDatabase()).uri);
    const insert = (_id: number) => ({ namespace: 'a.left' as const, name: 'insertOne' as const, document: { _id } });
    const error = await client.bulkWrite<Schemas>([insert(1), insert(1), insert(2)], { ordered }).catch((error) => error);
    expect(error).toBeInstanceOf(MongoClientBulkWriteError);
    expect(error.writeErrors.get(1)).toMatchObject({ code: 11000 });
    expect((await client.db('a').collection('left').find().toArray()).map(({ _id }) => _id)).toEqual(stored);
  });
});

type Numbered = { _id: number; n?: number };
type Schemas = { 'a.left': Numbered; 'b.right': Numbered };
