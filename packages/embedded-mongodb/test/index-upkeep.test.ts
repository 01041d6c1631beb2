import { describe, expect, it } from 'vitest';
import { freshDb } from './support/database.ts';

describe('an index, when documents change', () => {
  it('has every key of what is there, and none of what was', async () => {
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
