/**
 * A waiting change: when it is due, in milliseconds since 1970, and the pause since the last
 * attempt.
 */
type WaitingEntry = { id: number; retryAt: number; pause?: number | undefined };

/** By their ids, when things are due on a clock that nobody sets. */
const due = new Map<number, { retryAt: number; at: number }>();

/** Longest time between two attempts that the service has not asked for, in milliseconds. */
export const longestPause = 30_000;

/**
 * How many milliseconds something still waits: never longer than it was to wait, also when the
 * device's clock was set back.
 */
export function waitOf({ id, retryAt, pause = longestPause }: WaitingEntry): number {
  const known = due.get(id);
  if (known?.retryAt === retryAt) return known.at - performance.now();
  const wait = Math.min(pause, retryAt - Date.now());
  due.set(id, { retryAt, at: performance.now() + wait });
  return wait;
}

/** Forgets what does not wait any longer. */
export const forgetWait = (id: number): void => void due.delete(id);
