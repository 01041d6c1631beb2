/** The bytes of one request or response within the budget. */
export type Share = {
  add: (bytes: number) => void;
  /** Makes the share permanent: it cannot be revoked any longer. */
  settle: () => void;
  /** Returns all bytes. It may be called repeatedly. */
  release: () => void;
};

/**
 * Limits the bytes that all requests and responses hold together. Beyond the limit, it revokes the
 * oldest shares, which should have finished long ago. So slow senders and readers cannot lock
 * others out.
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
    /** Begins a share. `giveUp` is called when it is revoked, after its release. */
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

export type MemoryBudget = ReturnType<typeof createMemoryBudget>;
