import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Document, deserialize, serialize } from 'bson';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { addressOf } from '../src/protocol/address.ts';
import { type DatabaseProcess, forkDatabase, residentBytes } from './support/victim.ts';
import { answersOf, connectWire, message } from './support/wire-client.ts';

const maxMessageBytes = 48_000_000;
const closed = 'closed';

const ping = message(serialize({ ping: 1, $db: 'test' }));
const withHeader = (length: number, opcode: number, rest = ping.subarray(16)) => {
  const bytes = Buffer.concat([Buffer.alloc(16), rest]);
  bytes.writeInt32LE(length, 0);
  bytes.writeInt32LE(opcode, 12);
  return bytes;
};
const withFlags = (flags: number) => {
  const bytes = Buffer.from(ping);
  bytes.writeUInt32LE(flags, 16);
  return bytes;
};
const insertOf = (count: number, document: Uint8Array) => {
  const section = Buffer.concat([Buffer.alloc(4), Buffer.from('documents\0'), ...Array.from({ length: count }, () => document)]);
  section.writeInt32LE(section.length, 0);
  const bytes = Buffer.concat([message(serialize({ insert: 'things', $db: 'test' })), Buffer.of(1), section]);
  bytes.writeInt32LE(bytes.length, 0);
  return bytes;
};

describe('hostile messages', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'hostile-'));
  let database: DatabaseProcess;
  beforeAll(async () => {
    database = await forkDatabase(dataDir);
  });
  afterAll(async () => {
    await database.kill();
    rmSync(dataDir, { recursive: true });
  });

  it.each<[what: string, bytes: () => Buffer, outcome: typeof closed | Document]>([
    ['a length below that of a header', () => withHeader(15, 2013), closed],
    ['a negative length', () => withHeader(-1, 2013), closed],
    ['a length one above the limit', () => withHeader(maxMessageBytes + 1, 2013), closed],
    ['the greatest possible length', () => withHeader(2 ** 31 - 1, 2013), closed],
    ['no flags and no body', () => withHeader(16, 2013, Buffer.alloc(0)), closed],
    ['an operation that is long gone (OP_INSERT)', () => withHeader(ping.length, 2002), closed],
    ['compression that was not agreed on', () => withHeader(ping.length, 2012), closed],
    ['an OP_QUERY that is cut off', () => withHeader(ping.length, 2004), closed],
    ['a flag that must be understood', () => withFlags(1 << 5), closed],
    ['a flag that may be ignored', () => withFlags(1 << 16), { ok: 1 }],
    ['a checksum, which no driver sends', () => withFlags(1), closed],
    ['documents nested 100 000 deep', () => message(nested(100_000)), closed],
    [
      'a body above 16 MB',
      () => message(serialize({ insert: 'x', documents: [{ pad: 'x'.repeat(17_000_000) }], $db: 'test' })),
      { code: 10334 },
    ],
    ['a document above 16 MB beside the body', () => insertOf(1, serialize({ pad: 'x'.repeat(17_000_000) })), { code: 10334 }],
    ['more documents than a batch may have', () => insertOf(100_001, serialize({})), { code: 16 }],
    ['nearly 48 MB of documents', () => insertOf(3, serialize({ pad: 'x'.repeat(15_900_000) })), { ok: 1, n: 3 }],
  ])('hostile messages get an answer or a closed connection, and disturb nobody: %s', async (_, bytes, outcome) => {
    const { uri } = database;
    const other = await connectWire(uri);
    const socket = await open(uri);
    const answers = answersOf(socket);
    const answer = answers.next().then(
      (reply) => deserialize(reply.subarray(21)),
      () => closed,
    );
    socket.write(bytes());
    const expected = outcome === closed ? closed : expect.objectContaining(outcome);
    expect(await answer).toEqual(expected);
    expect(await other.command('test', { ping: 1 })).toEqual({ ok: 1 });
    other.close();
  });

  it('hostile messages are assembled from pieces of one byte', async () => {
    const socket = await open(database.uri);
    const answer = answersOf(socket).next();
    for (const byte of ping) {
      socket.write(Buffer.of(byte));
      await new Promise(setImmediate);
    }
    expect(deserialize((await answer).subarray(21))).toEqual({ ok: 1 });
  });

  it('hostile messages are answered one after the other, even if many come at the same time', async () => {
    const socket = await open(database.uri);
    const answers = answersOf(socket);
    const many = Array.from({ length: 2000 }, (_, i) => message(serialize({ ping: 1, $db: 'test' }), i));
    socket.write(Buffer.concat(many));
    const answered: number[] = [];
    for (let i = 0; i < many.length; i++) answered.push((await answers.next()).readInt32LE(8));
    expect(answered).toEqual(Array.from({ length: 2000 }, (_, i) => i));
  });

  it('hostile messages take no memory for a length that they only announce', async () => {
    const before = residentBytes(database.pid);
    await Promise.all(
      Array.from({ length: 200 }, async () => {
        const socket = await open(database.uri);
        socket.write(withHeader(maxMessageBytes, 2013));
      }),
    );
    const client = await connectWire(database.uri);
    expect(await client.command('test', { ping: 1 })).toEqual({ ok: 1 });
    client.close();
    expect(residentBytes(database.pid) - before).toBeLessThan(maxMessageBytes);
  });

  it('hostile messages take little memory while their answers are not read', async () => {
    const client = await connectWire(database.uri);
    await client.command('test', {
      insert: 'things',
      documents: Array.from({ length: 100 }, () => ({ pad: 'x'.repeat(100_000) })),
    });
    const before = residentBytes(database.pid);
    const socket = await open(database.uri);
    socket.pause();
    const find = message(serialize({ find: 'things', $db: 'test' }));
    socket.write(Buffer.concat(Array.from({ length: 100 }, () => find)));
    for (let i = 0; i < 20; i++) {
      expect(await client.command('test', { ping: 1 })).toEqual({ ok: 1 });
      await sleep(10);
    }
    client.close();
    expect(residentBytes(database.pid) - before).toBeLessThan(2 * maxMessageBytes);
  });
});

/** Builds `{ a: { a: ... } }`, deeper than encoders allow. */
function nested(depth: number): Buffer {
  let bytes = Buffer.from([5, 0, 0, 0, 0]);
  const head = Buffer.alloc(depth * 7);
  let size = 5 + 8 * depth;
  for (let level = 0; level < depth; level++, size -= 8) {
    head.writeInt32LE(size, level * 7);
    head.write('\x03a\0', level * 7 + 4, 'latin1');
  }
  bytes = Buffer.concat([head, bytes, Buffer.alloc(depth)]);
  return bytes;
}

async function open(uri: string): Promise<Socket> {
  const socket = connect(addressOf(uri));
  onTestFinished(() => void socket.destroy());
  await once(socket, 'connect');
  return socket;
}
