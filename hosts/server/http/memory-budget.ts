/** A share of the budget: the bytes of one request or response. */
export type Share = {
  /** Takes more bytes. */
  add: (bytes: number) => void;
  /** From now on it can no longer be given up. */
  settle: () => void;
  /** Returns all of them; may be called again. */
  release: () => void;
};

/**
 * Limits the bytes that all requests and responses hold together. When they would hold more, those that have begun first, and should long be
 * done, are given up: a slow sender or reader can't keep others out.
 */
export function createMemoryBudget(most: number) {
  const open = new Map<Share, () => void>();
  let total = 0;

  function shrink(): void {
    for (const [share, giveUp] of open) {
      if (total <= most) return;
      share.release();
      giveUp();
    }
  }

  return {
    /** Begins a share; `giveUp` is called, after its release, when it has to go. */
    begin(giveUp: () => void): Share {
      let held = 0;
      let isReleased = false;
      const share: Share = {
        add: (bytes) => {
          if (isReleased) return;
          held += bytes;
          total += bytes;
          if (total > most) shrink();
        },
        settle: () => open.delete(share),
        release: () => {
          open.delete(share);
          isReleased = true;
          total -= held;
          held = 0;
        },
      };
      open.set(share, giveUp);
      return share;
    },
  };
}

/** What `createMemoryBudget` makes. */
export type MemoryBudget = ReturnType<typeof createMemoryBudget>;
