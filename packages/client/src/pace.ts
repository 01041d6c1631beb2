/** How following goes: `live`, or `waiting` while the network or the service is down, until the next attempt. */
export type FollowState = { state: 'live' } | { state: 'waiting'; until: Date };

/** When to stop following, how often to poll where nothing is pushed, and whom to tell how it goes. */
export type PaceSettings = {
  signal?: AbortSignal;
  /** Milliseconds until the next poll, or a function of how many polls in a row found nothing. */
  interval?: number | ((quiet: number) => number);
  onState?: (state: FollowState) => void;
};

/** A second for the first half minute in which nothing happens, then half as long again each time, up to 15 seconds. */
export const adaptive = (quiet: number): number => Math.min(15_000, 1_000 * 1.5 ** Math.max(0, quiet - 30));

// Who has lost a connection comes back soon, and so do all the others.
const patient = 5_000;

/** How many milliseconds to wait until the next poll. */
export const intervalOf =
  (interval: PaceSettings['interval']) =>
  (quiet: number, hadPush: boolean): number => {
    if (typeof interval === 'number') return interval;
    return interval ? interval(quiet) : Math.max(adaptive(quiet), hadPush ? patient : 0);
  };

/** Tells changes from one state to the other, and each new wait. */
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
