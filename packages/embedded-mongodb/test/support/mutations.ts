import { Binary, type Document, Long, serialize, UUID } from 'bson';
import type { Random } from './random.ts';
import { message } from './wire-client.ts';

const bodies: readonly Document[] = [
  { ping: 1 },
  { hello: 1, helloOk: true, client: { application: { name: 'fuzz' }, driver: { name: 'x', version: '1' } } },
  {
    insert: 'things',
    documents: [{ _id: 1, a: [1, { b: 'x' }], d: new Date(0), l: Long.MAX_VALUE, bin: new Binary(Buffer.from('abc')) }],
  },
  { find: 'things', filter: { a: { $gt: 1 }, 'b.c': /x/i }, sort: { a: -1 }, limit: 5, projection: { a: 1 }, batchSize: 2 },
  { getMore: Long.fromNumber(12345), collection: 'things', batchSize: 2 },
  { update: 'things', updates: [{ q: { _id: 1 }, u: { $set: { 'a.0': 5 }, $inc: { n: 1 } }, upsert: true, multi: false }] },
  { delete: 'things', deletes: [{ q: { n: { $lt: 0 } }, limit: 0 }], lsid: { id: new UUID() }, txnNumber: Long.fromNumber(7) },
  { findAndModify: 'things', query: { _id: 1 }, update: [{ $set: { x: { $add: ['$n', 1] } } }], new: true, upsert: true },
  { aggregate: 'things', pipeline: [{ $match: { n: 1 } }, { $group: { _id: '$a', n: { $sum: 1 } } }, { $limit: 3 }], cursor: {} },
  { createIndexes: 'things', indexes: [{ key: { a: 1, b: -1 }, name: 'ab', unique: true }] },
  { find: 'things', filter: { $or: [{ a: 1 }, { b: { $in: [1, 2, 'x'] } }] } },
  { listCollections: 1, filter: { name: 'things' }, nameOnly: true },
  { explain: { find: 'things', filter: { a: 1 } }, verbosity: 'executionStats' },
];

/** Valid messages of all kinds, from which invalid ones are derived. */
export const seeds: readonly Buffer[] = bodies
  .map((body) => message(serialize({ ...body, $db: 'fuzz' })))
  .concat(sequenced(), silent(), legacy());

const interesting = [
  0, 1, 4, 5, 15, 16, 17, 255, 0x7fff, 0xffff, 48_000_000, 48_000_001, 0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff,
];

/**
 * Breaks a message in one to four places. In most cases the length is correct, so that more of it
 * is parsed.
 */
export function mutate(original: Buffer, random: Random): Buffer {
  let bytes: Buffer = Buffer.from(original);
  for (let times = 1 + random.below(4); times > 0; times--) bytes = random.pick(mutations)(bytes, random);
  if (bytes.length >= 4 && random.below(4) > 0) bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}

type Mutation = (bytes: Buffer, random: Random) => Buffer;

const mutations: readonly Mutation[] = [
  (bytes, random) => set(bytes, random.below(bytes.length), 1 << random.below(8), true),
  (bytes, random) => set(bytes, random.below(bytes.length), random.below(256), false),
  (bytes, random) => set(bytes, random.below(bytes.length), random.pick([0, 1, 2, 3, 4, 5, 7, 10, 11, 13, 15, 127, 255]), false),
  (bytes, random) => {
    if (bytes.length >= 4) bytes.writeUInt32LE(random.pick(interesting), random.below(bytes.length - 3));
    return bytes;
  },
  (bytes, random) => bytes.subarray(0, random.below(bytes.length + 1)),
  (bytes, random) => Buffer.concat([bytes, Buffer.from(Array.from({ length: random.below(40) }, () => random.below(256)))]),
  (bytes, random) => {
    const [from, to] = [random.below(bytes.length + 1), random.below(bytes.length + 1)].sort((a, b) => a - b) as [number, number];
    const at = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, at), bytes.subarray(from, to), bytes.subarray(at)]);
  },
  (bytes, random) => {
    const from = random.below(bytes.length + 1);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(from + 1 + random.below(8))]);
  },
  (bytes, random) => {
    const other = random.pick(seeds);
    return Buffer.concat([bytes.subarray(0, random.below(bytes.length + 1)), other.subarray(random.below(other.length))]);
  },
  (bytes, random) => {
    if (bytes.length >= 16) bytes.writeInt32LE(random.pick([0, 1, 1000, 2001, 2004, 2010, 2012, 2013, -1]), 12);
    return bytes;
  },
];

function set(bytes: Buffer, at: number, value: number, flip: boolean): Buffer {
  if (at < bytes.length) bytes[at] = flip ? (bytes[at] as number) ^ value : value;
  return bytes;
}

/** A message with documents in a sequence. */
function sequenced(): Buffer {
  const documents = [1, 2, 3].map((n) => serialize({ _id: n, text: 'x'.repeat(n) }));
  const section = Buffer.concat([Buffer.alloc(4), Buffer.from('documents\0'), ...documents]);
  section.writeInt32LE(section.length, 0);
  return withLength(Buffer.concat([message(serialize({ insert: 'things', $db: 'fuzz' })), Buffer.of(1), section]));
}

/** A message that requests no reply. */
function silent(): Buffer {
  const bytes = message(serialize({ insert: 'things', documents: [{ a: 1 }], $db: 'fuzz', writeConcern: { w: 0 } }));
  bytes.writeUInt32LE(2, 16);
  return bytes;
}

/** An OP_QUERY, which drivers may send as their first hello. */
function legacy(): Buffer {
  const head = Buffer.alloc(20);
  head.writeInt32LE(2004, 12);
  const rest = Buffer.concat([Buffer.from('admin.$cmd\0'), Buffer.from([0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff])]);
  return withLength(Buffer.concat([head, rest, serialize({ isMaster: 1, helloOk: true })]));
}

function withLength(bytes: Buffer): Buffer {
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
}
