import { type Db, Int32, ObjectId } from 'mongodb';
import type { Bench, Goal } from './figure.ts';
import { median, medianMicros, perSecond } from './measure.ts';

/** An operation to measure. */
export type Operation = {
  name: string;
  unit: string;
  goal?: Goal;
  /** The most processor time of the database for one call, in microseconds. */
  goalOfProcessor?: number;
  run: (db: Db, bench: Bench) => Promise<{ value: number; calls: number }>;
};

type Message = {
  _id: ObjectId;
  room: Int32;
  seq: Int32;
  key: string;
  author: ObjectId;
  text: string;
  createdAt: Date;
};

const perRoom = 100;
const fewMessages = 1000;
const scanned = 10_000;
const batchSize = 5000;
const pageSize = 50;
/** Enough calls for V8 to have compiled the code. */
const warmUpShare = 2000;

/** The message with this number, from which its `_id` and key follow. */
function messageOf(i: number): Message {
  return {
    _id: idOf(i),
    room: new Int32(Math.floor(i / perRoom)),
    seq: new Int32(i % perRoom),
    key: `key-${i}`,
    author: idOf(i % 1000),
    text: `This is the message with the number ${i}, as long as such messages commonly are.`,
    createdAt: new Date(1_700_000_000_000 + i),
  };
}

const idOf = (i: number) => new ObjectId(i.toString(16).padStart(24, '0'));

/** Creates the collections: `large` with all messages, `few`, and `scanned`. */
export async function fill(db: Db, { messages, progress }: Bench, system: string): Promise<void> {
  await db.dropDatabase();
  for (const [name, count] of Object.entries({ large: messages, few: fewMessages, scanned })) {
    const collection = db.collection<Message>(name);
    await collection.createIndex({ room: 1, seq: -1 });
    await collection.createIndex({ key: 1 }, { unique: true });
    for (let i = 0; i < count; i += batchSize) {
      progress(`filling ${name}: ${system} ${i} of ${count}`);
      await collection.insertMany(Array.from({ length: Math.min(batchSize, count - i) }, (_, j) => messageOf(i + j)));
    }
  }
  await db.collection('counters').insertMany(Array.from({ length: 100 }, (_, i) => ({ _id: idOf(i), n: 0 })));
}

/** A number below `limit`, spread evenly and the same in each run. */
const spread = (i: number, limit: number) => (i * 7_919_993) % limit;

const one = (name: string, call: (db: Db, i: number, bench: Bench) => Promise<unknown>, factor = 1): Operation => ({
  name,
  unit: 'us',
  async run(db, bench) {
    const repeats = Math.ceil(bench.repeats * factor);
    const warmUp = Math.ceil(warmUpShare * factor);
    for (let i = 0; i < warmUp; i++) await call(db, i, bench);
    return { value: await medianMicros(repeats, (i) => call(db, i, bench)), calls: repeats + warmUp };
  },
});

const page = (db: Db, name: string, count: number, i: number) =>
  db
    .collection(name)
    .find({ room: spread(i, count / perRoom), seq: { $lt: 90 } })
    .sort({ seq: -1 })
    .limit(pageSize)
    .toArray();

/** The calls alternate, so that whatever else happens on the machine affects both. */
const pageRatio: Operation = {
  name: 'page of 50, all / 1 000 messages',
  unit: 'ratio',
  goal: { of: 'value', atMost: 1.5 },
  async run(db, { repeats, messages }) {
    const few: number[] = [];
    const all: number[] = [];
    for (let i = 0; i < repeats; i++) {
      few.push(await medianMicros(1, () => page(db, 'few', fewMessages, i)));
      all.push(await medianMicros(1, () => page(db, 'large', messages, i)));
    }
    return { value: median(all) / median(few), calls: 2 * repeats };
  },
};

const insert = (clients: number, goal?: Goal): Operation => ({
  name: `durable inserts, ${clients} client${clients === 1 ? '' : 's'}`,
  unit: 'per second',
  ...(goal && { goal }),
  async run(db, { repeats }) {
    const messages = db.collection(`inserted${clients}`);
    await messages.createIndex({ room: 1, seq: -1 });
    const calls = clients === 1 ? repeats : repeats * 5;
    const value = await perSecond(calls, clients, (i) => messages.insertOne({ ...messageOf(i), _id: new ObjectId() }));
    return { value, calls };
  },
});

/** The operations in the order in which they are measured. */
export const embeddedOperations: readonly Operation[] = [
  {
    ...one('findOne by _id', (db, i, { messages }) => db.collection('large').findOne({ _id: idOf(spread(i, messages)) })),
    goalOfProcessor: 60,
  },
  one('findOne by a unique index', (db, i, { messages }) =>
    db.collection('large').findOne({ key: `key-${spread(i, messages)}` }),
  ),
  one('page of 50 among 1 000 messages', (db, i) => page(db, 'few', fewMessages, i)),
  one('page of 50 among all messages', (db, i, { messages }) => page(db, 'large', messages, i)),
  pageRatio,
  insert(1),
  insert(64, { of: 'value', atLeast: 2000 }),
  one('findAndModify', (db, i) => db.collection('counters').findOneAndUpdate({ _id: idOf(i % 100) }, { $inc: { n: 1 } })),
  one('scan of 10 000 documents', (db) => db.collection('scanned').findOne({ text: 'none' }), 0.02),
  one('reading 10 000 documents', (db) => db.collection('scanned').find().toArray(), 0.02),
];
