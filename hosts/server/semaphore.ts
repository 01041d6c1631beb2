/** Lets so many run at once; the others wait in the order in which they came, so that what they need is not fought for. */
export function createTurns(most: number) {
  let running = 0;
  const waiting = new Set<() => void>();

  return {
    /** Resolves to whether it is one's turn, after at most so many milliseconds; who had a turn must give it back. */
    take(milliseconds: number): true | Promise<boolean> {
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

    /** Passes the turn on. */
    giveBack(): void {
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
