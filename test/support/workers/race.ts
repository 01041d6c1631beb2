import { HttpError } from '../../../lib/base/errors.ts';
import { database } from '../../../lib/database/client.ts';
import { serveParent } from './serve-parent.ts';

/**
 * Runs jobs in a race with other processes. Connections are open from the start, as in warm
 * functions.
 */
export async function race<Job, Result>(work: (job: Job) => Promise<Result>): Promise<void> {
  await Promise.all(Array.from({ length: 5 }, () => database.command({ ping: 1 })));
  serveParent(work);
}

/** The HTTP status of some work: 200, or that of its error. */
export async function statusOf(work: Promise<unknown>): Promise<number> {
  try {
    await work;
    return 200;
  } catch (error) {
    if (error instanceof HttpError) return error.status;
    throw error;
  }
}
