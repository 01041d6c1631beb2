import { ObjectId } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { serveAloneSince } from '../../../lib/base/sole-server.ts';
import { pushed } from '../../../lib/collections/delivery/pushed.ts';
import { takeLease } from '../../../lib/feed/lease.ts';

const lease = 30_000;
const inMilliseconds = (milliseconds: number) => new Date(Date.now() + milliseconds);

async function leasedUntil(leased_until: Date): Promise<ObjectId> {
  const _id = new ObjectId();
  await pushed.insertOne({ _id, seq: 7, leased_until });
  return _id;
}

describe('a lease', () => {
  // Released until a moment ago: a lease that ended a day ago is deleted by its index.
  it('only one process holds a lease at a time', async () => {
    const _id = await leasedUntil(new Date());
    let [holding, most, taken] = [0, 0, 0];
    const takeAndGiveBack = async () => {
      const found = await takeLease(pushed, { _id }, lease);
      if (!found) return;
      most = Math.max(most, ++holding);
      const held = { _id, holder: found.holder };
      expect((await pushed.updateOne(held, { $set: { seq: ++taken } })).matchedCount).toBe(1);
      holding--;
      await pushed.updateOne(held, { $set: { leased_until: new Date() } });
    };
    const takers = Array.from({ length: 12 }, async () => {
      while (taken < 150) await takeAndGiveBack();
    });
    await Promise.all(takers);
    expect([most, (await pushed.findOne({ _id }))?.seq]).toEqual([1, taken]);
  });

  it('a lease cannot be taken from its holder before it expires, except if a clock that was ahead created it', async () => {
    const takes = async (milliseconds: number) =>
      (await takeLease(pushed, { _id: await leasedUntil(inMilliseconds(milliseconds)) }, lease)) !== null;
    expect([await takes(20_000), await takes(-1), await takes(3_600_000)]).toEqual([false, true, true]);
  });

  it('a lease that an earlier process took is free once the only server of the database has started', async () => {
    onTestFinished(() => serveAloneSince(undefined));
    const takenBefore = await leasedUntil(inMilliseconds(lease - 2_000));
    const takenSince = await leasedUntil(inMilliseconds(lease - 1));
    serveAloneSince(inMilliseconds(-1_000));
    expect(await takeLease(pushed, { _id: takenSince }, lease)).toBe(null);
    expect(await takeLease(pushed, { _id: takenBefore }, lease)).not.toBe(null);
  });

  it('a lease of something that does not exist is refused', async () => {
    expect(await takeLease(pushed, { _id: new ObjectId() }, lease)).toBe(null);
  });
});
