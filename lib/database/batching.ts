/** For how many milliseconds one batch may hold up the next: what hangs must not hold up everyone. */
const patience = 50;

/** How many batches of any kind are under way: with one, others are likely to come; with none, nobody is to wait. */
let underWay = 0;

/**
 * Does at once what is asked for at about the same time: what comes in one turn of the event loop goes together, who comes while
 * that is under way goes with the next, all in one. Nothing is ever done, or read, before it was asked for. `work` settles each item in its place;
 * if it throws, it has failed for all of them.
 */
export function together<I, O>(
  work: (items: I[]) => Promise<PromiseSettledResult<O>[]>,
  { quietTurns = 0 }: Gathering = {},
): (item: I) => Promise<O> {
  let isBusy = false;
  let waiting: Waiting<I, O>[] = [];

  const go = async () => {
    const batch = waiting;
    waiting = [];
    underWay++;
    let isAhead = true;
    const letNext = () => {
      if (!isAhead) return;
      isAhead = false;
      isBusy = waiting.length > 0;
      if (isBusy) setImmediate(gather, waiting.length, quietTurns);
    };
    const timer = setTimeout(letNext, patience);
    try {
      const results = await work(batch.map(({ item }) => item));
      for (const [at, { resolve, reject }] of batch.entries()) {
        const result = results[at] as PromiseSettledResult<O>;
        if (result.status === 'fulfilled') resolve(result.value);
        else reject(result.reason);
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
    underWay--;
    clearTimeout(timer);
    letNext();
  };

  // However many come, those who wait go after a few times as many turns.
  const gather = (known: number, turns: number, most = 5 * quietTurns) => {
    const isQuiet = waiting.length === known;
    if (most === 0 || (isQuiet && turns === 0)) void go();
    else setImmediate(gather, waiting.length, isQuiet ? turns - 1 : quietTurns, most - 1);
  };

  return (item) =>
    new Promise((resolve, reject) => {
      waiting.push({ item, resolve, reject });
      if (isBusy) return;
      isBusy = true;
      if (underWay > 0) setImmediate(gather, waiting.length, quietTurns);
      else setImmediate(go);
    });
}

/**
 * In how many turns of the event loop nobody must have come before a batch goes while, or just after, others are under way: who was just
 * answered often asks again.
 */
type Gathering = { quietTurns?: number };

const forReads: Gathering = { quietTurns: 10 };

type Waiting<I, O> = { item: I; resolve: (value: O) => void; reject: (error: unknown) => void };

/** Looks keys up together, each once. `load` returns the values of those that have one. */
export function inBatches<T>(load: (keys: string[]) => Promise<Map<string, T>>): (key: string) => Promise<T | undefined> {
  return together(async (keys) => {
    const found = await load([...new Set(keys)]);
    return keys.map((key) => fulfilled(found.get(key)));
  }, forReads);
}

/** The same for work that can only be shared under one key: each key has batches of its own, which wait for no other's. */
export function togetherBy<I, O>(
  work: (items: I[]) => Promise<PromiseSettledResult<O>[]>,
  gathering?: Gathering,
): (key: string, item: I) => Promise<O> {
  const queues = new Map<string, { join: (item: I) => Promise<O>; users: number }>();

  return async (key, item) => {
    const queue = queues.get(key) ?? { join: together(work, gathering), users: 0 };
    queues.set(key, queue);
    queue.users++;
    try {
      return await queue.join(item);
    } finally {
      queue.users--;
      if (queue.users === 0) queues.delete(key);
    }
  };
}

/**
 * Reads once for all who ask for the same at about the same time, as the members of a room do when something has happened in it.
 * What is read must depend on nothing but the key; they get the same object, which none of them may change.
 */
export function shared<T>(): (key: string, read: () => Promise<T>) => Promise<T> {
  return togetherBy<() => Promise<T>, T>(async ([read, ...others]) => {
    const value = await (read as () => Promise<T>)();
    return [fulfilled(value), ...others.map(() => fulfilled(value))];
  }, forReads);
}

/** What went well, as one of the results of a batch. */
export const fulfilled = <T>(value: T): PromiseFulfilledResult<T> => ({ status: 'fulfilled', value });

/** What a result is of, or throws why it failed. */
export function orThrow<T>(result: PromiseSettledResult<T>): T {
  if (result.status === 'rejected') throw result.reason;
  return result.value;
}

/** Goes on, together, with what went well; what failed stays as it is, in its place. If `next` throws, it has failed for all of them. */
export async function andThen<A, B>(
  results: PromiseSettledResult<A>[],
  next: (values: A[]) => Promise<PromiseSettledResult<B>[]>,
): Promise<PromiseSettledResult<B>[]> {
  const well = results.filter((result) => result.status === 'fulfilled').map(({ value }) => value);
  const went =
    well.length === 0 ? [] : await next(well).catch((reason) => well.map(() => ({ status: 'rejected', reason }) as const));
  return results.map((result) => (result.status === 'rejected' ? result : (went.shift() as PromiseSettledResult<B>)));
}
