import { describe, expect, it } from 'vitest';
import { freshDb } from './support/database.ts';

describe('an index of documents that change', () => {
  it('an index has every key of the current documents, and none of earlier ones', async () => {
    const db = await freshDb();
    const rooms = db.collection('rooms');
    await rooms.createIndexes([
      { key: { 'members.user': 1 } },
      { key: { name: 1, seq: -1 } },
      { key: { archived: 1 }, partialFilterExpression: { seq: { $gt: 3 } } },
      { key: { topic: 1 }, sparse: true },
      { key: { text: 'text' }, default_language: 'none' },
    ]);
    const members = Array.from({ length: 100 }, (_, user) => ({ user }));
    await rooms.insertOne({ name: 'a', seq: 1, text: 'one', archived: false, members });
    const changes = [
      { $inc: { seq: 1 } },
      { $set: { name: 'b' } },
      { $push: { members: { user: 100 } } },
      { $pull: { members: { user: { $lt: 50 } } } },
      { $inc: { seq: 5 } },
      { $set: { topic: 'news' } },
      { $unset: { topic: '' } },
      { $set: { text: 'two' } },
      { $set: { members: [] } },
      { $set: { members: members.slice(0, 3) } },
    ];
    for (const change of changes) {
      await rooms.updateOne({}, change as never);
      expect(await db.command({ validate: 'rooms', full: true })).toMatchObject({ valid: true, errors: [] });
    }
    expect(await rooms.find({ 'members.user': 2 }).project({ _id: 0, name: 1, seq: 1 }).toArray()).toEqual([
      { name: 'b', seq: 7 },
    ]);
    expect(await rooms.countDocuments({ 'members.user': 60 })).toBe(0);
  });
});

describe('an index that is read in pieces', () => {
  // Three documents per key. Some are so large that only few fit into a batch.
  const documents = Array.from({ length: 400 }, (_, _id) => ({
    _id,
    a: Math.floor(_id / 3),
    pad: 'x'.repeat(_id % 7 === 0 ? 90_000 : 9),
  }));
  const within = documents.filter(({ a }) => a >= 20 && a < 120).map(({ _id }) => _id);

  it.each([1, -1] as const)(
    'an index that is read in batches gives each document of a range once and in order (%i), despite writes between the batches',
    async (order) => {
      const things = (await freshDb()).collection<{ _id: number; a: number }>('things');
      await things.createIndex({ a: 1, _id: 1 });
      await things.insertMany(documents);
      const cursor = things.find({ a: { $gte: 20, $lt: 120 } }, { sort: { a: order, _id: order }, batchSize: 30 });
      const found: number[] = [];
      for await (const { _id, a } of cursor) {
        found.push(_id);
        // Inserts documents before the current position and after the range, in both directions.
        if (_id % 50 === 0)
          await things.insertMany([
            { _id: 1_000 + _id, a: 19 },
            { _id: 2_000 + _id, a: 120 },
          ]);
        if (_id % 60 === 0) await things.deleteOne({ _id, a });
      }
      expect(found).toEqual(order === 1 ? within : within.toReversed());
    },
  );
});
