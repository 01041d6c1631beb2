/**
 * Runs `work` for every job that the parent process sends, and returns its result, until the parent
 * disconnects.
 */
export function serveParent<Job, Result>(work: (job: Job) => Promise<Result>): void {
  process.on('message', async ({ id, job }: { id: number; job: Job }) => process.send?.({ id, result: await work(job) }));
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
}
