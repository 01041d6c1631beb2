import { once } from 'node:events';
import { statSync } from 'node:fs';
import { connect as connectSocket, type Socket } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, Long, serialize } from 'bson';
import type { Collection } from 'mongodb';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { Operation } from '../src/operation.ts';
import { addressOf } from '../src/protocol/address.ts';
import { createRetryableWrites } from '../src/sessions/retryable-writes.ts';
import { Catalog } from '../src/storage/catalog.ts';
import { openDatabaseFile } from '../src/storage/file/file.ts';
import { checkVersion } from '../src/storage/file/sqlite.ts';
import { createGroupCommit, type GroupCommit } from '../src/storage/group-commit.ts';
import { encode, encodeAnswer } from '../src/values/bson.ts';
import type { Doc, Value } from '../src/values/value.ts';
import { connect, freshCollection, freshDatabase, freshDb, freshDirectory } from './support/database.ts';
import { forkDatabase, residentBytes } from './support/victim.ts';
import { connectWire, message } from './support/wire-client.ts';

describe('documents of many levels', () => {
  it('an update makes no document of so many levels that it could not be read', async () => {
    const things = await freshCollection<NumberedDocument>();
    await things.insertOne({ _id: 1, a: nested(60), b: nested(60) });
    const wrap = [{ $set: { a: wrapped('$b', 50) } }];
    await expect(things.updateOne({ _id: 1 }, wrap)).rejects.toMatchObject({ code: 15 });
    await expect(things.findOneAndUpdate({ _id: 1 }, wrap)).rejects.toMatchObject({ code: 15 });
    expect(await things.findOne()).toEqual({ _id: 1, a: nested(60), b: nested(60) });
  });

  it('documents of too many levels that an earlier version stored are read, indexed and deleted', async () => {
    const dataDir = freshDirectory();
    const file = await openDatabaseFile(dataDir);
    const { catalog, commits } = storageOf(file);
    const doc: Doc = new Map<string, Value>([
      ['_id', 'deep'],
      ['text', 'coffee'],
      ['a', nestedDoc(190)],
    ]);
    catalog.create('test', 'things').insert(Buffer.from(encodeAnswer(doc)), () => doc);
    commits.flush();
    file.close();
    const client = connect((await freshDatabase({ dataDir })).uri);
    const things = client.db('test').collection<Document>('things');
    await things.createIndex({ text: 'text' }, { default_language: 'none' });
    expect(
      await things
        .find({ $text: { $search: 'coffee' } })
        .project({ text: 1, _id: 0 })
        .toArray(),
    ).toEqual([{ text: 'coffee' }]);
    expect(await things.deleteOne({ 'a.a.a.c': null })).toMatchObject({ deletedCount: 1 });
    expect(await things.countDocuments()).toBe(0);
  });
});

describe('a findAndModify', () => {
  it.each<[string, number, Document]>([
    ['that its projection refuses', 14, { x: { $add: ['$name', 1] } }],
    ['whose answer is too large', 10334, { x: Array.from({ length: 10 }, () => '$pad') }],
  ])('a findAndModify %s changes nothing, and the database goes on', async (_what, code, projection) => {
    const things = await freshCollection<{ _id: number; name: string; n: number; pad: string }>();
    await things.insertOne({ _id: 1, name: 'one', n: 0, pad: 'x'.repeat(8_000_000) });
    const change = things.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { projection });
    await expect(change).rejects.toMatchObject({ code });
    expect(await things.findOne({}, { projection: { n: 1 } })).toEqual({ _id: 1, n: 0 });
  });

  it('a findAndModify whose answer cannot be stored for a retry fails without the other writes of its turn', async () => {
    const file = await openDatabaseFile(freshDirectory());
    onTestFinished(() => file.close());
    const { catalog, commits } = storageOf(file);
    const bystander: Doc = new Map([['_id', 'there']]);
    const things = catalog.create('test', 'things');
    things.insert(Buffer.from(encode(bystander)), () => bystander);
    const lsid: Doc = new Map([['id', things.identity.uuid]]);
    const args: Doc = new Map<string, Value>([
      ['lsid', lsid],
      ['txnNumber', Long.fromNumber(1)],
    ]);
    const retry = createRetryableWrites(file, () => commits).begin(args);
    retry?.record(0, nestedDoc(1000));
    expect(() => retry?.save()).toThrow('nested');
    commits.flush();
    expect(catalog.get('test', 'things')?.get(1)).toBeDefined();
  });
});

describe('memory', () => {
  it('the memory that $group, $sort and $lookup take is bounded', async () => {
    const things = await freshCollection();
    for (let n = 0; n < 20; n++) await things.insertOne({ n, pad: `${n}${'x'.repeat(4_000_000)}` });
    const pipelines = [
      [{ $group: { _id: '$pad' } }],
      [{ $set: { m: { $add: ['$n', 1] } } }, { $sort: { m: -1 } }],
      [{ $limit: 1 }, { $lookup: { from: 'things', localField: 'n', foreignField: 'n', as: 'same' } }],
    ];
    for (const pipeline of pipelines) {
      await expect(things.aggregate(pipeline).toArray(), JSON.stringify(pipeline)).rejects.toMatchObject({ code: 292 });
      expect(await things.countDocuments()).toBe(20);
    }
  });

  it.each<[string, Document]>([
    ['maps in maps', maps('$a', 4)],
    ['arrays put together', doubled(30)],
    ['paths through arrays', { $map: { input: '$a', in: { $map: { input: '$a', in: '$a.b' } } } }],
  ])('the memory that expressions take is bounded: %s', async (_, expression) => {
    const things = await freshCollection();
    await things.insertOne({ a: Array.from({ length: 500 }, (_, b) => ({ b })) });
    await expect(things.aggregate([{ $project: { x: expression } }]).toArray()).rejects.toMatchObject({ code: 292 });
  });

  it('memory does not grow with the size of the documents that a scan passes', async () => {
    const database = await forkDatabase(freshDirectory());
    onTestFinished(() => void process.kill(database.pid));
    const things = connect(database.uri).db('test').collection('things');
    for (let n = 0; n < 24; n++) await things.insertOne({ n, pad: 'x'.repeat(8_000_000) });
    const before = residentBytes(database.pid);
    const cursor = things.find({}, { batchSize: 1 });
    await cursor.next();
    expect(residentBytes(database.pid) - before).toBeLessThan(120_000_000);
    await cursor.close();
  });

  it('memory is not filled by many clients that send much and never finish', async () => {
    const { uri } = await freshDatabase();
    const part = Buffer.alloc(40_000_000);
    part.writeInt32LE(48_000_000, 0);
    part.writeInt32LE(2013, 12);
    const sockets = await Promise.all(Array.from({ length: 9 }, () => opened(uri)));
    let cut = 0;
    for (const socket of sockets) {
      socket.on('close', () => cut++);
      socket.write(part);
    }
    for (let waited = 0; cut < 2 && waited < 100; waited++) await sleep(100);
    expect(cut).toBeGreaterThanOrEqual(2);
    expect(await connect(uri).db('test').command({ ping: 1 })).toMatchObject({ ok: 1 });
  });
});

describe('the time of a command', () => {
  it('the time of a command is checked inside expressions', async () => {
    const things = await freshCollection();
    await things.insertOne({ a: Array.from({ length: 1000 }, (_, n) => n) });
    // CPU time of this thread, where the database runs: other load on the machine does not count.
    const since = process.threadCpuUsage();
    const slow = things.aggregate([{ $project: { x: filters(3) } }], { maxTimeMS: 50 });
    await expect(slow.toArray()).rejects.toMatchObject({ code: 50 });
    const { user, system } = process.threadCpuUsage(since);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  });

  it('the time of a command is not spent for clients that have disconnected', async () => {
    const { uri } = await freshDatabase();
    const things = connect(uri).db('test').collection('things');
    const a = Array.from({ length: 100 }, (_, n) => n);
    await things.insertMany(Array.from({ length: 5000 }, () => ({ a })));
    const socket = await opened(uri);
    socket.write(message(serialize({ find: 'things', filter: { $expr: { $eq: [filters(3), 1] } }, $db: 'test' })));
    await sleep(200);
    socket.destroy();
    // Without an end, the command would take minutes.
    const utilization = async () => {
      const since = performance.eventLoopUtilization();
      await sleep(300);
      return performance.eventLoopUtilization(since).utilization;
    };
    await expect.poll(utilization).toBeLessThan(0.5);
  });
});

describe('an open cursor', () => {
  it.each([
    ['whose index is dropped', async () => {}],
    [
      'whose index is dropped after another command was rolled back',
      async (things: Collection<Document>) => {
        await things.createIndex({ same: 1 }, { unique: true }).catch(() => {});
      },
    ],
  ])('an open cursor %s reports it', async (_, before) => {
    const things = await freshCollection();
    await things.insertMany(Array.from({ length: 500 }, (_, n) => ({ n, same: 1 })));
    await things.createIndex({ n: 1 });
    const cursor = things.find({ n: { $gte: 0 } }, { batchSize: 10 });
    await cursor.next();
    await before(things);
    await things.dropIndex('n_1');
    await expect(cursor.toArray()).rejects.toMatchObject({ code: 175 });
  });

  it('an open cursor reads many documents before others have their turn, in later batches as in the first', async () => {
    const things = await freshCollection();
    await things.insertMany(Array.from({ length: 5000 }, (_, n) => ({ n })));
    let turns = 0;
    let count = setImmediate(function again() {
      turns++;
      count = setImmediate(again);
    });
    expect(await things.find().toArray()).toHaveLength(5000);
    clearImmediate(count);
    expect(turns).toBeLessThan(2500);
  });

  it('an open cursor is closed in favour of newer ones when there are very many', async () => {
    const db = await freshDb();
    await db.collection('things').insertMany([{}, {}]);
    const open = async () => (await db.command({ find: 'things', batchSize: 1 })).cursor.id;
    const first = await open();
    for (let n = 0; n < 1000; n++) await open();
    await expect(db.command({ getMore: Long.fromNumber(first), collection: 'things' })).rejects.toMatchObject({ code: 43 });
  });
});

describe('a read beside other commands', () => {
  it.each([
    ['after a millisecond, and then after each quarter of one', () => {}, [17, 23, 29]],
    [
      'after each tenth of a millisecond if it takes short slices',
      (operation: Operation) => operation.takeShortSlices(),
      [2, 5, 8],
    ],
  ])('a read lets others have their turn %s', (_, prepare, expected) => {
    const operation = new Operation();
    operation.resume({ isClosed: false });
    prepare(operation);
    let now = 0;
    vi.spyOn(performance, 'now').mockImplementation(() => now);
    onTestFinished(() => void vi.restoreAllMocks());
    const due = [];
    for (let call = 0; call < 32; call++, now += 1 / 16) if (operation.isDue()) due.push(call);
    expect(due.slice(0, 3)).toEqual(expected);
  });

  it('a read that searches texts lets others have their turn in short slices', async () => {
    const things = await freshCollection();
    await things.createIndex({ text: 'text' }, { default_language: 'none' });
    await things.insertMany(Array.from({ length: 300 }, () => ({ text: 'word' })));
    const asked = vi.spyOn(Operation.prototype, 'takeShortSlices');
    onTestFinished(() => void vi.restoreAllMocks());
    await things.find().toArray();
    expect(asked).not.toHaveBeenCalled();
    await things.find({ $text: { $search: 'word' } }).toArray();
    expect(asked).toHaveBeenCalled();
  });
});

describe('the log', () => {
  it('the log is written back when it has 64 MB', async () => {
    const dataDir = freshDirectory();
    const things = connect((await freshDatabase({ dataDir })).uri)
      .db('test')
      .collection('things');
    const size = (name: string) => statSync(join(dataDir, name)).size / 1e6;
    const insert = async (megabytes: number) => {
      for (let n = 0; n < megabytes; n++) await things.insertOne({ pad: 'x'.repeat(1_000_000) });
    };
    await insert(40);
    expect(size('database.sqlite')).toBeLessThan(5);
    await insert(60);
    expect(size('database.sqlite')).toBeGreaterThan(60);
    await insert(20);
    expect(size('database.sqlite-wal')).toBeLessThan(90);
  });
});

describe('connections', () => {
  it('connections beyond a thousand are refused', async () => {
    const { uri } = await freshDatabase();
    const sockets: Socket[] = [];
    for (let n = 0; n < 1001; n++) sockets.push(await opened(uri));
    const refused = await Promise.race(sockets.map((socket) => once(socket, 'close')));
    expect(refused).toBeDefined();
    for (const socket of sockets) socket.destroy();
    const client = await connectWire(uri);
    expect(await client.command('test', { ping: 1 })).toMatchObject({ ok: 1 });
    client.close();
  });
});

describe('SQLite', () => {
  it.each([
    ['3.50.4', false],
    ['2.99.0', false],
    ['', false],
    ['3.51.0', true],
    ['4.0.1', true],
  ])('SQLite of version "%s" is accepted: %s', (version, will) => {
    if (will) expect(() => checkVersion(version)).not.toThrow();
    else expect(() => checkVersion(version)).toThrow(`needs SQLite 3.51 or later, and Node.js ${process.versions.node} has`);
  });
});

type NumberedDocument = { _id: number; [field: string]: unknown };

function storageOf(file: Awaited<ReturnType<typeof openDatabaseFile>>) {
  const commits: GroupCommit = createGroupCommit(file, () => catalog.load());
  const catalog = new Catalog(file, () => commits);
  return { catalog, commits };
}

/** Builds `{ a: { a: ... } }`. */
function nested(levels: number): Document {
  return levels === 0 ? { end: true } : { a: nested(levels - 1) };
}

function nestedDoc(levels: number): Doc {
  let doc: Doc = new Map([['end', true as Value]]);
  for (let level = 1; level < levels; level++) doc = new Map([['a', doc as Value]]);
  return doc;
}

function wrapped(value: string, levels: number): Document | string {
  return levels === 0 ? value : { a: wrapped(value, levels - 1) };
}

function maps(input: string, levels: number): Document {
  return { $map: { input, in: levels === 1 ? { b: 1 } : maps(input, levels - 1) } };
}

function filters(levels: number): Document {
  return { $filter: { input: '$a', cond: levels === 1 ? { $eq: ['$$this', -1] } : { $size: filters(levels - 1) } } };
}

function doubled(times: number): Document {
  if (times === 0) return { $concatArrays: ['$a'] };
  return { $let: { vars: { it: doubled(times - 1) }, in: { $concatArrays: ['$$it', '$$it'] } } };
}

async function opened(uri: string): Promise<Socket> {
  const socket = connectSocket(addressOf(uri));
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  await once(socket, 'connect');
  return socket;
}
