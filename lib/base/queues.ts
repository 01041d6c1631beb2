type Limits = {
  /** How many jobs of one key run concurrently. */
  most: number;
  /** How many more may wait for their turn, and for how many milliseconds. */
  mostWaiting: number;
  patienceMs: number;
  /** The error for a job that does not get its turn. */
  refuse: () => Error;
};

type Queue = { running: number; waiting: Set<() => void> };

/** Makes a separate queue for each key: jobs of different keys never wait for each other. */
export function createQueues({ most, mostWaiting, patienceMs, refuse }: Limits) {
  const queues = new Map<string, Queue>();

  /** Waits until another job of the queue ends, and takes its place. */
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

  /** Runs a job when it is its turn in the queue of its key; rejects if it waits too long. */
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
