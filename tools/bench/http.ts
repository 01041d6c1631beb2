import { readFileSync } from 'node:fs';
import { type Service, startService } from '../harness/service.ts';
import { withDatabase } from './database.ts';
import type { Bench, Figure } from './figure.ts';
import { type Load, withLoad } from './load.ts';
import { residentMegabytes } from './measure.ts';
import { type Workload, workloadsOf } from './operations.ts';
import { unlimited, withServer } from './server.ts';
import type { Size } from './worker/fill.ts';
import { withWorker } from './workers.ts';

/**
 * The goals of a workload: the share of the yardstick's requests per second with 16 connections,
 * and the most times its p50 with one. A workload without a goal is only reported.
 */
type Goals = Readonly<Record<string, { share: number; times?: number }>>;

const serveGoals: Goals = {
  whoami: { share: 0.16, times: 5 },
  'a list of rooms': { share: 0.07, times: 12 },
  'a page of 50 messages': { share: 0.06, times: 12 },
  'a page of 50 messages, each of another room': { share: 0.045 },
  'the rooms of each': { share: 0.03 },
  'a message': { share: 0.07, times: 10 },
  'a message, each to another room': { share: 0.06 },
  'a new room': { share: 0.1, times: 9 },
};
const reason = 'two cores run the load, the service and its database, which is busy most of the time';
const heaps = 'V8 lets the heap grow under load before it collects';
/** How many times its p50 the p99 of a workload may be. */
const mostP99 = 3;
/** 100 rooms of 5 members, and 200 messages. */
const datasetSize: Size = { rooms: 100, ownRooms: 50, members: 10, messages: 200 };
/** How many people call the server at the same time. */
export const people = 16;
const mostMegabytes = 200;

/**
 * Measures the emulator of `npm start`. It is for development, so its only goal is to make no
 * errors.
 */
export const http = (bench: Bench): Promise<Figure[]> =>
  withDatabase((uri) =>
    withWorker(uri, async (worker) => {
      bench.progress('http: starting');
      const dataset = await worker.ask('fill', { ...datasetSize, people });
      const service = await startService({ ...worker.environment, LOG_LEVEL: 'error' });
      try {
        return await measure('http', service, workloadsOf(dataset, dataset.people), {}, bench);
      } finally {
        await service.stop();
      }
    }),
  );

/** Measures the production server with its own database, whose memory is included. */
export const serve = (bench: Bench): Promise<Figure[]> =>
  withFilledServer(bench, async (service, workloads) => {
    const { messages } = bench;
    const figures = await measure('serve', service, workloads, serveGoals, bench);
    const memory = memoryOf(service.pid);
    if (memory === undefined) return figures;
    const goal = { of: 'value', atMost: mostMegabytes } as const;
    return [
      ...figures,
      { name: `memory with its database, ${messages} messages`, unit: 'MB', value: memory, goal, reason: heaps },
    ];
  });

/**
 * Runs `use` with the production server of a checkout and what the people in its filled database
 * call.
 */
export const withFilledServer = <T>(
  { messages, progress }: Pick<Bench, 'messages' | 'progress'>,
  use: (service: Service, workloads: Workload[]) => Promise<T>,
  checkout?: string,
): Promise<T> =>
  withServer(
    unlimited,
    async (service, ask) => {
      progress(`serve: filling with ${messages} messages`);
      const dataset = await ask('fill', { ...datasetSize, messages, membersOfOthers: 1, people });
      return use(service, workloadsOf(dataset, dataset.people));
    },
    checkout,
  );

/**
 * Measures each workload, alternately with a bare server of `node:http`: over 16 connections, and
 * over one.
 */
async function measure(
  suite: string,
  { url, pid }: Service,
  workloads: Workload[],
  goals: Goals,
  bench: Bench,
): Promise<Figure[]> {
  return withLoad(async (load) => {
    const figures: Figure[] = [];
    for (const workload of workloads) {
      for (const connections of [people, 1]) {
        bench.progress(`${suite}: ${workload.name}, ${connections}`);
        const { target, yardstick } = await load(connections, { url, pid, workload }, bench);
        figures.push(...figuresOf(workload.name, connections, target, yardstick, goals[workload.name]));
      }
    }
    return figures;
  });
}

/** The name of a row of figures. */
export const rowName = (workload: string, connections: number): string =>
  `${workload}: ${connections === 1 ? 'one connection' : `${connections} connections`}`;

function figuresOf(
  workload: string,
  connections: number,
  { rate, p50, p99, faults }: Load,
  yardstick: Load,
  goals: Goals[string] | undefined,
): Figure[] {
  const name = rowName(workload, connections);
  const share = connections > 1 && goals?.share;
  const times = connections === 1 && goals?.times;
  const speed: Figure =
    connections > 1
      ? {
          name,
          unit: 'per second',
          value: rate,
          reference: yardstick.rate,
          ...(share && { goal: { of: 'ratio', atLeast: share }, reason }),
        }
      : {
          name: `${name}, p50`,
          unit: 'ms',
          value: p50,
          reference: yardstick.p50,
          ...(times && { goal: { of: 'ratio', atMost: times }, reason }),
        };
  return [
    speed,
    {
      name: `${name}, p99 / p50`,
      unit: 'ratio',
      value: p99 / p50,
      ...(goals && { goal: { of: 'value', atMost: mostP99 }, reason }),
      note: `the yardstick's is ${(yardstick.p99 / yardstick.p50).toFixed(1)}`,
      isUnsteady: true,
    },
    { name: `${name}, errors`, unit: 'requests', value: faults, goal: { of: 'value', atMost: 0 } },
  ];
}

/** The memory of a process and its children, in megabytes. */
export function memoryOf(pid: number): number | undefined {
  const own = residentMegabytes(pid);
  if (own === undefined) return undefined;
  const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean);
  return children.reduce((sum, child) => sum + (residentMegabytes(Number(child)) ?? 0), own);
}
