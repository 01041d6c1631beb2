import { delay } from './retry.ts';

/** How following goes: `live`, or `waiting` while the network or the service is down, until the next attempt. */
export type FollowState = { state: 'live' } | { state: 'waiting'; until: Date };

/** When to stop following, how often to poll, and whom to tell how it goes. */
export type PaceSettings = {
  signal?: AbortSignal;
  /** Milliseconds until the next poll, or a function of how many polls in a row found nothing. */
  interval?: number | ((quiet: number) => number);
  onState?: (state: FollowState) => void;
};

/** What a poll came to. */
type Outcome = 'events' | 'nothing' | 'failure';

/** A second for the first half minute in which nothing happens, then half as long again each time, up to 15 seconds. */
const adaptive = (quiet: number) => Math.min(15_000, 1_000 * 1.5 ** Math.max(0, quiet - 30));

/** Says when to poll next: immediately after events, at the interval otherwise, and when it is woken. */
export function pace({ signal, interval = adaptive, onState = () => {} }: PaceSettings) {
  let quiet = 0;
  let isLive = false;
  let isWoken = false;
  let pause: AbortController | undefined;

  return {
    /** Waits for the next poll, unless `wake` was called since the last one. */
    rest: async (outcome: Outcome): Promise<void> => {
      quiet = outcome === 'events' ? 0 : quiet + 1;
      const milliseconds = typeof interval === 'number' ? interval : interval(quiet);
      if (outcome === 'failure') onState({ state: 'waiting', until: new Date(Date.now() + milliseconds) });
      else if (!isLive) onState({ state: 'live' });
      isLive = outcome !== 'failure';
      if (outcome !== 'events' && !isWoken) {
        pause = new AbortController();
        const signals = signal ? [signal, pause.signal] : [pause.signal];
        await delay(milliseconds, AbortSignal.any(signals)).catch(() => {});
      }
      isWoken = false;
    },
    wake: (): void => {
      quiet = 0;
      isWoken = true;
      pause?.abort();
    },
  };
}
