/** Lets so many run concurrently; the others wait in the order in which they came, so that nobody competes for what they need. */
export function createSemaphore(most: number) {
  let running = 0;
  const first = new Set<() => void>();
  const waiting = new Set<() => void>();

  return {
    /**
     * Resolves to whether a slot became free within so many milliseconds; the caller must release it. `isFirst` waits
     * before all that do not.
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

    /** Passes the slot on. */
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
