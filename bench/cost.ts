import { serverless } from '../contract/functions.ts';
import { runBundle } from './cold.ts';
import { withDirectory } from './database.ts';
import type { Bench, Figure } from './figure.ts';
import { withHouse } from './house.ts';
import { packageAll } from './package.ts';

/** List prices in dollars, of us-east-1 and before any free tier; regions differ, so check them against aws.amazon.com before you rely on them. */
const PRICES = {
  asOf: '2026-11',
  perGigabyteSecond: { arm64: 0.0000133334, x86_64: 0.0000166667 },
  perMillionInvocations: 0.2,
  perMillionHttpApiRequests: 1,
} as const;

/** With so much memory a function has one processor, with less a share of it. */
const MEGABYTES_OF_A_PROCESSOR = 1769;

/** Memory that is sold, from the least on. */
const SIZES = [128, 192, 256, 320, 384, 448, 512, 768, 1024, 1769];

/** Below what part of its memory a function must stay, so that no larger answer ends it. */
const SAFE = 0.8;

/** What a request takes of a packaged function. */
type Spent = { name: string; processor: number; waiting: number; memory: number };

/**
 * What a million requests cost at list price. The billed time is a model: the processor's milliseconds that a packaged function takes here,
 * divided by the share of a processor that its memory buys, and the time that it waits for the database as it is here.
 */
export const cost = (bench: Bench): Promise<Figure[]> =>
  withDirectory((directory) =>
    withHouse(async (worker, operations) => {
      bench.progress('cost: packaging');
      const packaged = await packageAll(directory);
      const spent: Spent[] = [];
      for (const { operation } of Object.values(operations)) {
        bench.progress(`cost: ${operation.name}`);
        const { name, event } = await worker.ask('invocationOf', operation);
        const bundle = packaged.find((one) => one.name === name)?.bundle ?? '';
        const settings = { ...worker.environment, MONGODB_POOL_SIZE: '5' };
        const { each, processorOfEach: processor, memory } = await runBundle(bundle, event, bench.repeats, settings);
        spent.push({ name: operation.name, processor, waiting: Math.max(0, each - processor), memory });
      }
      return figuresOf(spent);
    }),
  );

function figuresOf(spent: Spent[]): Figure[] {
  const { memorySize, architecture } = serverless.provider;
  const price = PRICES.perGigabyteSecond[architecture];
  const all = (size: number) => spent.reduce((sum, one) => sum + dollars(one, size, price), 0);
  const needed = Math.max(...spent.map(({ memory }) => memory));
  const possible = SIZES.filter((size) => needed <= size * SAFE);
  const cheapest = possible.toSorted((one, other) => all(one) - all(other))[0] ?? memorySize;
  return [
    ...spent.map((one) => ({ name: `a million times ${one.name}`, unit: 'dollars', value: dollars(one, memorySize, price) })),
    ...spent.map((one) => ({ name: `${one.name}: billed`, unit: 'ms', value: billedMillis(one, memorySize) })),
    { name: 'the most memory of a function', unit: 'MB', value: needed, goal: { of: 'value', atMost: memorySize * SAFE } },
    {
      name: `a million of all seven with ${memorySize} MB / with the cheapest, ${cheapest} MB`,
      unit: 'dollars',
      value: all(memorySize),
      reference: all(cheapest),
      goal: { of: 'ratio', atMost: 1 },
      isUnsteady: true,
    },
  ];
}

/** Time is billed in whole milliseconds. */
const billedMillis = ({ processor, waiting }: Spent, size: number): number =>
  Math.ceil(processor / Math.min(1, size / MEGABYTES_OF_A_PROCESSOR) + waiting);

function dollars(one: Spent, size: number, perGigabyteSecond: number): number {
  const gigabyteSeconds = (size / 1024) * (billedMillis(one, size) / 1000) * 1_000_000;
  return gigabyteSeconds * perGigabyteSecond + PRICES.perMillionInvocations + PRICES.perMillionHttpApiRequests;
}
