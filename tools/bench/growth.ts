import { withDatabase } from './database.ts';
import type { Bench, Figure } from './figure.ts';
import { median } from './measure.ts';
import { type Dataset, type Operation, operationsOf } from './operations.ts';
import type { Size } from './worker/fill.ts';
import { type Worker, withWorkers } from './workers.ts';

/** A quantity that grows, and its small and large size. */
type GrowthState = {
  of: string;
  sizes: readonly [number, number];
  sizeOf: (size: number) => Size;
  /** Why the time may grow. */
  reason?: string;
};

const smallest: Size = { rooms: 100, ownRooms: 50, members: 10, messages: 1000 };
const reasonOfMembers = 'a room document holds its members, among whom the reader is looked for';
const warmUpShare = 100;
/** Consecutive calls on one dataset. */
const callsPerRound = 10;

/** The limit for the time in the large dataset, relative to the small one. */
const mostGrowth = 1.2;

/**
 * Measures if a request takes as long in a large dataset as in a small one. Calls alternate between
 * them.
 */
export async function growth(bench: Bench): Promise<Figure[]> {
  const growing: GrowthState[] = [
    {
      of: 'messages',
      sizes: [Math.min(1000, bench.messages / 2), bench.messages],
      sizeOf: (messages) => ({ ...smallest, messages }),
    },
    { of: 'rooms', sizes: [100, bench.rooms], sizeOf: (rooms) => ({ ...smallest, rooms }) },
    { of: 'members', sizes: [10, 1000], sizeOf: (members) => ({ ...smallest, members }), reason: reasonOfMembers },
  ];
  const figures: Figure[] = [];
  for (const one of growing) {
    figures.push(...(await withDatabase((uri) => withWorkers(uri, one.sizes.length, (workers) => measure(one, workers, bench)))));
  }
  return figures;
}

async function measure(
  { of, sizes, sizeOf, reason }: GrowthState,
  workers: Worker[],
  { repeats, progress }: Bench,
): Promise<Figure[]> {
  const datasets: { worker: Worker; calls: Operation[] }[] = [];
  for (const [at, worker] of workers.entries()) {
    progress(`growth: filling with ${sizes[at]} ${of}`);
    datasets.push({ worker, calls: callsIn(await worker.ask('fill', sizeOf(sizes[at] as number))) });
  }
  const figures: Figure[] = [];
  for (const [index, { name }] of datasets[0]?.calls.entries() ?? []) {
    progress(`growth: ${name} with more ${of}`);
    const times = datasets.map((): number[] => []);
    const rounds = Math.ceil(repeats / callsPerRound / datasets.length);
    for (let round = -Math.ceil(Math.min(warmUpShare, repeats) / callsPerRound); round < rounds; round++) {
      for (const [at, { worker, calls }] of datasets.entries()) {
        const took = await worker.ask('time', calls[index] as Operation, callsPerRound);
        if (round >= 0) times[at]?.push(...took);
      }
    }
    const figure = figureOf(`${name}: ${sizes[1]} ${of} / ${sizes[0]}`, times.map(median));
    figures.push(reason === undefined ? figure : { ...figure, reason });
  }
  return figures;
}

function callsIn(dataset: Dataset): Operation[] {
  const { page, ownRooms, message } = operationsOf(dataset);
  const middle = { ...page, name: 'a page from the middle', path: `${page.path}&before=${Math.floor(dataset.seq / 2)}` };
  return [{ ...page, name: 'the newest page' }, middle, ownRooms, message];
}

const figureOf = (name: string, [reference, value]: number[]): Figure => ({
  name,
  unit: 'ms',
  value: value as number,
  reference: reference as number,
  goal: { of: 'ratio', atMost: mostGrowth },
});
