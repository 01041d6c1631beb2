import { MongoServerError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { database } from '../../../lib/database/client.ts';
import { stateOf } from '../../../lib/database/within-process.ts';
import { anAccount } from '../../support/accounts.ts';
import { commandsGot, type GotCommand, useDatabaseWithin } from '../../support/database-within.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

await useDatabaseWithin();

const ann = await anAccount();
const room = await aRoomOf([ann]);

const synced = { w: 'majority', j: true };

describe('a database within this process', () => {
  it('a database within this process syncs the place of a message with the message alone, and that of a change with the change', async () => {
    expect(concernsOf(await commandsGot(() => aMessage(ann, room)))).toMatchObject({
      'findAndModify rooms': { w: 'majority', j: false },
      'insert messages': synced,
    });
    const rename = () => inProcess('PATCH', `/api/rooms/${room}/details`, { token: ann.token, body: { topic: 'New' } });
    expect(concernsOf(await commandsGot(rename))).toMatchObject({ 'findAndModify rooms': synced, 'insert events': synced });
  });
});

describe('the state of collections', () => {
  const [things, others] = ['things', 'others'].map((name) => database.collection<{ _id: number }>(name)) as [Things, Things];

  it('the state of collections equals no other state while one of them does not exist', async () => {
    await things.insertOne({ _id: 0 });
    expect([stateOf(things), stateOf(things, others)]).toEqual([expect.any(Number), Number.NaN]);
    await others.insertOne({ _id: 0 });
    expect(stateOf(things, others)).toBeGreaterThan(0);
  });

  it.each<[string, () => Promise<unknown>]>([
    ['an insert', () => things.insertOne({ _id: 1 })],
    ['an update', () => things.updateOne({ _id: 1 }, { $set: { text: 'new' } })],
    ['an update that inserts', () => things.updateOne({ _id: 2 }, { $set: { text: 'new' } }, { upsert: true })],
    ['an update that brings the document back', () => things.findOneAndUpdate({ _id: 1 }, { $unset: { text: '' } })],
    ['a deletion', () => things.deleteMany({ _id: 2 })],
    ['its removal', () => things.drop()],
  ])('the state of a collection changes after %s, and that of others does not', async (_what, change) => {
    const before = [stateOf(things), stateOf(others)];
    await change();
    expect(stateOf(things)).not.toBe(before[0]);
    expect(stateOf(things, others)).not.toBe((before[0] ?? 0) + (before[1] ?? 0));
    expect(stateOf(others)).toBe(before[1]);
  });

  it('the state of collections stays the same after reads, updates that change nothing, and refused commands', async () => {
    await things.insertOne({ _id: 1 });
    const before = stateOf(things, others);
    await things.find().toArray();
    await things.updateOne({ _id: 1 }, { $max: { _id: 1 } });
    await things.deleteOne({ _id: 9 });
    await expect(things.insertOne({ _id: 1 })).rejects.toThrow(MongoServerError);
    expect(stateOf(things, others)).toBe(before);
  });
});

type Things = ReturnType<typeof database.collection<{ _id: number }>>;

/** The write concern of each write. */
const concernsOf = (commands: GotCommand[]): Record<string, unknown> =>
  Object.fromEntries(
    commands.flatMap((command) => {
      const [[name, collection] = []] = command;
      const concern = command.get('writeConcern') as GotCommand | undefined;
      return concern ? [[`${name} ${collection}`, Object.fromEntries(concern)]] : [];
    }),
  );
