import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ObjectId } from 'mongodb';
import { expect, it } from 'vitest';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import type { Event } from '../../../lib/feed/events.ts';
import type { Message } from '../../../lib/messages/messages.ts';
import { messageCount } from '../../../lib/rooms/counters.ts';
import { testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';
import type { Account } from '../../support/accounts.ts';
import { anAccount } from '../../support/accounts.ts';
import { attemptsIn } from '../../support/attempts.ts';
import { useConfig } from '../../support/config.ts';
import { aMessage } from '../../support/messages.ts';
import { startProcesses } from '../../support/processes.ts';
import { aRoomOf } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';
import type { Attempt, WriteJob } from '../../support/workers/write.ts';

// Shorter than the test, so that feeds close gaps; and shorter than a process is suspended, so that
// its changes arrive too late.
const [patience, frozenFor] = [2, 3];
useConfig({ FEED_PATIENCE: String(patience) });

/** The number of changes; FEED_CHANGES sets another. */
const changes = Number(process.env.FEED_CHANGES ?? 640);
const [processes, writersEach, readers] = [4, 8, 8];
const hour = 3_600_000;

it(`every reader sees every change once and in order: ${processes * writersEach} writers, ${changes} changes, functions killed and frozen, clocks wrong`, async () => {
  const directory = await mkdtemp(join(tmpdir(), 'chat-feed-'));
  const writers = await Promise.all(Array.from({ length: processes * writersEach }, () => anAccount()));
  const reader = await anAccount();
  const room = await aRoomOf([reader, ...writers]);

  let isOver = false;
  const reading = Array.from({ length: readers }, (_, index) => follow(room, reader, index, () => isOver));
  const logs = writers.slice(0, processes).map((_, index) => join(directory, String(index)));
  await Promise.all(
    logs.map((log, index) => write(room, writers.slice(index * writersEach, (index + 1) * writersEach), index, log)),
  );
  const last = await aMessage(reader, room, { text: 'The last' });
  isOver = true;
  const [seen = [], ...others] = await Promise.all(reading.map(async (feed) => until(await feed, last)));

  for (const other of others) expect(other).toEqual(seen);
  expect(seen.map(({ seq }) => seq)).toEqual(seen.map(({ seq }) => seq).toSorted((one, two) => one - two));
  expect(new Set(seen.map(({ seq }) => seq)).size).toBe(seen.length);

  const { tried, done } = await attemptsIn(logs);
  const [seenTimes, doneTimes, triedTimes] = [timesOf(seen), timesOf(done), timesOf(tried)];
  const created = seen.filter(({ type }) => type === 'message.created');
  for (const [what, times] of doneTimes) expect([what, seenTimes.get(what)]).toEqual([what, expect.toSatisfy((n) => n >= times)]);
  for (const [what, times] of seenTimes) {
    const most = what.startsWith('message.created') ? 1 : triedTimes.get(what);
    expect([what, most]).toEqual([what, expect.toSatisfy((n) => n >= times)]);
  }
  const places = new Map(created.map(({ message }, index) => [message, index]));
  for (const { type, message, seq } of seen) {
    const place = created[places.get(message) ?? -1]?.seq;
    expect([type, message, place]).toEqual([type, message, expect.toSatisfy((at) => at <= seq)]);
  }

  const stored = await rooms.findOne({ _id: new ObjectId(room) });
  expect(stored && messageCount(stored)).toBe(created.length + 1);
  console.info(
    `${done.length} of ${tried.length} changes acknowledged, ${stored?.seq} places taken, ${stored?.lost_count ?? 0} messages lost`,
  );
  await rm(directory, { recursive: true });
});

/** The parts of an event that a reader keeps. */
type Seen = { seq: number; type: string; actor: string; message: string };

/**
 * Polls the feed in pages of various sizes. It starts at the beginning, or at a cursor from before
 * the first event.
 */
async function follow(room: string, { token }: Account, index: number, isOver: () => boolean): Promise<() => Promise<Seen[]>> {
  const seen: Seen[] = [];
  let cursor = index % 2 ? '0' : ((await inProcess('GET', `/api/events?room=${room}`, { token })).headers['x-next-cursor'] ?? '');
  const poll = async () => {
    const path = `/api/events?room=${room}&after=${cursor}&limit=${1 + ((index * 37 + seen.length) % 100)}`;
    const { status, headers, body } = await inProcess('GET', path, { token });
    if (status !== 200) return;
    seen.push(...(body as Event[]).map(toSeen));
    cursor = headers['x-next-cursor'] ?? cursor;
  };
  while (!isOver()) {
    await poll();
    await delay(20);
  }
  return async () => {
    await poll();
    return seen;
  };
}

const toSeen = ({ seq, type, actor, data }: Event): Seen => ({
  seq,
  type,
  actor: actor?.$oid ?? '',
  message: (data as Message)._id.$oid,
});

async function until(poll: () => Promise<Seen[]>, last: Message): Promise<Seen[]> {
  for (;;) {
    const seen = await poll();
    if (seen.at(-1)?.message === last._id.$oid) return seen.slice(0, -1);
    await delay(100);
  }
}

/**
 * Lets accounts write from a process. The first has a fast clock, the second a slow one, the third
 * is killed, and the fourth is suspended.
 */
async function write(room: string, accounts: Account[], index: number, log: string): Promise<void> {
  const clock = [hour, -hour, 0, 0][index] ?? 0;
  const start = async (count: number, killShare: number, seed: number) => {
    const writer = await startProcesses<WriteJob, void>(1, 'write', {
      MONGODB_URI: `${process.env.MONGODB_URI}&monitorCommands=true`,
    });
    const done = writer.ask(0, { room, accounts, changes: Math.ceil(count), retries: false, clock, killShare, seed, log });
    return { writer, done: done.finally(writer.end) };
  };
  const share = changes / processes / writersEach;
  if (index === 2) {
    // It is killed twice, after about twenty changes each.
    for (let kills = 0; kills < 2; kills++)
      await expect((await start(1_000, 0.05, testSeed + kills)).done).rejects.toThrow('SIGKILL');
  }
  const { writer, done } = await start(share, 0, testSeed + index);
  if (index === 3) {
    await delay(2_000);
    writer.signal(0, 'SIGSTOP');
    await delay(frozenFor * 1_000);
    writer.signal(0, 'SIGCONT');
  }
  await done;
}

function timesOf(list: Pick<Attempt, 'type' | 'actor' | 'message'>[]): Map<string, number> {
  const times = new Map<string, number>();
  for (const { type, actor, message } of list) {
    const what = `${type} ${message} ${actor}`;
    times.set(what, (times.get(what) ?? 0) + 1);
  }
  return times;
}
