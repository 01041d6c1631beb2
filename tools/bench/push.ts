import { fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { overHttp } from '../harness/transports.ts';
import type { Bench, Figure } from './figure.ts';
import { withLoad } from './load.ts';
import { percentile, processorMillis, residentMegabytes } from './measure.ts';
import type { Operation } from './operations.ts';
import { unlimited, withServer } from './server.ts';
import type { Crowd } from './worker/fill-for-push.ts';
import type { Order, Times } from './worker/followers.ts';

const perUser = 10;
const goals = { kilobytes: 15, processor: 5, p99: 250, rate: 0.95 } as const;

/**
 * The interval and number of messages in the busy room, and the length of the idle phase. Times are
 * in milliseconds.
 */
const periodMs = 600;
const count = 50;
const quietTime = 20_000;

/**
 * Measures the cost of connections to the production server, and the delay of messages in a busy
 * room.
 */
export function push(bench: Bench): Promise<Figure[]> {
  // One in ten connections is in the busy room. One address may have a quarter of all connections.
  const users = bench.rooms / 10;
  const connections = users * perUser;
  const most = { MAX_CONNECTIONS: String(Math.min(65_535, 5 * connections)) };
  return withServer({ ...unlimited, ...most }, async (service, ask) => {
    const followers = startFollowers();
    try {
      bench.progress(`push: filling with ${users} users`);
      const crowd = await ask('fillForPush', users, users / 10);
      const operation: Operation = {
        name: 'a message',
        method: 'POST',
        path: '/api/messages',
        token: crowd.sender,
        body: { room: crowd.quiet, text: 'Hello' },
        status: 201,
      };
      const target = { url: service.url, pid: service.pid, workload: { name: operation.name, calls: [operation] } };
      return await withLoad(async (load) => {
        bench.progress('push: nobody is connected');
        const alone = await load(16, target, bench);

        bench.progress(`push: ${connections / 10} connect, elsewhere`);
        const before = await settled(service.pid);
        const tokens = { busy: crowd.tokens.slice(0, users / 10), others: crowd.tokens.slice(users / 10) };
        await followers.ask({ order: 'connect', url: service.url, tokens: tokens.busy, perToken: perUser });
        const crowded = await load(16, target, bench);

        bench.progress(`push: ${connections} connect`);
        await followers.ask({ order: 'connect', url: service.url, tokens: tokens.others, perToken: perUser });
        const memory = ((await settled(service.pid)) - before) * 1_024;

        bench.progress('push: nothing happens');
        const processor = processorMillis(service.pid) ?? 0;
        await delay(quietTime);
        const busy = ((processorMillis(service.pid) ?? 0) - processor) / quietTime;

        bench.progress('push: messages');
        const delays = await delaysOf(service.url, crowd, followers);
        const expected = count * (connections / 10);
        return [
          {
            name: `memory of each of ${connections} connections`,
            unit: 'kB',
            value: memory / connections,
            goal: { of: 'value', atMost: goals.kilobytes },
          },
          {
            name: `processor time of ${connections} idle connections`,
            unit: '% of a core',
            value: 100 * busy,
            goal: { of: 'value', atMost: goals.processor },
          },
          {
            name: `from the answer to the frame, ${connections / 10} connected to the room: p99`,
            unit: 'ms',
            value: percentile(delays, 99),
            goal: { of: 'value', atMost: goals.p99 },
          },
          {
            name: 'frames that did not come',
            unit: 'frames',
            value: expected - delays.length,
            goal: { of: 'value', atMost: 0 },
          },
          {
            name: `messages, ${connections / 10} connected elsewhere, compared with nobody`,
            unit: 'per second',
            value: crowded.target.rate,
            reference: alone.target.rate,
            goal: { of: 'ratio', atLeast: goals.rate },
            isUnsteady: true,
          },
        ];
      });
    } finally {
      followers.end();
    }
  });
}

/** The memory of a process in megabytes, after time for garbage collection. */
async function settled(pid: number): Promise<number> {
  await delay(5_000);
  return residentMegabytes(pid) ?? 0;
}

/** Milliseconds from the response to the sender until each frame of each message arrived. */
async function delaysOf(url: string, { sender, busy }: Crowd, followers: ReturnType<typeof startFollowers>): Promise<number[]> {
  const call = overHttp(url);
  const answered = new Map<number, number>();
  await followers.ask({ order: 'times' });
  for (let sent = 0; sent < count; sent++) {
    const next = delay(periodMs);
    const { body } = await call('POST', '/api/messages', { token: sender, body: { room: busy, text: 'Hello' } });
    answered.set((body as { seq: number }).seq, performance.timeOrigin + performance.now());
    await next;
  }
  await delay(periodMs);
  const times = (await followers.ask({ order: 'times' })) as Times;
  return Object.entries(times).flatMap(([seq, came]) => came.map((at) => Math.max(0, at - (answered.get(Number(seq)) ?? 0))));
}

function startFollowers() {
  const child = fork(fileURLToPath(new URL('worker/followers.ts', import.meta.url)));
  return {
    ask: async (order: Order): Promise<unknown> => {
      child.send(order);
      const [answer] = await once(child, 'message');
      return answer;
    },
    end: () => child.kill(),
  };
}
