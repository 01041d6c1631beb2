import { sweepAudit } from '../../../lib/audit/sweep.ts';
import { type Background, inBackground } from '../../../lib/base/background.ts';
import { log } from '../../../lib/base/log.ts';
import { sweepFiles } from '../../../lib/files/removal.ts';
import { sweepMessages } from '../../../lib/messages/retention.ts';

/** Not much longer than a start takes, and then again and again. */
const firstAfter = 60_000;
const every = 600_000;

/** After so many, one reads the whole store: about once a day. */
const thoroughEvery = 144;

/**
 * Removes files that no message has, deletes messages that are too old, and cuts the audit trail off, while the process serves. Several servers
 * may do so at the same time: each step is done by one of them.
 */
export const sweepMeanwhile = (): Background =>
  inBackground(async ({ pause, attempt }) => {
    await pause(firstAfter);
    for (let count = 0; ; count++) {
      await attempt('files were not swept', async () => {
        const swept = await sweepFiles({ isThorough: count % thoroughEvery === 0 });
        if (swept.removed + swept.orphans > 0) log('info', 'files removed', swept);
      });
      await attempt('messages were not swept', async () => {
        // Half of the time is for others.
        const messages = await sweepMessages({ pause });
        if (messages > 0) log('info', 'messages deleted by their age', { messages });
      });
      await attempt('the audit trail was not swept', async () => {
        const entries = await sweepAudit();
        if (entries > 0) log('info', 'entries of the audit trail cut off by their age', { entries });
      });
      await pause(every * (0.9 + 0.2 * Math.random()));
    }
  });
