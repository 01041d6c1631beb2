import { type Background, inBackground } from '../../../lib/base/background.ts';
import { interruptStreams } from '../../../lib/messages/streaming/end.ts';

/** The interval of the search for silent streams: one query of an index. */
const everyMs = 10_000;

/** Interrupts silent streams while the process serves, including those of killed processes. */
export const interruptStreamsMeanwhile = (): Background =>
  inBackground(async ({ pause, attempt }) => {
    for (;;) {
      await attempt('silent streams were not interrupted', async () => void (await interruptStreams()));
      await pause(everyMs);
    }
  });
