import { availableParallelism } from 'node:os';
import { serviceUnavailable } from '../base/errors.ts';
import { Thread } from '../base/thread.ts';
import { config } from '../settings/config.ts';

/** A password to hash (`isNew`), or to compare with a hash, at a cost. */
export type PasswordJob = { plain: string; cost: number } & (
  | { isNew: true; hashed?: undefined }
  | { isNew: false; hashed: string | undefined }
);

type PasswordThread = Thread<PasswordJob, string | boolean>;

// One core stays free for everything else. More than two threads would only let password guessing
// use more of the machine.
const count = Math.max(1, Math.min(2, availableParallelism() - 1));

// About two seconds of work at the default cost: later callers are better served with an immediate
// 503. The time of a job doubles with each step of the cost.
const mostWaiting = () => count * Math.max(1, 8 * 2 ** (12 - config.bcryptCost));

const free: PasswordThread[] = Array.from({ length: count }, () => new Thread(new URL('./password-worker.ts', import.meta.url)));
const waiting: ((thread: PasswordThread) => void)[] = [];

/**
 * Computes a job in a thread, so that it does not block other requests; 503 if too many jobs are
 * waiting.
 */
export async function computeInThread(job: PasswordJob): Promise<string | boolean> {
  const thread = free.pop() ?? (await nextFree());
  try {
    return await thread.call(job);
  } finally {
    const next = waiting.shift();
    if (next) next(thread);
    else free.push(thread);
  }
}

function nextFree(): Promise<PasswordThread> {
  if (waiting.length >= mostWaiting()) throw serviceUnavailable('Too many passwords are being checked.');
  return new Promise((resolve) => waiting.push(resolve));
}
