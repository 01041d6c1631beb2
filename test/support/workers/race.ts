import { HttpError } from '../../../lib/base/errors.ts';
import { database } from '../../../lib/database/client.ts';
import { serveParent } from './serve-parent.ts';

/** Serves jobs in a race with other processes, with open connections from the start, as warm functions have. */
export async function race<Job, Result>(work: (job: Job) => Promise<Result>): Promise<void> {
  await Promise.all(Array.from({ length: 5 }, () => database.command({ ping: 1 })));
  serveParent(work);
}

/** The HTTP status of some work: 200, or that of its refusal. */
export async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof HttpError) return error.status;
    throw error;
  }
}
