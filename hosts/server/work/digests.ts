import { type Background, inBackground } from '../../../lib/base/background.ts';
import { log } from '../../../lib/base/log.ts';
import { sendDigests } from '../../../lib/notifications/digests.ts';

/** Not much longer than a start takes, and then again and again. */
const firstAfter = 90_000;
const every = 600_000;

/** For how many milliseconds one goes on at a time. */
const longest = 50_000;

/** Tells by e-mail of what is unread, while the process serves; of several servers one does at a time. A mail server that hangs holds up nothing else. */
export const sendDigestsMeanwhile = ({ wait = firstAfter } = {}): Background =>
  inBackground(async ({ signal, pause, attempt }) => {
    await pause(wait);
    for (;;) {
      await attempt('nobody was told by e-mail', async () => {
        const { sent, accounts } = await sendDigests({ until: performance.now() + longest, signal });
        if (sent > 0) log('info', 'e-mails about what is unread sent', { sent, accounts });
      });
      await pause(every * (0.9 + 0.2 * Math.random()));
    }
  });
