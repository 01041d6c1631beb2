import { preloading } from '../../tools/harness/preload.ts';

/**
 * Settings of a server whose background work pauses for a second where it would pause for a minute
 * or more, so that tests need not wait for it. Uploads of more than a second end, too.
 */
export const earlyBackgroundWork = preloading(`
  import { syncBuiltinESMExports } from 'node:module';
  import timers from 'node:timers/promises';
  const wait = timers.setTimeout;
  timers.setTimeout = (ms, ...rest) => wait(ms >= 60_000 ? 1_000 : ms, ...rest);
  syncBuiltinESMExports();`);
