import { withDatabase } from './database.ts';
import { type Operation, operationsOf } from './operations.ts';
import type { Size } from './worker/fill.ts';
import type { Plan } from './worker/record.ts';
import { type Worker, withObserver, withWorker } from './workers.ts';

/** An operation, and the round trips that it makes. */
export type Planned = { operation: Operation; plan: Plan };

/** The dataset of most suites: 100 rooms of 5 members, and 200 messages. */
export const datasetSize: Size = { rooms: 100, ownRooms: 50, members: 10, messages: 200 };

/** Runs `use` with a worker on a filled dataset, and the operations with the database commands of each. */
export const withDataset = <T>(
  use: (worker: Worker, operations: Record<keyof ReturnType<typeof operationsOf>, Planned>) => Promise<T>,
): Promise<T> =>
  withDatabase((uri) =>
    withWorker(uri, async (worker) => {
      const operations = Object.entries(operationsOf(await worker.ask('fill', datasetSize)));
      const planned = await withObserver(worker, async (observer) => {
        const plans: [string, Planned][] = [];
        for (const [key, operation] of operations)
          plans.push([key, { operation, plan: await observer.ask('record', operation) }]);
        return plans;
      });
      return use(worker, Object.fromEntries(planned) as Parameters<typeof use>[1]);
    }),
  );
