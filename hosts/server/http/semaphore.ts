/**
 * The order of waiting callers: `resumed` before all others. Accounts take turns with other
 * callers, so that a flood without valid tokens cannot keep accounts waiting.
 */
export type Rank = 'resumed' | 'account' | 'other';

/** Creates a semaphore that lets `most` holders run concurrently. */
export function createSemaphore(most: number) {
  let running = 0;
  // Made on demand: there is a semaphore for each caller, and most have nobody waiting.
  const waiting: Partial<Record<Rank, Set<() => void>>> = {};
  let wasAccount = false;

  /** The queue whose turn it is. Within a queue, callers wait in the order of their arrival. */
  function nextQueue(): Set<() => void> | undefined {
    const { resumed, account, other } = waiting;
    if (resumed?.size) return resumed;
    wasAccount = Boolean(account?.size) && !(wasAccount && other?.size);
    return wasAccount ? account : other;
  }

  return {
    /**
     * Resolves to true when the caller gets a slot, which it must release, or to false after
     * `milliseconds`.
     */
    acquire(milliseconds: number, rank: Rank = 'other'): true | Promise<boolean> {
      if (running < most) {
        running++;
        return true;
      }
      waiting[rank] ??= new Set();
      const queue = waiting[rank];
      return new Promise((resolve) => {
        const start = () => {
          clearTimeout(timer);
          resolve(true);
        };
        const timer = setTimeout(() => {
          queue.delete(start);
          resolve(false);
        }, milliseconds);
        queue.add(start);
      });
    },

    /** Passes the slot to the next waiting caller. */
    release(): void {
      const queue = nextQueue();
      const [next] = queue ?? [];
      if (next === undefined) {
        running--;
        return;
      }
      queue?.delete(next);
      next();
    },
  };
}
