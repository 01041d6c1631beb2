import { readFileSync } from 'node:fs';
import { readHolder } from 'embedded-mongodb/holder';
import { commands, startService } from '../harness/service.ts';
import { withDatabase, withDirectory } from './database.ts';
import { datasetSize } from './dataset.ts';
import type { Bench, Figure } from './figure.ts';
import { type Load, load, withYardstick } from './load.ts';
import { residentMegabytes } from './measure.ts';
import { type Operation, operationsOf } from './operations.ts';
import { withWorker } from './workers.ts';

/** The share of the yardstick's requests per second that an operation must reach; without one it is only reported. */
type Goals = Readonly<Record<string, number>>;

const whoamiOperation = 'whoami';
const serveGoals: Goals = {
  [whoamiOperation]: 0.18,
  'a list of rooms': 0.08,
  'a page of 50 messages': 0.05,
  'a message': 0.08,
  'a new room': 0.08,
};
const reason = 'two cores run the load, the service and its database, which is busy most of the time';
const heaps = 'V8 lets the heaps of both processes grow under load before it collects';
const mostP99 = 50;
const mostMegabytes = 200;

/** Measures the emulator of `npm start`. It is for development, so its only goal is to make no errors. */
export const http = (bench: Bench): Promise<Figure[]> =>
  withDatabase((uri) =>
    withWorker(uri, async (worker) => {
      bench.progress('http: starting');
      const dataset = await worker.ask('fill', datasetSize);
      const service = await startService({ ...worker.environment, LOG_LEVEL: 'error' });
      try {
        return await measure('http', service.url, Object.values(operationsOf(dataset)), {}, bench);
      } finally {
        await service.stop();
      }
    }),
  );

/** Measures the production server with its own database, whose memory is included. */
export const serve = (bench: Bench): Promise<Figure[]> =>
  withDirectory(async (directory) => {
    bench.progress(`serve: filling with ${bench.messages} messages`);
    const settings = { DATA_DIR: directory, MONGODB_DATABASE: 'chat', BCRYPT_COST: '4', RATE_LIMITS: 'off' };
    // One line per request is logged, as always, but discarded.
    const command = ['sh', '-c', `exec ${commands.serve.join(' ')} > /dev/null`];
    const service = await startService({ ...settings, MONGODB_URI: '', LOG_LEVEL: 'info' }, command);
    const dataset = await withWorker(
      readHolder(directory)?.uri ?? '',
      (worker) => worker.ask('fill', { ...datasetSize, messages: bench.messages, membersOfOthers: 1 }),
      {
        ...settings,
        KEEP_DATABASE: '1',
      },
    );
    try {
      const { refusal, ...others } = operationsOf(dataset);
      const whoami: Operation = { ...others.page, name: whoamiOperation, path: '/api/users/me' };
      const figures = await measure('serve', service.url, [whoami, ...Object.values(others)], serveGoals, bench);
      const memory = memoryOf(service.pid);
      if (memory === undefined) return figures;
      const goal = { of: 'value', atMost: mostMegabytes } as const;
      return [
        ...figures,
        { name: `memory with its database, ${bench.messages} messages`, unit: 'MB', value: memory, goal, reason: heaps },
      ];
    } finally {
      await service.stop();
    }
  });

/** Measures each operation, alternately with a bare server of `node:http`. */
async function measure(suite: string, url: string, operations: Operation[], goals: Goals, bench: Bench): Promise<Figure[]> {
  return withYardstick(async (bare) => {
    const figures: Figure[] = [];
    for (const operation of operations) {
      bench.progress(`${suite}: ${operation.name}`);
      const { target, yardstick } = await load({ url, operation }, bare, bench);
      figures.push(...figuresOf(operation.name, target, yardstick, goals));
    }
    return figures;
  });
}

function figuresOf(name: string, { rate, p99, faults }: Load, yardstick: Load, goals: Goals): Figure[] {
  const share = goals[name];
  return [
    {
      name: `${name}: 16 connections`,
      unit: 'per second',
      value: rate,
      reference: yardstick.rate,
      ...(share !== undefined && { goal: { of: 'ratio', atLeast: share }, reason: reason }),
    },
    {
      name: `${name}: p99`,
      unit: 'ms',
      value: p99,
      reference: Math.max(1, yardstick.p99), // autocannon rounds to whole milliseconds
      ...(share !== undefined && { goal: { of: 'ratio', atMost: mostP99 }, reason: reason }),
      isUnsteady: true,
    },
    { name: `${name}: errors`, unit: 'requests', value: faults, goal: { of: 'value', atMost: 0 } },
  ];
}

/** The memory of a process and its children, in megabytes. */
export function memoryOf(pid: number): number | undefined {
  const own = residentMegabytes(pid);
  if (own === undefined) return undefined;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + (residentMegabytes(Number(child)) ?? 0), own);
}
