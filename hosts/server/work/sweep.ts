import { sweepAudit } from '../../../lib/audit/sweep.ts';
import { type Background, inBackground } from '../../../lib/base/background.ts';
import { log } from '../../../lib/base/log.ts';
import { sweepFiles } from '../../../lib/files/removal.ts';
import { sweepMessages } from '../../../lib/messages/retention.ts';

/** The first run is slightly later than a start takes. Both in milliseconds. */
const firstAfterMs = 60_000;
const every = 600_000;

/** Number of runs after which the whole store is read, about once a day. */
const thoroughEvery = 144;

/**
 * Removes unused files, expired messages and expired audit entries while the process serves.
 * Several servers may do so at the same time: only one of them performs each step.
 */
export const sweepMeanwhile = (): Background =>
  inBackground(async ({ pause, attempt }) => {
    await pause(firstAfterMs);
    for (let count = 0; ; count++) {
      await attempt('files were not swept', async () => {
        const swept = await sweepFiles({ isThorough: count % thoroughEvery === 0 });
        if (swept.removed + swept.orphans > 0) log('info', 'files removed', swept);
      });
      await attempt('messages were not swept', async () => {
        // Pauses take half of the time, so that requests can run.
        const messages = await sweepMessages({ pause });
        if (messages > 0) log('info', 'messages deleted by their age', { messages });
      });
      await attempt('the audit log was not swept', async () => {
        const entries = await sweepAudit();
        if (entries > 0) log('info', 'entries of the audit log cut off by their age', { entries });
      });
      await pause(every * (0.9 + 0.2 * Math.random()));
    }
  });
