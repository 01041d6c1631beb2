import type { Db, Document } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { freshDb } from './support/database.ts';

describe('explain', () => {
  it('explain shows the scan of the collection with all documents if no index helps', async () => {
    const { things } = await withMessages();
    expect(await statistics(things.find({ text: 'text 7' }))).toMatchObject({
      nReturned: 1,
      totalKeysExamined: 0,
      totalDocsExamined: 100,
      executionStages: { stage: 'COLLSCAN', direction: 'forward' },
    });
  });

  it('explain shows that a page read backward from a compound index examines only the page', async () => {
    const { things } = await withMessages();
    const page = things
      .find({ room: 3, seq: { $lt: 8 } })
      .sort({ seq: -1 })
      .limit(5);
    expect(await statistics(page)).toMatchObject({
      nReturned: 5,
      totalKeysExamined: 5,
      totalDocsExamined: 5,
      executionStages: {
        stage: 'LIMIT',
        inputStage: {
          stage: 'FETCH',
          inputStage: {
            stage: 'IXSCAN',
            indexName: 'room_1_seq_1',
            keyPattern: { room: 1, seq: 1 },
            direction: 'backward',
            indexBounds: { room: ['[3, 3]'], seq: ['(NaN, 8)'] },
          },
        },
      },
    });
  });

  it('explain shows a sort in memory if no index has the order', async () => {
    const { things } = await withMessages();
    expect(await statistics(things.find({ room: 3 }).sort({ text: 1 }))).toMatchObject({
      nReturned: 10,
      executionStages: { stage: 'SORT', sortPattern: { text: 1 }, inputStage: { stage: 'FETCH' } },
    });
  });

  it('explain shows the find at the beginning of a pipeline and the stages after it', async () => {
    const { things } = await withMessages();
    const plan = await things.aggregate([{ $match: { room: 3 } }, { $group: { _id: '$seq' } }]).explain('executionStats');
    expect(plan.stages).toMatchObject([
      { $cursor: { queryPlanner: { winningPlan: { stage: 'FETCH' } }, executionStats: { totalDocsExamined: 10 } } },
      { $group: { _id: '$seq' } },
    ]);
  });

  it('explain shows the part of a filter that is checked on the documents that an index has found', async () => {
    const things = (await freshDb()).collection('things');
    await things.createIndex({ tags: 1 });
    await things.insertMany([
      { tags: ['a', 'b'], text: 'one' },
      { tags: ['b', 'c'], text: 'two' },
    ]);
    const asked = async (filter: Document) => (await statistics(things.find(filter))).executionStages.filter;
    expect(await asked({ tags: 'b' })).toBeUndefined();
    expect(await asked({ tags: 'b', text: 'two' })).toEqual({ text: 'two' });
    expect(await asked({ tags: { $in: ['a', 'b'] }, $or: [{ text: 'two' }] })).toEqual({ $or: [{ text: 'two' }] });
    // Two elements of an array may meet the two ends of a range that contains neither.
    expect(await asked({ tags: { $gt: 'a', $lt: 'b' } })).toEqual({ tags: { $gt: 'a', $lt: 'b' } });
    expect(await things.countDocuments({ tags: { $in: ['a', 'b'] } })).toBe(2);
    await expect(things.find({ tags: { $in: [{ $gt: 'a' }] } }).toArray()).rejects.toMatchObject({ code: 2 });
  });

  it('explain refuses what cannot be explained', async () => {
    const { db } = await withMessages();
    await expect(explain(db, { ping: 1 })).rejects.toMatchObject({ code: 59 });
  });
});

async function withMessages() {
  const db = await freshDb();
  const things = db.collection('things');
  await things.createIndex({ room: 1, seq: 1 });
  await things.insertMany(Array.from({ length: 100 }, (_, n) => ({ room: n % 10, seq: Math.floor(n / 10), text: `text ${n}` })));
  return { db, things };
}

async function statistics(cursor: { explain(verbosity: 'executionStats'): Promise<Document> }): Promise<Document> {
  return (await cursor.explain('executionStats')).executionStats;
}

function explain(db: Db, command: Document): Promise<Document> {
  return db.command({ explain: command, verbosity: 'executionStats' });
}
