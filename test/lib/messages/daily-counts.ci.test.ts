import { ObjectId } from 'mongodb';
import { beforeEach, describe, expect, it } from 'vitest';
import { dayCounts } from '../../../lib/collections/rooms/day-counts.ts';
import { type MessageDocument, messages } from '../../../lib/collections/rooms/messages.ts';
import { type RoomDocument, rooms } from '../../../lib/collections/rooms/rooms.ts';
import { database } from '../../../lib/database/client.ts';
import {
  type CountedRoom,
  countDays,
  countedRoomFields,
  forgetDayCounts,
  readGeneration,
} from '../../../lib/messages/daily-counts.ts';
import { createRandom, testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { anAccount } from '../../support/accounts.ts';
import { useOwnDatabase } from '../../support/config.ts';
import { useDatabaseOutside } from '../../support/database-outside.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { commandsOf } from '../../support/sent-commands.ts';
import { inProcess as call } from '../../support/transports.ts';
import { isEmbedded } from '../../support/worker.ts';

useOwnDatabase();
await useDatabaseOutside();

const dayLength = 86_400_000;
const owner = await anAccount();

const today = Math.floor(Date.now() / dayLength) * dayLength;

/** Noon of the day that was this many days ago. */
const noon = (daysAgo: number) => new Date(today + dayLength / 2 - daysAgo * dayLength);
const dayOf = (date: Date) => date.toISOString().slice(0, 10);
/** The end of this day, so that today's messages are not in the future. */
const now = noon(0).getTime() + dayLength / 2 - 1;

/** A room with messages at these increasing times and places. */
async function aRoomWith(times: Date[], seqOf = (index: number) => index + 1): Promise<ObjectId> {
  const room = new ObjectId(await aRoomOf([owner]));
  const sent = times.map((created_at, index) => ({
    ...{ room, seq: seqOf(index), ordinal: index + 1, user: new ObjectId(owner.id), text: 'Hello', created_at },
    ...{ edited_at: null, deleted_at: null, thread: null, mentions: [], reactions: [], pinned_at: null },
  }));
  await messages.unscoped.insertMany(sent as unknown as MessageDocument[]);
  const last = { seq: seqOf(times.length - 1), message_count: times.length, last_message_at: times.at(-1) as Date };
  await rooms.updateOne({ _id: room }, { $set: last });
  return room;
}

/** Many rooms with messages at the same times. */
async function manyRoomsWith(times: Date[], count: number): Promise<ObjectId[]> {
  const room = await aRoomWith(times);
  const like = await rooms.findOne({ _id: room });
  const sent = await messages.unscoped.find({ room }).toArray();
  const ids = Array.from({ length: count - 1 }, () => new ObjectId());
  // The name must be unique.
  await database.collection('rooms').insertMany(ids.map((_id) => ({ ...like, _id, name_key: _id.toHexString() })) as never);
  const copies = ids.flatMap((id) => sent.map((message) => ({ ...message, _id: new ObjectId(), room: id })));
  await database.collection('messages').insertMany(copies as never);
  return [room, ...ids];
}

const find = (...ids: ObjectId[]) =>
  rooms.find<CountedRoom>({ _id: { $in: ids } }, { projection: countedRoomFields, sort: { _id: 1 } }).toArray();
const count = async (ids: ObjectId[], options: Parameters<typeof countDays>[3] = {}) =>
  (await countDays(await find(...ids), 5, await readGeneration(), { now, ...options })).map((one) => one.messages);

/** All stored counts. */
const anyDay = { _id: { $lt: 'generation' } };

describe('the messages of a day', () => {
  beforeEach(forgetDayCounts);

  it('the messages of a day are those that were sent from its midnight on, in all rooms together', async () => {
    const midnight = new Date(noon(1).getTime() - dayLength / 2);
    const before = new Date(midnight.getTime() - 1);
    const one = await aRoomWith([noon(9), noon(3), noon(3), before, midnight, noon(1), noon(0)]);
    const other = await aRoomWith([noon(3), noon(1)]);
    const old = await aRoomWith([noon(40), noon(39)]);
    expect(await countDays(await find(one, other, old), 5, await readGeneration(), { now })).toEqual([
      { day: dayOf(noon(4)), messages: 0 },
      { day: dayOf(noon(3)), messages: 3 },
      { day: dayOf(noon(2)), messages: 1 },
      { day: dayOf(noon(1)), messages: 3 },
      { day: dayOf(noon(0)), messages: 1 },
    ]);
  });

  it('the messages of a day include deleted ones, and exclude replies that are only in threads', async () => {
    const room = await aRoomOf([owner]);
    const sent = [];
    for (let at = 0; at < 4; at++) sent.push((await aMessage(owner, room))._id.$oid);
    await aMessage(owner, room, { thread: sent[0] as string });
    await aMessage(owner, room, { thread: sent[0] as string, is_in_room: true });
    await call('DELETE', `/api/messages/${sent[3]}`, { token: owner.token });
    await call('PATCH', `/api/messages/${sent[2]}`, { token: owner.token, body: { text: 'Changed' } });
    expect((await count([new ObjectId(room)])).at(-1)).toBe(5);
    // As if the first two had been sent on the day before yesterday, which was counted without
    // them.
    await forgetDayCounts();
    const ids = sent.slice(0, 2).map((id) => new ObjectId(id));
    await messages.unscoped.updateMany({ _id: { $in: ids } }, { $set: { created_at: noon(2) } });
    expect(await count([new ObjectId(room)])).toEqual([0, 0, 2, 0, 3]);
  });

  it('the messages of a day exclude places of processes that died', async () => {
    const room = await aRoomWith([noon(1), noon(1), noon(1), noon(0)]);
    // The place of the second is closed.
    await messages.unscoped.deleteOne({ room, seq: 2 });
    await database.collection('messages').insertOne({ room, seq: 2, ordinal: 2, is_void: true });
    await rooms.updateOne({ _id: room }, { $set: { lost: [2], lost_count: 1 } });
    expect(await count([room])).toEqual([0, 0, 0, 2, 1]);
  });

  it('the messages of all days together are those of the room, wherever its days begin', async () => {
    const random = createRandom(testSeed);
    for (let index = 0; index < 5; index++) {
      const times = Array.from({ length: 40 }, () => new Date(noon(4).getTime() + random.fraction() * 4 * dayLength)).sort(
        (one, other) => one.getTime() - other.getTime(),
      );
      const expected = [4, 3, 2, 1, 0].map((daysAgo) => times.filter((time) => dayOf(time) === dayOf(noon(daysAgo))).length);
      // Some places have changes instead of messages.
      const room = await aRoomWith(times, (at) => at * 3 + 2);
      expect(await count([room])).toEqual(expected);
      await forgetDayCounts();
    }
  });

  it('the messages of a day among a million are counted by thirty look-ups for each midnight in the index of places', async () => {
    const times = [...Array.from({ length: 500 }, () => noon(1)), ...Array.from({ length: 500 }, () => noon(0))];
    const room = await aRoomWith(times, (index) => (index + 1) * 1_000);
    const sent = (await commandsOf(() => count([room]))).filter(
      ({ name, collection }) => name === 'find' && collection === 'messages',
    );
    // Two midnights must be found, of today and yesterday. The earlier days are before all
    // messages.
    expect(sent.length).toBeLessThan(2 * 30);
    expect(sent.length).toBeGreaterThan(10);
    const { filter, sort, limit } = sent.at(10)?.command ?? {};
    const plan = await database.command({ explain: { find: 'messages', filter, sort, limit }, verbosity: 'executionStats' });
    const { winningPlan } = plan.queryPlanner;
    expect(JSON.stringify(winningPlan)).toContain('IXSCAN');
    // The engine that replaces MongoDB in tests sorts the results of an index.
    if (!isEmbedded) return;
    expect(plan.executionStats.totalDocsExamined).toBe(1);
    expect(JSON.stringify(winningPlan)).toContain('"indexName":"room, seq"');
    expect(JSON.stringify(winningPlan)).not.toContain('"SORT"');
  });
});

describe('the count of a past day', () => {
  beforeEach(forgetDayCounts);

  it('the count of a past day is stored and not repeated, and today is counted each time', async () => {
    const room = await aRoomWith([noon(2), noon(1), noon(0)]);
    expect(await count([room])).toEqual([0, 0, 1, 1, 1]);
    const again = await commandsOf(async () => expect(await count([room])).toEqual([0, 0, 1, 1, 1]));
    expect(again.filter(({ name }) => name === 'update')).toEqual([]);
    expect(await dayCounts.countDocuments({ _id: dayOf(new Date(now)) })).toBe(0);
    await rooms.updateOne({ _id: room }, { $inc: { message_count: 1 } });
    expect(await count([room])).toEqual([0, 0, 1, 1, 2]);
    // The count remains after the room is deleted.
    expect(await countDays([], 5, await readGeneration(), { now })).toMatchObject([
      {},
      {},
      { messages: 1 },
      { messages: 1 },
      { messages: 0 },
    ]);
  });

  it('the count of a past day is not stored while messages of that day may still arrive', async () => {
    const room = await aRoomWith([noon(1)]);
    const soonAfter = noon(0).getTime() - dayLength / 2 + 60_000;
    await count([room], { now: soonAfter });
    expect(await dayCounts.countDocuments({ _id: dayOf(noon(1)) })).toBe(0);
    expect(await dayCounts.countDocuments({ _id: dayOf(noon(2)) })).toBe(1);
  });

  it('the count of a past day is right even if the first message after it is being sent', async () => {
    const soonAfter = noon(0).getTime() - dayLength / 2 + 60_000;
    const room = await aRoomWith([noon(1), new Date(soonAfter - 1)]);
    const sent = await messages.findOne({ room, seq: 2 });
    // Its place is reserved, and the message is not stored yet.
    await messages.unscoped.deleteOne({ room, seq: 2 });
    // Only today, as if the time was up before yesterday was counted.
    await countDays(await find(room), 1, await readGeneration(), { now: soonAfter });
    await messages.unscoped.insertOne(sent as MessageDocument);
    expect(await count([room])).toEqual([0, 0, 0, 1, 1]);
  });

  it('the count of a past day is missing if there was no time, and later requests add it, even concurrent ones', async () => {
    const room = await aRoomWith([noon(2), noon(1)]);
    expect(await count([room], { until: 0 })).toEqual([null, null, null, null, null]);
    expect(await dayCounts.countDocuments(anyDay)).toBe(0);
    const all = await Promise.all([count([room]), count([room]), count([room])]);
    for (const one of all) expect(one).toEqual([0, 0, 1, 1, 0]);
    expect(await dayCounts.countDocuments(anyDay)).toBe(4);
  });

  it('the count of a past day is right if only some earlier days were stored', async () => {
    const room = await aRoomWith([noon(3), noon(3), noon(2), noon(1), noon(1), noon(1), noon(0)]);
    await count([room]);
    await dayCounts.deleteMany({ _id: { $in: [dayOf(noon(3)), dayOf(noon(1))] } });
    expect(await count([room])).toEqual([0, 2, 1, 3, 1]);
  });
});

const many = 120;
const all = await manyRoomsWith([noon(3), noon(2), noon(2), noon(1), noon(0)], many);

describe('days with too many messages for one request', () => {
  beforeEach(forgetDayCounts);

  const right = [0, many, 2 * many, many, many];
  const looksUp = async (work: () => Promise<unknown>) =>
    (await commandsOf(work)).filter(({ name, collection }) => name === 'find' && collection === 'messages').length;

  /** A time in milliseconds that is too short to count one of the four days with messages. */
  async function tooFew(): Promise<number> {
    let time = Number.POSITIVE_INFINITY;
    // A pause of a busy machine makes one of them too long.
    for (let turn = 0; turn < 3; turn++) {
      const begun = performance.now();
      expect(await count(all)).toEqual(right);
      time = Math.min(time, performance.now() - begun);
      await forgetDayCounts();
    }
    return time / 12;
  }

  it('days with too many messages for one request are counted by several, and each continues where the last one stopped', async () => {
    const time = await tooFew();
    let counted: (number | null)[] = [];
    let looks = 0;
    const lookUps = await looksUp(async () => {
      for (; looks < 1_000 && (looks === 0 || counted.includes(null)); looks++) {
        counted = await count(all, { until: performance.now() + time });
        for (const [at, one] of counted.entries()) expect([null, right[at]]).toContain(one);
      }
    });
    expect(counted).toEqual(right);
    expect(looks).toBeGreaterThan(2);
    await forgetDayCounts();
    expect(lookUps).toBeLessThan(2 * (await looksUp(() => count(all))));
  });

  it('days with too many messages for one request are counted again from the first room after an import by another process', async () => {
    const time = await tooFew();
    for (let looks = 0; looks < 3; looks++) await count(all, { until: performance.now() + time });
    const room = await aRoomWith([noon(3), noon(2), noon(1), noon(0)]);
    const imported = new ObjectId('000000000000000000000000');
    const { _id, ...like } = (await rooms.findOne({ _id: room })) as RoomDocument;
    await rooms.unscoped.deleteOne({ _id });
    await database.collection('rooms').insertOne({ ...like, _id: imported } as never);
    await messages.unscoped.updateMany({ room }, { $set: { room: imported } });
    // Another process discards the counts, which does not affect this process's memory.
    await dayCounts.deleteMany({});
    expect(await count([imported, ...all])).toEqual([0, many + 1, 2 * many + 1, many + 1, many + 1]);
    await rooms.unscoped.deleteOne({ _id: imported });
  });

  it('days whose messages take longer to count than one look has are not stored if an import ended while they were counted', async () => {
    const counting = count(all);
    await expect.poll(() => dayCounts.countDocuments({ _id: 'generation' }), { interval: 1 }).toBe(1);
    await forgetDayCounts();
    await counting;
    expect(await dayCounts.countDocuments({})).toBe(0);
  });

  it('days whose messages take longer to count than one look has are not taken from a count that was begun before an import ended', async () => {
    const room = await aRoomWith([noon(1)]);
    const generation = await readGeneration();
    const before = await find(room);
    const [sent] = await messages.unscoped.find({ room }).toArray();
    await messages.unscoped.insertOne({ ...sent, _id: new ObjectId(), seq: 2, ordinal: 2 } as MessageDocument);
    await rooms.updateOne({ _id: room }, { $set: { seq: 2, message_count: 2 } });
    await forgetDayCounts();
    // Another process begins the next generation, or is about to store counts of the last one.
    const next = await readGeneration();
    await dayCounts.updateOne({ _id: dayOf(noon(2)) }, { $set: { messages: 9, generation } }, { upsert: true });
    await countDays(before, 5, generation, { now });
    expect(await readGeneration()).toBe(next);
    expect(await count([room])).toEqual([0, 0, 0, 2, 0]);
    expect(await dayCounts.countDocuments({ ...anyDay, generation: next })).toBe(4);
  });

  it('days whose messages take longer to count than one look has do not keep today from being counted, because it is known where it begins in each room', async () => {
    await count(all);
    await rooms.unscoped.updateMany({ _id: { $in: all.slice(0, 3) } }, { $inc: { message_count: 1, seq: 1 } });
    expect(await looksUp(async () => expect((await count(all)).at(-1)).toBe(many + 3))).toBe(0);
  });

  it('days whose messages take longer to count than one look has are not gone on with while messages of them may still come', async () => {
    const soonAfter = noon(0).getTime() - dayLength / 2 + 60_000;
    const ids = await manyRoomsWith([noon(1)], 60);
    await count(ids, { now: soonAfter });
    // The earlier days are stored, so this is the time for yesterday only.
    const begun = performance.now();
    await count(ids, { now: soonAfter });
    const time = (performance.now() - begun) * 0.6;
    await count(ids, { now: soonAfter, until: performance.now() + time });
    // The first room gets a message of yesterday.
    const room = ids.toSorted((one, other) => (one.toHexString() < other.toHexString() ? -1 : 1))[0] as ObjectId;
    const [first] = await messages.unscoped.find({ room }).toArray();
    await messages.unscoped.insertOne({ ...first, _id: new ObjectId(), seq: 2, ordinal: 2 } as MessageDocument);
    await rooms.updateOne({ _id: room }, { $set: { seq: 2, message_count: 2 } });
    expect((await count(ids)).at(-2)).toBe(61);
  });
});
