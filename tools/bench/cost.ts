import { serverless } from '../harness/functions.ts';
import { withDirectory } from './database.ts';
import { withDataset } from './dataset.ts';
import type { Bench, Figure } from './figure.ts';
import { asBrowser, type Operation, operationsOf } from './operations.ts';
import { packageAll, runBundle } from './package.ts';
import type { Size } from './worker/fill.ts';

/** List prices in dollars, of us-east-1 and before any free tier; regions differ, so check them against aws.amazon.com before you rely on them. */
const prices = {
  asOf: '2026-11',
  perGigabyteSecond: { arm64: 0.0000133334, x86_64: 0.0000166667 },
  perMillionInvocations: 0.2,
  perMillionHttpApiRequests: 1,
} as const;

/** With so much memory a function has one processor, with less a share of it. */
const megabytesOfAProcessor = 1769;

/** Memory that is sold, from the least on. */
const sizes = [128, 192, 256, 320, 384, 448, 512, 768, 1024, 1769];

/** How much of its memory a function may use as its heap; the rest is code, buffers and stacks. */
const heapShare = 0.6;

/** Two sizes that differ by less are equally cheap: so much do two runs differ by. */
const same = 1.01;

/** What a request takes of a packaged function. */
type Spent = { name: string; processor: number; waiting: number };

/** Its list of rooms is about the largest that Lambda carries, and what takes the most memory. */
const large: Size = { rooms: 250, ownRooms: 1, members: 1000, messages: 1, membersOfOthers: 1000 };

/**
 * What a million requests cost at list price. The billed time is a model: the processor's milliseconds that a packaged function takes here,
 * divided by the share of a processor that its memory buys, and the time that it waits for the database as it is here.
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
      const spent: Spent[] = [];
      for (const { operation } of Object.values(operations)) {
        const { each, processorOfEach: processor } = await run(operation, bench.repeats);
        spent.push({ name: operation.name, processor, waiting: Math.max(0, each - processor) });
      }
      const { rooms } = operationsOf(await worker.ask('fill', large));
      const suffices = async (size: number) => {
        const largest = asBrowser({ ...rooms, name: `the largest answer with ${size} MB` });
        const heap = { NODE_OPTIONS: `--max-old-space-size=${Math.floor(size * heapShare)}` };
        // Without enough for its heap the process ends.
        return run(largest, 5, heap).then(
          ({ memory }) => memory <= size,
          () => false,
        );
      };
      return figuresOf(spent, (await firstThat(suffices, sizes)) ?? sizes.at(-1) ?? 0);
    }),
  );

function figuresOf(spent: Spent[], needed: number): Figure[] {
  const { memorySize, architecture } = serverless.provider;
  const price = prices.perGigabyteSecond[architecture];
  const all = (size: number) => spent.reduce((sum, one) => sum + dollars(one, size, price), 0);
  const possible = sizes.filter((size) => size >= needed);
  const cheapest = possible.toSorted((one, other) => all(one) - all(other))[0] ?? memorySize;
  return [
    ...spent.map((one) => ({ name: `a million times ${one.name}`, unit: 'dollars', value: dollars(one, memorySize, price) })),
    ...spent.map((one) => ({ name: `${one.name}: billed`, unit: 'ms', value: billedMillis(one, memorySize) })),
    { name: 'memory that suffices for the largest answer', unit: 'MB', value: needed, goal: { of: 'value', atMost: memorySize } },
    {
      name: `a million of all seven with ${memorySize} MB / with the cheapest, ${cheapest} MB`,
      unit: 'dollars',
      value: all(memorySize),
      reference: all(cheapest),
      goal: { of: 'ratio', atMost: same },
      isUnsteady: true,
    },
  ];
}

async function firstThat<T>(holds: (one: T) => Promise<boolean>, all: readonly T[]): Promise<T | undefined> {
  for (const one of all) if (await holds(one)) return one;
  return undefined;
}

/** Time is billed in whole milliseconds. */
const billedMillis = ({ processor, waiting }: Spent, size: number): number =>
  Math.ceil(processor / Math.min(1, size / megabytesOfAProcessor) + waiting);

function dollars(one: Spent, size: number, perGigabyteSecond: number): number {
  const gigabyteSeconds = (size / 1024) * (billedMillis(one, size) / 1000) * 1_000_000;
  return gigabyteSeconds * perGigabyteSecond + prices.perMillionInvocations + prices.perMillionHttpApiRequests;
}
