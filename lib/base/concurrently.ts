/** Processes items concurrently, at most `most` at a time. */
export async function concurrently<T>(things: readonly T[], most: number, work: (thing: T) => Promise<void>): Promise<void> {
  const queue = things.values();
  const workInTurn = async () => {
    for (const thing of queue) await work(thing);
  };
  await Promise.all(Array.from({ length: Math.min(most, things.length) }, workInTurn));
}

/** Waits for all promises, even if some fail, and then throws if any has failed. */
export async function settleAll(works: (Promise<unknown> | undefined)[]): Promise<void> {
  for (const result of await Promise.allSettled(works)) if (result.status === 'rejected') throw result.reason;
}
