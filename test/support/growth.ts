/**
 * The largest growth of linear work. Linear work is equal for a text and its parts; quadratic work
 * is 16 times as much.
 */
export const linear = 5;

/**
 * The cost of a long text relative to 16 parts of its length. It is the minimum of several
 * attempts, because of other load on the machine.
 */
export function growth(run: (length: number) => unknown): number {
  const compare = () => {
    const long = work(() => run(32_000), 3);
    // No short time is below the clock's resolution, so this is enough. It saves half of the work.
    if (long < linear * resolutionMs) return long / resolutionMs;
    return long / work(() => run(2_000), 48);
  };
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 6 && least >= linear; attempt++) least = Math.min(least, compare());
  return least;
}

/** The CPU time of this thread for several runs, in milliseconds. */
function work(run: () => unknown, times: number): number {
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time++) run();
  const { user, system } = process.threadCpuUsage(before);
  return Math.max(resolutionMs, (user + system) / 1_000);
}

/** Shorter times are below the clock's resolution. */
const resolutionMs = 20;
