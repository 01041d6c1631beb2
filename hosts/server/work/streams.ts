import { type Background, inBackground } from '../../../lib/base/background.ts';
import { interruptStreams } from '../../../lib/messages/streaming/end.ts';

/** Interval of the search for silent streams, in milliseconds: one query of an index. */
const every = 10_000;

/** Interrupts silent streams while the process serves, including those of killed processes. */
export const interruptStreamsMeanwhile = ({ wait = every } = {}): Background =>
  inBackground(async ({ pause, attempt }) => {
    for (;;) {
      await attempt('silent streams were not interrupted', async () => void (await interruptStreams()));
      await pause(wait);
    }
  });
