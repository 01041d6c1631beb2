import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { config } from '../config.ts';
import { serviceUnavailable } from '../errors.ts';

/** A password to be hashed (`isNew`), or to be compared with a hash, at a cost. */
export type PasswordJob = { plain: string; cost: number } & (
  | { isNew: true; hashed?: undefined }
  | { isNew: false; hashed: string | undefined }
);

type WaitingJob = { job: PasswordJob; resolve: (result: unknown) => void; reject: (error: unknown) => void };
type Thread = { worker: Worker; current: WaitingJob | undefined; idle: NodeJS.Timeout | undefined };

// One core stays free for everything else; more than two threads would only give guesses of passwords more of the machine.
const mostThreads = Math.max(1, Math.min(2, availableParallelism() - 1));

// About two seconds of work, which doubles with each step of the cost: later callers are better served by an immediate 503.
const mostWaiting = mostThreads * Math.max(1, 8 * 2 ** (12 - config.bcryptCost));

// A thread takes some 10 MB, and ends after so many milliseconds without work.
const longestIdle = 30_000;

const threads = new Set<Thread>();
const waiting: WaitingJob[] = [];

/** Computes a job in a thread, so that it does not block other requests; 503 when too many jobs wait already. */
export function computeInThread(job: PasswordJob): Promise<unknown> {
  if (waiting.length >= mostWaiting) throw serviceUnavailable('Too many passwords are being checked.');
  return new Promise((resolve, reject) => {
    waiting.push({ job, resolve, reject });
    const free = [...threads].find(({ current }) => !current) ?? (threads.size < mostThreads ? start() : undefined);
    if (free) next(free);
  });
}

function start(): Thread {
  const thread: Thread = {
    worker: new Worker(new URL('./password-worker.ts', import.meta.url)),
    current: undefined,
    idle: undefined,
  };
  threads.add(thread);
  thread.worker.on('message', (result) => {
    thread.current?.resolve(result);
    thread.current = undefined;
    next(thread);
  });
  thread.worker.on('error', (error) => {
    threads.delete(thread);
    thread.current?.reject(error);
    // The jobs that still wait get another thread.
    if (waiting.length > 0) next(start());
  });
  return thread;
}

function next(thread: Thread): void {
  clearTimeout(thread.idle);
  thread.current = waiting.shift();
  if (thread.current) {
    thread.worker.ref();
    thread.worker.postMessage(thread.current.job);
    return;
  }
  // A thread without work does not keep the process alive.
  thread.worker.unref();
  thread.idle = setTimeout(() => {
    threads.delete(thread);
    void thread.worker.terminate();
  }, longestIdle).unref();
}
