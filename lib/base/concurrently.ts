/** Does work on each of some things, on so many at the same time. */
export async function concurrently<T>(things: readonly T[], most: number, work: (thing: T) => Promise<void>): Promise<void> {
  const queue = things.values();
  const workInTurn = async () => {
    for (const thing of queue) await work(thing);
  };
  await Promise.all(Array.from({ length: Math.min(most, things.length) }, workInTurn));
}
