import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { regardlessOfDeadline, withDeadline, withLatestDeadline } from '../../../lib/base/deadline.ts';
import { tokens } from '../../../lib/collections/accounts/tokens.ts';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { batch, fulfilled } from '../../../lib/database/batching.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { commandsOf } from '../../support/sent-commands.ts';

await useDatabaseOutside();

const nobody = new ObjectId();
const within = (milliseconds: number, work: () => Promise<unknown>) => withDeadline(performance.now() + milliseconds, work);
// The first call of a process prepares the database.
await tokens.findOne({ _id: nobody });

const timesOf = async (work: () => Promise<unknown>) => (await commandsOf(work)).map(({ command }) => command.maxTimeMS);

const calls: [string, () => Promise<unknown>][] = [
  ['find', () => tokens.find({ user: nobody }).toArray()],
  ['findOne', () => tokens.findOne({ _id: nobody }, { projection: { user: 1 } })],
  ['aggregate', () => messages.aggregate({ _id: nobody }, []).toArray()],
  ['countDocuments', () => tokens.countDocuments({ _id: nobody })],
  ['updateOne', () => tokens.updateOne({ _id: nobody }, { $set: { name: 'a' } })],
  ['updateMany', () => tokens.updateMany({ _id: nobody }, { $set: { name: 'a' } })],
  ['findOneAndUpdate', () => tokens.findOneAndUpdate({ _id: nobody }, { $set: { name: 'a' } })],
  ['findOneAndDelete', () => tokens.findOneAndDelete({ _id: nobody })],
  ['deleteMany', () => tokens.deleteMany({ _id: nobody })],
  ['bulkWrite', () => tokens.bulkWrite([{ deleteOne: { filter: { _id: nobody } } }])],
];

describe('the time of a database call', () => {
  it.each(calls)('a database call takes at most 3 seconds and at most the rest of its request: %s', async (_method, call) => {
    expect(await timesOf(() => within(10_000, call))).toEqual([3_000]);
    const [left] = await timesOf(() => within(2_000, call));
    expect(left).toBeGreaterThan(0);
    expect(left).toBeLessThanOrEqual(2_000);
  });

  it('the time of a database call has no limit outside a request', async () => {
    expect(await timesOf(() => tokens.findOne({ _id: nobody }))).toEqual([undefined]);
  });

  it('the time of a database call ends with the request, except for the completion of a change', async () => {
    const late = async (work: () => Promise<unknown>) => {
      await new Promise((resolve) => setTimeout(resolve, 20));
      return work();
    };
    const outcomes: unknown[] = [];
    const [ask, complete] = [
      () => tokens.findOne({ _id: nobody }),
      () => regardlessOfDeadline(() => tokens.deleteMany({ _id: nobody })),
    ];
    const sent = await timesOf(async () => {
      for (const work of [ask, complete]) {
        const ended = Promise.withResolvers<void>();
        const request = within(10, () =>
          late(work)
            .then(...[() => outcomes.push('done'), () => outcomes.push('refused')])
            .finally(ended.resolve),
        );
        await expect(request).rejects.toMatchObject({ status: 503 });
        await ended.promise;
      }
    });
    expect({ outcomes, sent }).toEqual({ outcomes: ['refused', 'done'], sent: [3_000] });
  });

  it.each(calls)('a database call of a request that ended is refused as a promise, and not sent: %s', async (_method, call) => {
    const sent = await timesOf(async () => {
      // A call that throws at once would leave the promises of the calls before it to nobody.
      const late = withLatestDeadline([performance.now() - 1], () => [call(), call()]);
      expect(await Promise.allSettled(late)).toMatchObject([{ reason: { status: 503 } }, { reason: { status: 503 } }]);
    });
    expect(sent).toEqual([]);
  });

  it('a database call in a batch has the time of the caller with the most time left', async () => {
    const ask = batch(async (items: string[]) => {
      await tokens.findOne({ _id: nobody });
      return items.map(fulfilled);
    });
    const sent = await timesOf(() => Promise.all([within(2_000, () => ask('one')), within(10_000, () => ask('other'))]));
    expect(sent).toEqual([3_000]);
  });
});
