type Limits = {
  /** The jobs of one payer that may wait, and of all. */
  mostOfPayer: number;
  mostInAll: number;
};

type Job<Resource> = { begin: (resource: Resource) => void; refuse: () => void };

/**
 * Creates a queue for jobs that share a few resources, such as threads. Payers take turns, so that
 * one with many jobs delays each of the others by one job only.
 */
export function createFairQueue<Resource>(resources: readonly Resource[], { mostOfPayer, mostInAll }: Limits) {
  const free = [...resources];
  /** In the order of their turns. */
  const payers = new Map<string, Set<Job<Resource>>>();
  let length = 0;

  function wait(payer: string, patienceMs: number, refusal: () => Error): Promise<Resource> {
    const own = payers.get(payer) ?? new Set();
    if (own.size >= mostOfPayer) throw refusal();
    if (length >= mostInAll) makeRoom(own.size + 1, refusal);
    payers.set(payer, own);
    return new Promise((resolve, reject) => {
      const leave = () => {
        clearTimeout(timer);
        length--;
        own.delete(job);
        if (own.size === 0) payers.delete(payer);
      };
      const job = {
        begin: (resource: Resource) => {
          leave();
          resolve(resource);
        },
        refuse: () => {
          leave();
          reject(refusal());
        },
      };
      const timer = setTimeout(job.refuse, patienceMs);
      own.add(job);
      length++;
    });
  }

  /** Refuses the last job of the payer with the most jobs, if there are more than `size`. */
  function makeRoom(size: number, refusal: () => Error): void {
    const [first, ...others] = payers.values();
    const most = others.reduce((one, other) => (other && one && other.size > one.size ? other : one), first);
    if (most === undefined || most.size <= size) throw refusal();
    [...most].at(-1)?.refuse();
  }

  function passOn(resource: Resource): void {
    const [turn] = payers;
    if (turn === undefined) {
      free.push(resource);
      return;
    }
    const [payer, own] = turn;
    const [job] = own;
    // The payer's next job waits until the others have had a turn.
    payers.delete(payer);
    if (own.size > 1) payers.set(payer, own);
    job?.begin(resource);
  }

  return {
    /** Runs a job with a resource, or rejects with `refusal` if none is free in time. */
    async run<T>(payer: string, patienceMs: number, refusal: () => Error, work: (resource: Resource) => Promise<T>): Promise<T> {
      const resource = free.pop() ?? (await wait(payer, patienceMs, refusal));
      try {
        return await work(resource);
      } finally {
        passOn(resource);
      }
    },
  };
}
