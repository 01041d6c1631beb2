import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { deadlineOfRequest } from '../base/deadline.ts';
import { serviceUnavailable } from '../base/errors.ts';
import { createFairQueue } from '../base/fair-queue.ts';
import { payerOfRequest, withoutShare } from '../base/outside.ts';
import { Thread } from '../base/thread.ts';

/** A password to hash (`isNew`), or to compare with a hash, at a cost. */
export type PasswordJob = { plain: string; cost: number } & (
  | { isNew: true; hashed?: undefined }
  | { isNew: false; hashed: string | undefined }
);

// One core stays free for everything else. More than two threads would only let password guessing
// use more of the machine.
const count = Math.max(1, Math.min(2, availableParallelism() - 1));

const threads = Array.from(
  { length: count },
  () => new Thread<PasswordJob, string | boolean>(new URL('./password-worker.ts', import.meta.url)),
);

/** The last part of a request's time, in milliseconds. It is for the hash and for its result. */
const reservedMs = 1_500;
const longestWaitMs = 8_000;

/** Many people may share an address and log in at the same time. */
const queue = createFairQueue(threads, { mostOfPayer: 64, mostInAll: 512 });

const tooMany = () => serviceUnavailable('Too many passwords are being checked.');

/**
 * Computes jobs in a thread, so that they do not block other requests. The work waits for a thread
 * as long as the time of its request permits. Addresses and accounts that wait take turns. 503 if
 * too many wait, or if none was free in time. Work outside of requests does not take turns.
 */
export function withPasswordThread<T>(work: (compute: Compute) => Promise<T>): Promise<T> {
  const end = (deadlineOfRequest() ?? Number.POSITIVE_INFINITY) - reservedMs;
  const patienceMs = Math.max(0, Math.min(longestWaitMs, end - performance.now()));
  const payer = payerOfRequest() ?? randomUUID();
  return withoutShare(() => queue.run(payer, patienceMs, tooMany, (thread) => work((job) => thread.call(job))));
}

type Compute = (job: PasswordJob) => Promise<string | boolean>;
