import { type Background, inBackground } from '../../../lib/base/background.ts';
import { log } from '../../../lib/base/log.ts';
import { sendDigests } from '../../../lib/notifications/digests.ts';

/** The first run is slightly later than a start takes. Both in milliseconds. */
const firstAfterMs = 90_000;
const every = 600_000;

/** Time limit of one run in milliseconds. */
const longestMs = 50_000;

/**
 * Sends e-mails about unread messages while the process serves. Only one server does so at a time.
 * An unresponsive mail server delays nothing else.
 */
export const sendDigestsMeanwhile = ({ wait = firstAfterMs } = {}): Background =>
  inBackground(async ({ signal, pause, attempt }) => {
    await pause(wait);
    for (;;) {
      await attempt('digests were not sent', async () => {
        const { sent, accounts } = await sendDigests({ until: performance.now() + longestMs, signal });
        if (sent > 0) log('info', 'unread digests sent', { sent, accounts });
      });
      await pause(every * (0.9 + 0.2 * Math.random()));
    }
  });
