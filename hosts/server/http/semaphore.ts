/**
 * Creates a semaphore that lets `most` holders run concurrently. Others wait in the order of their
 * arrival.
 */
export function createSemaphore(most: number) {
  let running = 0;
  const first = new Set<() => void>();
  const waiting = new Set<() => void>();

  return {
    /**
     * Resolves to true when the caller gets a slot, which it must release, or to false after
     * `milliseconds`. `isFirst` takes precedence over all waiting callers that do not set it.
     */
    acquire(milliseconds: number, isFirst = false): true | Promise<boolean> {
      if (running < most) {
        running++;
        return true;
      }
      const queue = isFirst ? first : waiting;
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
      const queue = first.size > 0 ? first : waiting;
      const [next] = queue;
      if (next === undefined) {
        running--;
        return;
      }
      queue.delete(next);
      next();
    },
  };
}
