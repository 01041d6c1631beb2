import { type Planned, withDataset } from './dataset.ts';
import type { Bench, Figure } from './figure.ts';
import { median, percentile } from './measure.ts';
import { asBrowser } from './operations.ts';
import type { Worker } from './workers.ts';

/** Enough calls for V8 to have compiled the code. */
const warmUpShare = 300;
const concurrency = 16;
const compression = 'the bare driver does not compress; compressing costs less than sending the rest';

/** Requests to warm functions, compared with the same round trips made with the bare driver. */
export const warm = (bench: Bench): Promise<Figure[]> =>
  withDataset(async (worker, { rooms, page, events, ownRooms, refusal, message, newRoom }) => {
    const compressed = [rooms, page].map(({ operation, plan }) => ({
      operation: asBrowser(operation),
      plan,
      reason: compression,
    }));
    const figures: Figure[] = [];
    // Reads come first, and the list of rooms before there are more.
    for (const planned of [rooms, page, events, ownRooms, ...compressed, refusal, message, newRoom])
      figures.push(...(await measure(worker, planned, bench)));
    return figures;
  });

async function measure(
  worker: Worker,
  { operation, plan, reason }: Planned & { reason?: string },
  { repeats, progress }: Bench,
): Promise<Figure[]> {
  const { name } = operation;
  progress(`warm: ${name}, one at a time`);
  await worker.ask('compare', operation, plan, Math.min(warmUpShare, repeats));
  const times = await worker.ask('compare', operation, plan, repeats);
  progress(`warm: ${name}, ${concurrency} concurrent`);
  const rates = await worker.ask('compareRates', operation, plan, repeats, concurrency);

  // Without a round trip there is nothing to compare with.
  const hasTrips = plan.length > 0;
  const comparedWith = (value: number, reference: number) => (hasTrips ? { value, reference } : { value });
  return [
    {
      name: `${name}: p50`,
      unit: 'ms',
      ...comparedWith(median(times.service), median(times.driver)),
      ...(hasTrips && { goal: { of: 'ratio', atMost: 1.25 } }),
      ...(reason !== undefined && { reason }),
    },
    {
      name: `${name}: p99`,
      unit: 'ms',
      ...comparedWith(percentile(times.service, 99), percentile(times.driver, 99)),
      isUnsteady: true,
    },
    { name: `${name}: ${concurrency} concurrent`, unit: 'per second', ...comparedWith(rates.service, rates.driver) },
  ];
}
