type Limits = {
  /** How much work of one key runs concurrently. */
  most: number;
  /** How much more may wait for its turn, and for how many milliseconds. */
  mostWaiting: number;
  patienceMs: number;
  /** The error for work whose turn does not come. */
  refuse: () => Error;
};

type Queue = { running: number; waiting: Set<() => void> };

/** Makes a queue for each key: work of one key never waits for work of another. */
export function createQueues({ most, mostWaiting, patienceMs, refuse }: Limits) {
  const queues = new Map<string, Queue>();

  /** Waits for other work of the queue to end, whose place is then taken. */
  const waitForTurn = ({ waiting }: Queue): Promise<void> =>
    new Promise((resolve, reject) => {
      if (waiting.size >= mostWaiting) return reject(refuse());
      const begin = () => {
        clearTimeout(timer);
        waiting.delete(begin);
        resolve();
      };
      const timer = setTimeout(() => {
        waiting.delete(begin);
        reject(refuse());
      }, patienceMs);
      waiting.add(begin);
    });

  /** Does work when it is its turn among the work of its key; rejects if that does not come soon. */
  return async function runInTurn<T>(key: string, work: () => Promise<T>): Promise<T> {
    const queue = queues.get(key) ?? { running: 0, waiting: new Set() };
    queues.set(key, queue);
    if (queue.running >= most) await waitForTurn(queue);
    else queue.running++;
    try {
      return await work();
    } finally {
      const [next] = queue.waiting;
      if (next) next();
      else if (--queue.running === 0) queues.delete(key);
    }
  };
}
