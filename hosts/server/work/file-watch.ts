import { type Background, inBackground } from '../../../lib/base/background.ts';
import { log } from '../../../lib/base/log.ts';
import { checkPages, type FileState } from '../../../lib/database/file-state.ts';

/**
 * The whole file is checked once after the start. After that, a part is checked each hour, so that
 * each page is checked every day.
 */
const hour = 3_600_000;
const partsPerRound = 24;
const firstAfter = 60_000;

/**
 * Compares the embedded database's file with its checksums in the background. Logs damage again
 * after each part. It uses at most a fifth of the time, so that it hardly delays requests.
 */
export const watchFile = ({ after = firstAfter, every = hour, check = checkPages } = {}): Background =>
  inBackground(async ({ pause, attempt }) => {
    await pause(after);
    let from: number | undefined = 0;
    // Until a check succeeds, each round checks the whole file.
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

type CheckRound = {
  begun: number;
  isWhole: boolean;
  check: typeof checkPages;
  pause: (milliseconds: number) => Promise<void>;
};

/**
 * Checks a part of the file, or all pages after `begun`. Returns the page to continue from;
 * `undefined` for another database.
 */
async function checkRound({ begun, isWhole, check, pause }: CheckRound): Promise<number | undefined> {
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

/** Logs the damage of the file. */
export function logState({ damage, dropped, isIncomplete }: FileState): void {
  if (damage) log('error', 'database damaged', { damage });
  // After a power cut, the log may end in writes that were never acknowledged. These are not a
  // loss.
  if (dropped) log(isIncomplete ? 'error' : 'info', 'log of the database was incomplete', { dropped });
}
