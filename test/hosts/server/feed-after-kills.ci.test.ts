import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, describe, expect, it, onTestFinished } from 'vitest';
import { createRandom, testSeed } from '../../../packages/embedded-mongodb/test/support/random.ts';
import { percentile } from '../../../tools/bench/measure.ts';
import { makeAdministrator } from '../../../tools/harness/hanging-world/town.ts';
import { commands, freePort, type Service } from '../../../tools/harness/service.ts';
import { overHttp } from '../../../tools/harness/transports.ts';
import { countKills, kill } from '../../support/kills.ts';
import { runCommand } from '../../support/run-command.ts';
import { aService } from '../../support/services.ts';
import { isEmbedded } from '../../support/worker.ts';

/*
 * A server with its own database is killed while a room is in use. Places that messages had taken
 * may stay empty, and a feed that waited for them would stand still. How long it took is printed
 * when `KILLS` sets the number of kills.
 */

const kills = countKills('the only server, while a room is in use');
const workerKills = countKills('one of two workers, while a room is in use');
const senderCount = 16;
const random = createRandom(testSeed);

const directory = await mkdtemp(join(tmpdir(), 'chat-feed-'));
afterAll(() => rm(directory, { recursive: true }));

const start = (name: string, workers: number, settings: Record<string, string> = {}): Promise<Service> => {
  const own = { MONGODB_URI: '', MONGODB_DATABASE: 'chat', DATA_DIR: join(directory, name), LOG_LEVEL: 'error' };
  const words = [...commands.serve, '--workers', String(workers)];
  return aService({ ...own, ...settings, RATE_LIMITS: 'off', HTTP_HOST: '127.0.0.1' }, words);
};

/** A room, its newest message, and the feed of it as a follower reads it. */
function follow(token: string, room: string) {
  const read = async (service: Service, path: string) => {
    const ask = () => overHttp(service.url, longestSendMs)('GET', path, { token });
    // The connection may have gone to the worker that was killed.
    const reply = await ask().catch(ask);
    expect(reply.status).toBe(200);
    return reply;
  };
  let cursor = '0';
  /** The place in a cursor, after the epoch. */
  const placeOf = (one: string) => Number(one.split('.').at(-1));
  return {
    newest: async (service: Service): Promise<number> => {
      const { body } = await read(service, `/api/messages?room=${room}&limit=200`);
      return Math.max(...(body as { seq: number }[]).map(({ seq }) => seq));
    },
    /** Reads the feed as far as it goes, and returns up to where. */
    advance: async (service: Service): Promise<number> => {
      for (;;) {
        const { headers } = await read(service, `/api/events?room=${room}&after=${cursor}&limit=500`);
        const next = headers['x-next-cursor'] as string;
        if (placeOf(next) === placeOf(cursor)) return placeOf(cursor);
        cursor = next;
      }
    },
  };
}

/**
 * After how many milliseconds a sender gives up: a connection that waited for a worker that was
 * killed is never answered.
 */
const longestSendMs = 3_000;

/** Sends messages from several connections until the work stops that, or ends. */
async function whileSending(
  service: Service,
  token: string,
  room: string,
  work: (stop: () => void) => Promise<unknown>,
): Promise<void> {
  let isOver = false;
  const call = overHttp(service.url, longestSendMs);
  const stop = () => {
    isOver = true;
  };
  const senders = Array.from({ length: senderCount }, async () => {
    while (!isOver) {
      await call('POST', '/api/messages', { token, body: { room, text: 'Hello' } }).catch(() => sleep(20));
    }
  });
  await sleep(200 + random.below(300));
  await work(stop);
  stop();
  await Promise.all(senders);
}

async function aRoomOn(service: Service): Promise<{ token: string; room: string }> {
  const token = await makeAdministrator(service);
  const { body } = await overHttp(service.url)('POST', '/api/rooms', { token, body: { name: 'Busy' } });
  return { token, room: (body as { _id: { $oid: string } })._id.$oid };
}

function report(what: string, times: number[]): void {
  if (process.env.KILLS === undefined) return;
  const [p50, most] = [percentile(times, 50), Math.max(...times)].map(Math.round);
  const inTime = times.filter((time) => time <= 2_500).length;
  console.info(`${what}: the feed was complete within 2.5 s ${inTime} of ${times.length} times; p50 ${p50} ms, max ${most} ms`);
}

describe.runIf(isEmbedded)('the feed of a room in use', () => {
  it(`the first reader of a feed gets to its newest message after each of ${kills} kills of the only server`, {
    timeout: 60_000 + kills * 30_000,
  }, async () => {
    let service = await start('single', 1);
    onTestFinished(() => service.signal('SIGKILL'));
    const { token, room } = await aRoomOn(service);
    const follower = follow(token, room);
    const times: number[] = [];
    for (let killed = 0; killed < kills; killed++) {
      await follower.advance(service);
      await whileSending(service, token, room, () => kill(service));
      service = await start('single', 1);
      const since = performance.now();
      const newest = await follower.newest(service);
      expect(await follower.advance(service)).toBeGreaterThanOrEqual(newest);
      times.push(performance.now() - since);
    }
    report('after the restart of the only server', times);
  });

  it(`a feed gets to its newest message after each of ${workerKills} kills of one of two workers`, {
    timeout: 60_000 + workerKills * 30_000,
  }, async () => {
    const { service, countReady } = await startWorkers('workers');
    onTestFinished(() => service.signal('SIGKILL'));
    const { token, room } = await aRoomOn(service);
    const follower = follow(token, room);
    const times: number[] = [];
    for (let killed = 0; killed < workerKills; killed++) {
      await expect.poll(countReady, { timeout: 20_000 }).toBe(2);
      await whileSending(service, token, room, async (stop) => {
        const workers = await workersOf(service);
        process.kill(workers[killed % 2] as number, 'SIGKILL');
        stop();
        const since = performance.now();
        // By then the other worker has stored the messages that it was sending.
        await sleep(100);
        const newest = await follower.newest(service);
        await expect.poll(() => follower.advance(service), { interval: 20 }).toBeGreaterThanOrEqual(newest);
        times.push(performance.now() - since);
      });
    }
    report('after the death of one of two workers', times);
  });
});

it.runIf(isEmbedded)('a worker that is killed while it starts is replaced', { timeout: 90_000 }, async () => {
  const { service, countReady } = await startWorkers('starting');
  onTestFinished(() => service.signal('SIGKILL'));
  await expect.poll(countReady, { timeout: 20_000 }).toBe(2);
  const before = await workersOf(service);
  process.kill(before[0] as number, 'SIGKILL');
  const findNew = async () => (await workersOf(service)).find((worker) => !before.includes(worker));
  await expect.poll(findNew, { interval: 20 }).toBeDefined();
  process.kill((await findNew()) as number, 'SIGKILL');
  await expect.poll(countReady, { timeout: 20_000 }).toBe(2);
});

/** Two workers, and a function that counts how many of them are ready for requests. */
async function startWorkers(name: string) {
  const metricsPort = await freePort();
  const service = await start(name, 2, { METRICS_PORT: metricsPort });
  const countReady = async () => {
    const metrics = await fetch(`http://127.0.0.1:${metricsPort}/metrics`).then((answer) => answer.text());
    return Number(/^chat_processes (\d+)$/m.exec(metrics)?.[1]);
  };
  return { service, countReady };
}

/** The processes that serve: the database is another child. */
async function workersOf({ pid }: Service): Promise<number[]> {
  const { stdout } = await runCommand(['ps', '--ppid', String(pid), '-o', 'pid=,args=']);
  const lines = stdout.split('\n').filter((line) => line.includes('hosts/server/main.ts'));
  return lines.map((line) => Number.parseInt(line, 10));
}
