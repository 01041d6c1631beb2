/** Lets so many run concurrently; the others wait in the order in which they came, so that nobody competes for what they need. */
export function createSemaphore(most: number) {
  let running = 0;
  const waiting = new Set<() => void>();

  return {
    /** Resolves to whether a slot became free within so many milliseconds; the caller must release it. */
    acquire(milliseconds: number): true | Promise<boolean> {
      if (running < most) {
        running++;
        return true;
      }
      return new Promise((resolve) => {
        const start = () => {
          clearTimeout(timer);
          resolve(true);
        };
        const timer = setTimeout(() => {
          waiting.delete(start);
          resolve(false);
        }, milliseconds);
        waiting.add(start);
      });
    },

    /** Passes the slot on. */
    release(): void {
      const [next] = waiting;
      if (next === undefined) {
        running--;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
