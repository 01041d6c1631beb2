import { serverless } from '../harness/functions.ts';
import { withDirectory } from './database.ts';
import { withDataset } from './dataset.ts';
import type { Bench, Figure } from './figure.ts';
import { asBrowser, type Operation, operationsOf } from './operations.ts';
import { packageAll, runBundle } from './package.ts';
import type { Size } from './worker/fill.ts';

/** List prices in dollars for us-east-1, before any free tier; regions differ: check aws.amazon.com before you rely on them. */
const prices = {
  asOf: '2026-11',
  perGigabyteSecond: { arm64: 0.0000133334, x86_64: 0.0000166667 },
  perMillionInvocations: 0.2,
  perMillionHttpApiRequests: 1,
} as const;

/** With this much memory a function has one processor, with less a share of it. */
const megabytesOfAProcessor = 1769;

/** The memory sizes to compare, the smallest first. */
const sizes = [128, 192, 256, 320, 384, 448, 512, 768, 1024, 1769];

/** The share of its memory that a function may use as heap; the rest is code, buffers and stacks. */
const heapShare = 0.6;

/** Two sizes whose costs differ by less are equally cheap: two runs differ by this much. */
const noise = 1.01;

/** How long a request keeps a packaged function busy and waiting, in milliseconds. */
type Usage = { name: string; processor: number; waiting: number };

/** A dataset whose list of rooms is about the largest response that Lambda allows, and the one that takes the most memory. */
const large: Size = { rooms: 250, ownRooms: 1, members: 1000, messages: 1, membersOfOthers: 1000 };

/**
 * What a million requests cost at list price. The billed time is a model: the processor time that a packaged function takes here,
 * divided by the share of a processor that its memory buys, plus the time that it waits for the database here.
 */
export const cost = (bench: Bench): Promise<Figure[]> =>
  withDirectory((directory) =>
    withDataset(async (worker, operations) => {
      bench.progress('cost: packaging');
      const packaged = await packageAll(directory);
      const run = async (operation: Operation, repeats: number, settings = {}) => {
        bench.progress(`cost: ${operation.name}`);
        const { name, event } = await worker.ask('invocationOf', operation);
        const bundle = packaged.find((one) => one.name === name)?.bundle ?? '';
        return runBundle(bundle, event, repeats, { ...worker.environment, MONGODB_POOL_SIZE: '5', ...settings });
      };
      const usages: Usage[] = [];
      for (const { operation } of Object.values(operations)) {
        const { each, processorOfEach: processor } = await run(operation, bench.repeats);
        usages.push({ name: operation.name, processor, waiting: Math.max(0, each - processor) });
      }
      const { rooms } = operationsOf(await worker.ask('fill', large));
      const isEnough = async (size: number) => {
        const largest = asBrowser({ ...rooms, name: `the largest response with ${size} MB` });
        const heap = { NODE_OPTIONS: `--max-old-space-size=${Math.floor(size * heapShare)}` };
        // A process without enough heap ends.
        return run(largest, 5, heap).then(
          ({ memory }) => memory <= size,
          () => false,
        );
      };
      return figuresOf(usages, (await firstMatch(isEnough, sizes)) ?? sizes.at(-1) ?? 0);
    }),
  );

function figuresOf(usages: Usage[], needed: number): Figure[] {
  const { memorySize, architecture } = serverless.provider;
  const price = prices.perGigabyteSecond[architecture];
  const all = (size: number) => usages.reduce((sum, one) => sum + dollars(one, size, price), 0);
  const possible = sizes.filter((size) => size >= needed);
  const cheapest = possible.toSorted((one, other) => all(one) - all(other))[0] ?? memorySize;
  return [
    ...usages.map((one) => ({ name: `a million times ${one.name}`, unit: 'dollars', value: dollars(one, memorySize, price) })),
    ...usages.map((one) => ({ name: `${one.name}: billed`, unit: 'ms', value: billedMillis(one, memorySize) })),
    { name: 'memory needed for the largest response', unit: 'MB', value: needed, goal: { of: 'value', atMost: memorySize } },
    {
      name: `a million of all seven with ${memorySize} MB / with the cheapest size, ${cheapest} MB`,
      unit: 'dollars',
      value: all(memorySize),
      reference: all(cheapest),
      goal: { of: 'ratio', atMost: noise },
      isUnsteady: true,
    },
  ];
}

async function firstMatch<T>(matches: (one: T) => Promise<boolean>, all: readonly T[]): Promise<T | undefined> {
  for (const one of all) if (await matches(one)) return one;
  return undefined;
}

/** Time is billed in whole milliseconds. */
const billedMillis = ({ processor, waiting }: Usage, size: number): number =>
  Math.ceil(processor / Math.min(1, size / megabytesOfAProcessor) + waiting);

function dollars(one: Usage, size: number, perGigabyteSecond: number): number {
  const gigabyteSeconds = (size / 1024) * (billedMillis(one, size) / 1000) * 1_000_000;
  return gigabyteSeconds * perGigabyteSecond + prices.perMillionInvocations + prices.perMillionHttpApiRequests;
}
