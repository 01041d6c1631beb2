/**
 * The state of following: `live`, or `waiting` for the next attempt while the network or the
 * service is down.
 */
export type FollowState = { state: 'live' } | { state: 'waiting'; until: Date };

/**
 * The signal to stop following, the polling interval without a connection, and a callback for the
 * state.
 */
export type PaceSettings = {
  signal?: AbortSignal;
  /**
   * The milliseconds until the next poll, or a function of the number of consecutive polls without
   * news.
   */
  interval?: number | ((quiet: number) => number);
  onState?: (state: FollowState) => void;
};

/**
 * Polls every second for half a minute without news. Then each interval is 1.5 times the last, up
 * to 15 seconds.
 */
export const adaptive = (quiet: number): number => Math.min(15_000, 1_000 * 1.5 ** Math.max(0, quiet - 30));

// After a lost connection all clients reconnect soon, so polling waits.
const patient = 5_000;

/** The milliseconds until the next poll. */
export const intervalOf =
  (interval: PaceSettings['interval']) =>
  (quiet: number, hadPush: boolean): number => {
    if (typeof interval === 'number') return interval;
    return interval ? interval(quiet) : Math.max(adaptive(quiet), hadPush ? patient : 0);
  };

/** Reports each change of the state and each new delay. */
export function stateTeller({ onState = () => {} }: Pick<PaceSettings, 'onState'>) {
  let isLive = false;
  return {
    live: (): void => {
      if (!isLive) onState({ state: 'live' });
      isLive = true;
    },
    waiting: (milliseconds: number): void => {
      isLive = false;
      onState({ state: 'waiting', until: new Date(Date.now() + milliseconds) });
    },
  };
}
