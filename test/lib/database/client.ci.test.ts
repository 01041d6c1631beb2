import { BSON, type CommandStartedEvent, type FindOptions, MongoNetworkError, MongoServerSelectionError } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { client, clientOptions, createClient, database } from '../../../lib/database/client.ts';
import { serializeByKey } from '../../../lib/database/engines.ts';
import { config } from '../../../lib/settings/config.ts';
import { anAdmin } from '../../support/accounts.ts';
import { useProxiedDatabase } from '../../support/database-outside.ts';
import { aMessage } from '../../support/messages.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess as call } from '../../support/transports.ts';

const proxy = await useProxiedDatabase();

describe('the database client', () => {
  it('the database client limits every stage of a call, and never by timeoutMS', () => {
    expect(clientOptions()).toEqual({
      appName: 'chat-service',
      maxPoolSize: Number(process.env.MONGODB_POOL_SIZE),
      minPoolSize: 0,
      maxIdleTimeMS: 60_000,
      serverSelectionTimeoutMS: 3_000,
      connectTimeoutMS: 3_000,
      socketTimeoutMS: 4_000,
      waitQueueTimeoutMS: 5_000,
      retryWrites: true,
      retryReads: true,
      writeConcern: { w: 'majority', journal: true },
      readConcern: { level: 'majority' },
      ignoreUndefined: true,
    });
    expect(client.options).not.toHaveProperty('timeoutMS');
  });

  it('the database client connects again with the next call if its first connection failed', async () => {
    const own = createClient(config.mongodbUri, { ...clientOptions(), serverSelectionTimeoutMS: 300 });
    const ping = () => own.db().command({ ping: 1 });
    proxy.set('down');
    await expect(ping()).rejects.toThrow(MongoServerSelectionError);
    proxy.set('pass');
    await expect.poll(() => ping().catch(String)).toMatchObject({ ok: 1 });
    await own.close();
  });

  it('the database client numbers its writes, and requires a sync for the place of a message', async () => {
    const admin = await anAdmin();
    const room = await aRoomOf([admin]);
    const writes: CommandStartedEvent[] = [];
    const record = (event: CommandStartedEvent) => {
      if (['findAndModify', 'insert'].includes(event.commandName)) writes.push(event);
    };
    client.on('commandStarted', record);
    await aMessage(admin, room);
    client.off('commandStarted', record);
    expect(writes.map(({ commandName, command }) => [commandName, command.writeConcern, typeof command.txnNumber])).toEqual([
      ['findAndModify', { w: 'majority', j: true }, 'object'],
      ['insert', { w: 'majority', j: true }, 'object'],
    ]);
  });

  it('the database client gives the documents of all batches of a cursor, decoded as they were stored or as bytes', async () => {
    const collection = database.collection<{ _id: number }>('batches');
    const documents = Array.from({ length: 5 }, (_, _id) => ({
      _id,
      inner: { text: 'ü'.repeat(_id), none: null },
      list: [_id, [new Date(_id)], {}],
    }));
    await collection.insertMany(documents);
    const find = (options: FindOptions) => collection.find({}, { sort: { _id: 1 }, batchSize: 2, ...options }).toArray();
    expect(await find({})).toEqual(documents);
    expect((await find({ raw: true })).map((bytes) => BSON.deserialize(bytes as unknown as Uint8Array))).toEqual(documents);
    expect(await collection.find({ _id: { $gt: 9 } }).toArray()).toEqual([]);
  });

  it.each(['down', 'mute'] as const)(
    'the database client answers 503 while the database is %s, and serves the next request once it is back',
    async (fault) => {
      const { token } = await anAdmin();
      expect((await call('GET', '/api/rooms', { token })).status).toBe(200);

      proxy.set(fault);
      const { status, headers, body } = await call('GET', '/api/rooms', { token });
      expect({ status, body }).toEqual({
        status: 503,
        body: { title: 'Service unavailable', description: 'The database did not answer in time.' },
      });
      expect(headers['retry-after']).toMatch(/^\d+$/);

      proxy.set('pass');
      expect((await call('GET', '/api/rooms', { token })).status).toBe(200);
      // Well under the gateway's timeout of 30 s. The deadline of a request is 10 s.
    },
    25_000,
  );

  it('the database client keeps serving when connections are cut between requests', async () => {
    const { token } = await anAdmin();
    proxy.set('down');
    proxy.set('pass');
    const post = async () => (await call('POST', '/api/rooms', { token, body: { name: 'After the cut' } })).status;
    // The first request may still fail, before the driver notices the interruption.
    expect([201, 503]).toContain(await post());
    expect(await post()).toBe(201);
  });
});

describe('serialized inserts', () => {
  it('serialized inserts run in their order, fail independently, and never overlap for one key', async () => {
    const insertOnce = serializeByKey<string>();
    const running = { a: 0, b: 0 };
    const insert = (key: 'a' | 'b', name: string) =>
      insertOnce(key, async () => {
        expect(++running[key]).toBe(1);
        await new Promise(setImmediate);
        running[key]--;
        if (name === 'taken') throw new Error(name);
        return name;
      });
    expect(
      await Promise.allSettled([insert('a', 'one'), insert('a', 'taken'), insert('b', 'two'), insert('a', 'three')]),
    ).toEqual([
      { status: 'fulfilled', value: 'one' },
      { status: 'rejected', reason: new Error('taken') },
      { status: 'fulfilled', value: 'two' },
      { status: 'fulfilled', value: 'three' },
    ]);
  });

  it('serialized inserts are not tried after one that could not reach the database', async () => {
    const insertOnce = serializeByKey<string>();
    const tried: string[] = [];
    const unreachable = new MongoNetworkError('down');
    const insert = (name: string) =>
      insertOnce('key', async () => {
        tried.push(name);
        if (name === 'second') throw unreachable;
        return name;
      });
    expect(await Promise.allSettled(['first', 'second', 'third'].map(insert))).toEqual([
      { status: 'fulfilled', value: 'first' },
      { status: 'rejected', reason: unreachable },
      { status: 'rejected', reason: unreachable },
    ]);
    expect(tried).toEqual(['first', 'second']);
  });
});
