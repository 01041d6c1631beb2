import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, log } from './log.ts';

/** Work that goes on while a process serves; `end` resolves when it has ended. */
export type Background = { end: () => Promise<void> };

/** What work in the background is given. */
type Means = {
  signal: AbortSignal;
  /** Waits. It keeps no process alive, and throws as soon as the work is to end. */
  pause: (milliseconds: number) => Promise<void>;
  /** Does something, and logs a failure with this sentence instead of passing it on, unless the work is to end. */
  attempt: (failure: string, work: () => Promise<void>) => Promise<void>;
};

/** The longest time of Node's timers. */
const longestTimer = 2 ** 31 - 1;

/** Begins work that goes on until it is told to end. */
export function inBackground(work: (means: Means) => Promise<void>): Background {
  const ending = new AbortController();
  const { signal } = ending;
  const pause = (milliseconds: number) => sleep(Math.min(milliseconds, longestTimer), undefined, { signal, ref: false });
  const attempt: Means['attempt'] = async (failure, step) => {
    try {
      await step();
    } catch (error) {
      if (!signal.aborted) log('error', failure, { error: describeError(error) });
    }
  };
  // A pause throws when the work is to end.
  const ended = attempt('work in the background ended', () => work({ signal, pause, attempt }));
  return {
    end: () => {
      ending.abort();
      return ended;
    },
  };
}
