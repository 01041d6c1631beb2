import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, log } from '../../lib/log.ts';
import { sendDigests } from '../../lib/notifications/digests.ts';

/** Not much longer than a start takes, and then again and again. */
const firstAfter = 90_000;
const every = 600_000;

/** For how many milliseconds one goes on at a time. */
const longest = 50_000;

/** Tells by e-mail of what is unread, while the process serves; of several servers one does at a time. A mail server that hangs holds up nothing else. */
export function sendDigestsMeanwhile({ wait = firstAfter } = {}): { end: () => Promise<void> } {
  const ending = new AbortController();
  const pause = (milliseconds: number) => sleep(milliseconds, undefined, { signal: ending.signal, ref: false });

  const run = async () => {
    await pause(wait);
    for (;;) {
      try {
        const { sent, accounts } = await sendDigests({ until: performance.now() + longest, signal: ending.signal });
        if (sent > 0) log('info', 'e-mails about what is unread sent', { sent, accounts });
      } catch (error) {
        log('error', 'nobody was told by e-mail', { error: describeError(error) });
      }
      await pause(every * (0.9 + 0.2 * Math.random()));
    }
  };
  // It ends only when it is told to.
  const ended = run().catch(() => undefined);
  return {
    end: async () => {
      ending.abort();
      await ended;
    },
  };
}
