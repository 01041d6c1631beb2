/*
 * Calls at about the same time become one batch. Time runs to the right:
 *
 *   calls      a b      c   d    e
 *   batches      [ a b ======= ]
 *                               [ c d e ======= ]
 *
 * The first batch starts at the end of the event loop's turn in which its first call arrived
 * (`setImmediate`). While the process works on several requests, it starts when no call has arrived
 * for a few turns. Calls that arrive while it runs form the next one. No call is served from a
 * batch that started before it, so a caller sees its own earlier writes.
 *
 * If there is a single request, a batch of writes to a database within the process starts without
 * waiting for the turn to end.
 */

import { deadlineOfRequest, isAlone, isShared, withLatestDeadline } from '../base/deadline.ts';
import { isWithinProcess } from './within-process.ts';

/** How long a batch may delay the next one: a batch that hangs must not block everyone. */
const longestDelayMs = 50;

/**
 * The number of consecutive turns of the event loop without a call before a batch starts. A client
 * that has just been answered often sends its next request soon.
 */
const idleTicks = 10;

type Work<I, O> = (items: I[]) => Promise<PromiseSettledResult<O>[]>;
type Call<I, O> = { item: I; deadline: number | undefined; resolve: (value: O) => void; reject: (error: unknown) => void };

/** The calls that wait for a batch, and the batch that runs. */
class Queue<I, O> {
  readonly #work: Work<I, O>;
  readonly #isWrite: boolean;
  #waiting: Call<I, O>[] = [];
  /** True if a batch is about to start, or runs and still blocks the next one. */
  #isBusy = false;

  constructor(work: Work<I, O>, isWrite = false) {
    this.#work = work;
    this.#isWrite = isWrite;
  }

  add(item: I): Promise<O> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, deadline: deadlineOfRequest(), resolve, reject });
      if (this.#isBusy) return;
      this.#isBusy = true;
      if (isShared()) this.#gather();
      else if (this.#isWrite && isAlone() && isWithinProcess()) queueMicrotask(() => void this.#run());
      else setImmediate(() => this.#run());
    });
  }

  /**
   * Starts a batch when no call has arrived for `idleTicks` turns of the event loop, or after five
   * times as many turns.
   */
  #gather(known = this.#waiting.length, ticksLeft = idleTicks, mostTicks = 5 * idleTicks): void {
    setImmediate(() => {
      const isIdle = this.#waiting.length === known;
      if (mostTicks === 0 || (isIdle && ticksLeft === 0)) void this.#run();
      else this.#gather(this.#waiting.length, isIdle ? ticksLeft - 1 : idleTicks, mostTicks - 1);
    });
  }

  async #run(): Promise<void> {
    const batch = this.#waiting;
    this.#waiting = [];
    let isBlocking = true;
    const unblock = () => {
      if (!isBlocking) return;
      isBlocking = false;
      this.#isBusy = this.#waiting.length > 0;
      if (this.#isBusy) this.#gather();
    };
    const timer = setTimeout(unblock, longestDelayMs);
    try {
      const deadlines = batch.map(({ deadline }) => deadline);
      const results = await withLatestDeadline(deadlines, () => this.#work(batch.map(({ item }) => item)));
      for (const [at, { resolve, reject }] of batch.entries()) {
        const result = results[at] as PromiseSettledResult<O>;
        if (result.status === 'fulfilled') resolve(result.value);
        else reject(result.reason);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    clearTimeout(timer);
    unblock();
  }
}

/**
 * Batches calls at about the same time. `work` returns a result for each item, in order; an error
 * that it throws rejects all of them.
 */
export function batch<I, O>(work: Work<I, O>): (item: I) => Promise<O> {
  const queue = new Queue(work);
  return (item) => queue.add(item);
}

/** Batches writes at about the same time. */
export function batchWrites<I, O>(work: Work<I, O>): (item: I) => Promise<O> {
  const queue = new Queue(work, true);
  return (item) => queue.add(item);
}

/**
 * Batches calls by key, for work on a single key. Batches of different keys do not wait for each
 * other.
 */
export const batchByKey = <I, O>(work: Work<I, O>): ((key: string, item: I) => Promise<O>) => queuesByKey(work, false);

/** Batches writes by key. */
export const batchWritesByKey = <I, O>(work: Work<I, O>): ((key: string, item: I) => Promise<O>) => queuesByKey(work, true);

function queuesByKey<I, O>(work: Work<I, O>, isWrite: boolean): (key: string, item: I) => Promise<O> {
  const queues = new Map<string, { queue: Queue<I, O>; users: number }>();

  return async (key, item) => {
    const entry = queues.get(key) ?? { queue: new Queue(work, isWrite), users: 0 };
    queues.set(key, entry);
    entry.users++;
    try {
      return await entry.queue.add(item);
    } finally {
      entry.users--;
      if (entry.users === 0) queues.delete(key);
    }
  };
}

/** Loads keys in batches, each key once. `load` returns the values of the keys that have one. */
export function loader<T>(
  load: (keys: string[]) => Promise<ReadonlyMap<string, T | undefined>>,
): (key: string) => Promise<T | undefined> {
  const queue = new Queue<string, T | undefined>(async (keys) => {
    const found = await load([...new Set(keys)]);
    return keys.map((key) => fulfilled(found.get(key)));
  });
  return (key) => queue.add(key);
}

/**
 * Reads once for all concurrent callers with the same key, such as the members of a room after a
 * change in it. The result must depend on the key only. All callers get the same object, and must
 * not change it.
 */
export function singleFlight<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  return batchByKey<() => Promise<T>, T>(async ([read, ...others]) => {
    const value = await (read as () => Promise<T>)();
    return [fulfilled(value), ...others.map(() => fulfilled(value))];
  });
}

/** A success, as a result in a batch. */
export const fulfilled = <T>(value: T): PromiseFulfilledResult<T> => ({ status: 'fulfilled', value });

/** The value of a result; throws the reason of a failure. */
export function orThrow<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}
