import { setTimeout as sleep } from 'node:timers/promises';
import { checkPages, type FileState } from '../../lib/database/file-state.ts';
import { describeError, log } from '../../lib/log.ts';

/** The whole file is looked at once after the start, and from then on a part each hour, so that each page is looked at every day. */
const hour = 3_600_000;
const partsPerRound = 24;
const firstAfter = 60_000;

/**
 * Compares the embedded database's file with its checksums in the background, and logs what is wrong, again with each part. It takes a fifth of
 * the time at most, so that requests hardly wait for it.
 */
export function watchFile({ after = firstAfter, every = hour } = {}): { end: () => void } {
  const ending = new AbortController();
  const { signal } = ending;

  const watch = async () => {
    await sleep(after, undefined, { signal, ref: false });
    let from = 0;
    for (let isFirst = true; ; isFirst = false) {
      const begun = from;
      for (;;) {
        const since = performance.now();
        const part = await checkPages(from);
        if (!part) return;
        from = part.next;
        if (from === 0 || (!isFirst && from - begun >= part.pages / partsPerRound)) {
          tell(part.state);
          break;
        }
        await sleep(4 * (performance.now() - since), undefined, { signal, ref: false });
      }
      await sleep(every, undefined, { signal, ref: false });
    }
  };

  const work = async () => {
    while (!signal.aborted)
      try {
        return await watch();
      } catch (error) {
        if (!signal.aborted) log('error', 'database check failed', { error: describeError(error) });
        await sleep(every, undefined, { signal, ref: false }).catch(() => undefined);
      }
  };
  void work();
  return { end: () => ending.abort() };
}

function tell({ damage, dropped }: FileState): void {
  if (damage) log('error', 'database damaged', { damage });
  if (dropped) log('error', 'log of the database was incomplete', { dropped });
}
