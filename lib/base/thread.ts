import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';
import { parentPort, Worker } from 'node:worker_threads';

/*
 * Threads for work that would block all requests. A thread needs about 10 MB: it starts with the
 * first call, and ends after `longestIdle` milliseconds without calls.
 */

const longestIdleMs = 30_000;

type PendingCall<Result> = { resolve: (result: Result) => void; reject: (error: unknown) => void };
type Answer<Result> = { id: number; result?: Result; error?: unknown };

/** A thread that runs a module, which must call `answerCalls`. */
export class Thread<Job, Result> {
  readonly #module: URL;
  readonly #waiting = new Map<number, PendingCall<Result>>();
  #worker: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;
  #lastId = 0;

  constructor(module: URL) {
    this.#module = module;
  }

  /**
   * Runs a job in the thread. Rejects with the error of its function, or if the thread crashes; the
   * next call starts another.
   */
  call(job: Job): Promise<Result> {
    clearTimeout(this.#idle);
    this.#worker ??= this.#start();
    this.#worker.ref();
    const id = ++this.#lastId;
    const done = new Promise<Result>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    this.#worker.postMessage({ id, job });
    return done;
  }

  #start(): Worker {
    const worker = new Worker(this.#module);
    worker.on('message', ({ id, ...answer }: Answer<Result>) => {
      const waiting = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (this.#waiting.size === 0) this.#rest(worker);
      if ('error' in answer) waiting?.reject(answer.error);
      else waiting?.resolve(answer.result as Result);
    });
    worker.on('error', (error) => {
      this.#worker = undefined;
      const all = [...this.#waiting.values()];
      this.#waiting.clear();
      for (const { reject } of all) reject(error);
    });
    return worker;
  }

  /** Lets the process exit while the thread is idle, and ends the thread after a while. */
  #rest(worker: Worker): void {
    worker.unref();
    this.#idle = setTimeout(() => {
      this.#worker = undefined;
      void worker.terminate();
    }, longestIdleMs).unref();
  }
}

/** Answers the calls of a `Thread`; for its module. The thread gets a low priority. */
export function answerCalls<Job, Result>(compute: (job: Job) => Result | Promise<Result>): void {
  yieldToOthers();
  parentPort?.on('message', async ({ id, job }: { id: number; job: Job }) => {
    try {
      parentPort?.postMessage({ id, result: await compute(job) });
    } catch (error) {
      parentPort?.postMessage({ id, error });
    }
  });
}

/**
 * On a busy core, a thread with this much lower priority than the others gets a quarter of the
 * time. With the lowest one (19) it gets a seventieth, and no password would be checked in time.
 */
const difference = 5;
const lowestPriority = 19;

function yieldToOthers(): void {
  try {
    // Linux has a priority per thread, by an id that only `/proc` reveals to Node.js.
    const [, id] = /task\/(\d+)$/.exec(readlinkSync('/proc/thread-self')) ?? [];
    if (id) setPriority(Number(id), Math.min(lowestPriority, getPriority(Number(id)) + difference));
  } catch {
    // Other systems lack this file: there, the thread keeps its priority.
  }
}
