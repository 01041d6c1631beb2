import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { addressOf } from '../src/protocol/address.ts';
import { freshDirectory } from './support/database.ts';
import { mutate, seeds } from './support/mutations.ts';
import { createRandom, testSeed } from './support/random.ts';
import { type DatabaseProcess, forkDatabase, residentBytes } from './support/victim.ts';
import { connectWire } from './support/wire-client.ts';

/** The goal is 1,000,000 messages; a run of the whole suite sends fewer. */
const messageCount = Number(process.env.FUZZ_MESSAGES ?? 12_000);
const hour = 3_600_000;
const connectionCount = 8;
/** Number of messages after which the created data is removed. */
const roundSize = 4000;
/**
 * Twice the largest message, received and parsed, plus the growth of SQLite's cache and V8's heap
 * to their limits.
 */
const memoryGrowth = 2 * 48_000_000 + 100_000_000;

describe('broken messages', () => {
  it(`a broken message ends only its own connection: ${messageCount} of them (seed ${testSeed})`, { timeout: hour }, async () => {
    const database = await start();
    const canary = await startCanary(database);
    const random = createRandom(testSeed);
    let before = 0;
    let most = 0;
    for (let sent = 0; sent < messageCount; ) {
      const round = Math.min(roundSize, messageCount - sent);
      const share = Math.ceil(round / connectionCount);
      await Promise.all(
        Array.from({ length: connectionCount }, () => sendBroken(database.uri, share, () => mutate(random.pick(seeds), random))),
      );
      sent += share * connectionCount;
      await dropAll(database.uri);
      const memory = residentBytes(database.pid);
      most = Math.max(most, memory);
      // The first round warms up.
      before ||= memory;
    }
    const { longestMillis, answered } = await canary.stop();
    if (process.env.FUZZ_MESSAGES !== undefined) console.info({ longestMillis, answered, before, most });
    expect(answered).toBeGreaterThan(0);
    expect(most - before).toBeLessThan(memoryGrowth);
  });
});

/** Sends some messages per connection and closes it, until all are sent. */
async function sendBroken(uri: string, count: number, next: () => Buffer): Promise<void> {
  for (let sent = 0; sent < count; ) {
    const socket = connect(addressOf(uri));
    const closed = new Promise((resolve) => socket.once('close', resolve));
    // The database may close first.
    socket.on('error', () => {});
    socket.resume();
    for (const end = Math.min(sent + 1 + (sent % 4), count); sent < end; sent++) socket.write(next());
    socket.end();
    await closed;
  }
}

/** A client that queries continuously, and must always get a reply. */
async function startCanary({ uri }: DatabaseProcess) {
  const client = await connectWire(uri);
  expect(await client.command('canary', { insert: 'birds', documents: [{ _id: 'tweety' }] })).toMatchObject({ ok: 1, n: 1 });
  const result = { longestMillis: 0, answered: 0 };
  let stopped = false;
  const asking = (async () => {
    while (!stopped) {
      const since = performance.now();
      const { cursor } = await client.command('canary', { find: 'birds' });
      expect(cursor.firstBatch).toEqual([{ _id: 'tweety' }]);
      result.answered++;
      result.longestMillis = Math.max(result.longestMillis, performance.now() - since);
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
    client.close();
  })();
  return {
    async stop() {
      stopped = true;
      await asking;
      return result;
    },
  };
}

async function dropAll(uri: string): Promise<void> {
  const client = await connectWire(uri);
  await client.command('fuzz', { dropDatabase: 1 });
  client.close();
}

async function start(): Promise<DatabaseProcess> {
  const database = await forkDatabase(freshDirectory());
  onTestFinished(() => database.kill());
  return database;
}
