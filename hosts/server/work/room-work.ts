import { setTimeout as sleep } from 'node:timers/promises';
import { type Background, inBackground } from '../../../lib/base/background.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import type { RoomWork } from '../../../lib/delivery/room-work.ts';
import { onNotice } from '../../../lib/notices/notices.ts';

/** How often one looks for what is due, for what could not be done, and for what a process has left that died. */
const step = 500;
const retryEvery = 30_000;
const missedEvery = 600_000;

/**
 * For how many rooms one process works concurrently. A room whose work takes longer than `quickMs` waits for a receiver
 * or a push service that is slow: it counts among the slow ones from then on, so that it delays no other room.
 */
const mostQuick = 4;
const mostSlow = 256;
const quickMs = 1_000;

/**
 * Does something for rooms, as long as the process serves: for what this process stores, and with `isFirst` also for
 * what others have left that died.
 */
export const workForRooms = (
  { delayMs, isWanted, run, retry, findMissed, failure }: RoomWork,
  { isFirst }: { isFirst: boolean },
): Background =>
  inBackground(async ({ signal, pause, attempt }) => {
    /** The rooms in which something happened, and when they are due. */
    const due = new Map<string, number>();
    const running = new Set<Promise<void>>();
    const busy = new Set<string>();
    const quick = new Set<Promise<unknown>>();

    const stop = onNotice((notice) => {
      if (notice.type === 'moved' && !due.has(notice.room)) due.set(notice.room, performance.now() + delayMs);
    });

    const workOn = async (room: string) => {
      try {
        // Another process does what was there when it began.
        if ((await run(room, signal)) !== 'all') due.set(room, performance.now() + Math.max(delayMs, step));
      } catch (error) {
        if (signal.aborted) return;
        due.set(room, performance.now() + retryEvery);
        log('error', failure, { room, error: describeError(error) });
      }
    };

    const workOnDue = async () => {
      const ready = [...due].filter(([, at]) => at <= performance.now()).map(([room]) => room);
      if (ready.length === 0) return;
      if (!(await isWanted())) {
        due.clear();
        return;
      }
      for (const room of ready) {
        while (quick.size >= mostQuick) await Promise.race(quick);
        while (running.size >= mostSlow) await Promise.race(running);
        if (signal.aborted) return;
        // A room that is worked on keeps its place in the queue, and is not done twice.
        if (busy.has(room)) continue;
        due.delete(room);
        busy.add(room);
        const done = workOn(room).finally(() => {
          running.delete(done);
          busy.delete(room);
        });
        running.add(done);
        const isNoLongerQuick = Promise.race([done, sleep(quickMs, undefined, { ref: false })]).finally(() =>
          quick.delete(isNoLongerQuick),
        );
        quick.add(isNoLongerQuick);
      }
    };

    // Beside all else: it may take as long as those who are asked do.
    let retrying: Promise<void> | undefined;
    const tryAgain = () => {
      retrying ??= attempt(failure, () => retry(signal)).finally(() => {
        retrying = undefined;
      });
    };

    const lookForMissed = async () => {
      if (!isFirst || !(await isWanted())) return;
      for (const room of await findMissed()) if (!due.has(room)) due.set(room, performance.now());
    };

    let [retryAt, missedAt] = [0, 0];
    try {
      for (;;) {
        await attempt(failure, async () => {
          if (performance.now() >= missedAt) {
            missedAt = performance.now() + missedEvery;
            await lookForMissed();
          }
          if (performance.now() >= retryAt) {
            retryAt = performance.now() + retryEvery;
            if (isFirst) tryAgain();
          }
          await workOnDue();
        });
        await pause(step);
      }
    } finally {
      stop();
      await Promise.all([...running, retrying]);
    }
  });
