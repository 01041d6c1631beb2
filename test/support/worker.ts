import { inProcess, type Sent } from './transports.ts';

/** A call for a worker to make, and what came of it. */
export type Errand = { id: number; method: string; path: string; sent: Sent };

// Run by `startWorkers()`: one more process that serves calls, as another runtime of the functions would.
process.on('message', async ({ id, method, path, sent }: Errand) => {
  process.send?.({ id, reply: await inProcess(method, path, sent) });
});
process.on('disconnect', () => process.exit());
process.send?.({ ready: true });
