import { setTimeout as sleep } from 'node:timers/promises';
import { sweepAudit } from '../../lib/audit/sweep.ts';
import { sweepFiles } from '../../lib/files/removal.ts';
import { describeError, log } from '../../lib/log.ts';
import { sweepMessages } from '../../lib/messages/retention.ts';

/** Not much longer than a start takes, and then again and again. */
const firstAfter = 60_000;
const every = 600_000;

/** After so many, one reads the whole store: about once a day. */
const thoroughEvery = 144;

/**
 * Removes files that no message has, deletes messages that are too old, and cuts the audit trail off, while the process serves. Several servers
 * may do so at the same time: each step is done by one of them.
 */
export function sweepMeanwhile(): { end: () => void } {
  const ending = new AbortController();
  const wait = (milliseconds: number) => sleep(milliseconds, undefined, { signal: ending.signal, ref: false });

  const run = async () => {
    await wait(firstAfter);
    for (let count = 0; ; count++) {
      try {
        const swept = await sweepFiles({ isThorough: count % thoroughEvery === 0 });
        if (swept.removed + swept.orphans > 0) log('info', 'files removed', swept);
      } catch (error) {
        log('error', 'files were not swept', { error: describeError(error) });
      }
      try {
        // Half of the time is for others.
        const messages = await sweepMessages({ pause: wait });
        if (messages > 0) log('info', 'messages deleted by their age', { messages });
      } catch (error) {
        if (!ending.signal.aborted) log('error', 'messages were not swept', { error: describeError(error) });
      }
      try {
        const entries = await sweepAudit();
        if (entries > 0) log('info', 'entries of the audit trail cut off by their age', { entries });
      } catch (error) {
        log('error', 'the audit trail was not swept', { error: describeError(error) });
      }
      await wait(every * (0.9 + 0.2 * Math.random()));
    }
  };
  // It ends only when it is told to.
  run().catch(() => undefined);
  return { end: () => ending.abort() };
}
