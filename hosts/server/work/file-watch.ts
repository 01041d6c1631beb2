import { type Background, inBackground } from '../../../lib/base/background.ts';
import { log } from '../../../lib/base/log.ts';
import { checkPages, type FileState } from '../../../lib/database/file-state.ts';

/** The whole file is looked at once after the start, and from then on a part each hour, so that each page is looked at every day. */
const hour = 3_600_000;
const partsPerRound = 24;
const firstAfter = 60_000;

/**
 * Compares the embedded database's file with its checksums in the background, and logs what is wrong, again with each part. It takes a fifth of
 * the time at most, so that requests hardly wait for it.
 */
export const watchFile = ({ after = firstAfter, every = hour, check = checkPages } = {}): Background =>
  inBackground(async ({ pause, attempt }) => {
    await pause(after);
    let from: number | undefined = 0;
    // As long as none succeeded, the next round is a look at the whole file again.
    let isFirst = true;
    while (from !== undefined) {
      const begun: number = from;
      await attempt('database check failed', async () => {
        from = await checkRound({ begun, isWhole: isFirst, check, pause });
        isFirst = false;
      });
      await pause(every);
    }
  });

type Round = {
  begun: number;
  isWhole: boolean;
  check: typeof checkPages;
  pause: (milliseconds: number) => Promise<void>;
};

/** Checks a part of the file, or all that follows a page; returns the page to go on from, undefined for another database. */
async function checkRound({ begun, isWhole, check, pause }: Round): Promise<number | undefined> {
  for (let from = begun; ; ) {
    const since = performance.now();
    const part = await check(from);
    if (!part) return undefined;
    from = part.next;
    if (from === 0 || (!isWhole && from - begun >= part.pages / partsPerRound)) {
      logState(part.state);
      return from;
    }
    await pause(4 * (performance.now() - since));
  }
}

/** Logs what is wrong with the file. */
export function logState({ damage, dropped, isIncomplete }: FileState): void {
  if (damage) log('error', 'database damaged', { damage });
  // Only a power cut leaves something in the log that nobody misses.
  if (dropped) log(isIncomplete ? 'error' : 'info', 'log of the database was incomplete', { dropped });
}
