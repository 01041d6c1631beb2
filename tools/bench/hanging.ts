import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { type Manner, manners } from '../harness/hanging-world/party.ts';
import { pressAll } from '../harness/hanging-world/press.ts';
import { type HangingTown, settle } from '../harness/hanging-world/town.ts';
import { kinds, type VisitAnswer } from '../harness/hanging-world/visit.ts';
import { type PartyName, parties, startHangingWorld } from '../harness/hanging-world/world.ts';
import type { Service } from '../harness/service.ts';
import type { Bench, Figure } from './figure.ts';
import { median, percentile } from './measure.ts';
import { withServer } from './server.ts';
import type { VisitJob } from './worker/visitor.ts';

const attackerCount = 10;
const periodMs = 150;
const [quietMs, attackMs] = [4_000, 8_000];

const goals = { times: 3, p99: 500 } as const;

/** An attack: its name and the parties that are called. */
const attacks: [name: string, called: readonly PartyName[]][] = [
  ...parties.map((name): [string, PartyName[]] => [name, [name]]),
  ['all of them', parties],
];

/**
 * Measures how members who call unresponsive outside parties affect another user. The production
 * server has its default settings. `HANGING=bot` limits the run to attacks whose name contains
 * "bot".
 */
export async function hanging(bench: Bench): Promise<Figure[]> {
  const figures: Figure[] = [];
  for (const manner of manners) figures.push(...(await measureManner(manner, bench)));
  return figures;
}

async function measureManner(manner: Manner, bench: Bench): Promise<Figure[]> {
  const world = await startHangingWorld(manner);
  const visitor = fork(fileURLToPath(new URL('./worker/visitor.ts', import.meta.url)), { execArgv: [] });
  try {
    return await withServer({ ...world.settings, HTTP_HOST: '127.0.0.1' }, async (service) => {
      bench.progress(`hanging: people sign up; each party ${manner}`);
      const town = await settle(service, world, attackerCount);
      const figures: Figure[] = [];
      const visit = (durationMs: number) => askVisitor(visitor, { url: service.url, town, durationMs, periodMs });
      // Warm up: the first requests of a process are slow.
      await visit(quietMs);
      for (const [name, called] of attacks) {
        if (process.env.HANGING && !name.includes(process.env.HANGING)) continue;
        bench.progress(`hanging: ${name} ${manner}`);
        figures.push(...(await measure(`${name} ${manner}`, called, { service, town, world, visit })));
      }
      return figures;
    });
  } finally {
    visitor.disconnect();
    await world.close();
  }
}

async function askVisitor(visitor: ChildProcess, job: VisitJob): Promise<VisitAnswer[]> {
  visitor.send(job);
  const [answers] = await once(visitor, 'message');
  return answers as VisitAnswer[];
}

type Place = {
  service: Service;
  town: HangingTown;
  world: Awaited<ReturnType<typeof startHangingWorld>>;
  visit: (durationMs: number) => Promise<VisitAnswer[]>;
};

async function measure(name: string, called: readonly PartyName[], { service, town, world, visit }: Place): Promise<Figure[]> {
  const before = await visit(quietMs);
  const pressing = await pressAll(service.url, town, world, called);
  const during = await visit(attackMs);
  const open = pressing.open();
  await pressing.stop();
  const statuses = Object.entries(pressing.answers()).map(([status, count]) => `${count} x ${status}`);

  const medians = kinds.map((kind) => ({ kind, usual: median(timesOf(before, kind)), value: median(timesOf(during, kind)) }));
  const worst = medians.reduce((one, other) => (other.value / other.usual > one.value / one.usual ? other : one));
  const refused = during.filter(({ status }) => status !== 200 && status !== 201).length;
  return [
    {
      name: `${name}: p50`,
      unit: 'ms',
      value: worst.value,
      reference: worst.usual,
      goal: { of: 'ratio', atMost: goals.times },
      isUnsteady: true,
      note: `${worst.kind}; attackers: ${open} open, ${statuses.join(', ')}`,
    },
    {
      name: `${name}: p99`,
      unit: 'ms',
      value: percentile(timesOf(during), 99),
      reference: percentile(timesOf(before), 99),
      goal: { of: 'value', atMost: goals.p99 },
      isUnsteady: true,
    },
    { name: `${name}: refused`, unit: 'responses', value: refused, goal: { of: 'value', atMost: 0 } },
  ];
}

const timesOf = (answers: VisitAnswer[], kind?: string): number[] =>
  answers.filter((one) => kind === undefined || one.kind === kind).map(({ milliseconds }) => milliseconds);
