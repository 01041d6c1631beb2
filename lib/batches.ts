/**
 * Asks one question for all who want to know at about the same time: the first goes at once, who comes while it is under way waits for the
 * next. Nobody is answered from a question that was sent before they asked, so an answer is never older than its request.
 * `load` returns the values of those keys that have one.
 */
export function inBatches<T>(load: (keys: string[]) => Promise<Map<string, T>>): (key: string) => Promise<T | undefined> {
  let isAsking = false;
  let waiting: Batch<T> | undefined;

  const ask = async ({ keys, settle }: Batch<T>) => {
    isAsking = true;
    await settle(load([...keys]));
    const next = waiting;
    waiting = undefined;
    isAsking = false;
    if (next) void ask(next);
  };

  return async (key) => {
    const batch = waiting ?? newBatch<T>();
    batch.keys.add(key);
    if (isAsking) waiting = batch;
    else void ask(batch);
    return (await batch.answer).get(key);
  };
}

type Batch<T> = {
  keys: Set<string>;
  answer: Promise<Map<string, T>>;
  /** Answers all who wait; resolves when that is done, also if it went wrong. */
  settle: (loading: Promise<Map<string, T>>) => Promise<void>;
};

function newBatch<T>(): Batch<T> {
  const { promise, resolve, reject } = Promise.withResolvers<Map<string, T>>();
  return { keys: new Set(), answer: promise, settle: (loading) => loading.then(resolve, reject) };
}
