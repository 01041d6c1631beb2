/** Linear work is the same for a text as for its parts; quadratic work is 16 times as much. */
export const linear = 5;

/** How much more a long text costs than 16 parts of its length: the least of several attempts, because others use the machine, too. */
export function growth(run: (length: number) => unknown): number {
  const compare = () => work(() => run(32_000), 3) / work(() => run(2_000), 48);
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < 6 && least >= linear; attempt++) least = Math.min(least, compare());
  return least;
}

/** The milliseconds of this thread alone for so many runs. */
function work(run: () => unknown, times: number): number {
  const before = process.threadCpuUsage();
  for (let time = 0; time < times; time++) run();
  const { user, system } = process.threadCpuUsage(before);
  // Less than this the clock does not tell apart.
  return Math.max(20, (user + system) / 1_000);
}
