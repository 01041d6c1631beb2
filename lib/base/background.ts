import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, log } from './log.ts';

/** Work that runs while a process serves. `end` stops it, and resolves when it has ended. */
export type Background = { end: () => Promise<void> };

/** Helpers for work in the background. */
type Means = {
  signal: AbortSignal;
  /** Waits without keeping the process alive. Throws as soon as the work must end. */
  pause: (milliseconds: number) => Promise<void>;
  /**
   * Runs a step. If it fails, logs the failure with this sentence instead of throwing it, unless
   * the work must end.
   */
  attempt: (failure: string, work: () => Promise<void>) => Promise<void>;
};

/** The longest delay of Node's timers, in milliseconds. */
const longestTimer = 2 ** 31 - 1;

/** Starts work that runs until `end` is called. */
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
  // A pause throws when the work must end.
  const ended = attempt('work in the background ended', () => work({ signal, pause, attempt }));
  return {
    end: () => {
      ending.abort();
      return ended;
    },
  };
}
