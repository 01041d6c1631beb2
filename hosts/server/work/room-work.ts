import { setTimeout as sleep } from 'node:timers/promises';
import { type Background, inBackground } from '../../../lib/base/background.ts';
import { describeError, log } from '../../../lib/base/log.ts';
import type { RoomWork } from '../../../lib/delivery/room-work.ts';
import { onNotice } from '../../../lib/notices/notices.ts';

/**
 * Intervals in milliseconds: of the search for due rooms, of retries, and of the search for work
 * that a killed process has left.
 */
const stepMs = 500;
const retryEvery = 30_000;
const missedEvery = 600_000;

/**
 * Limits of rooms that a process works on concurrently. Work that takes longer than `quickMs` waits
 * for a slow receiver or push service. It then counts as slow, so that it does not delay other
 * rooms.
 */
const mostQuick = 4;
const mostSlow = 256;
const quickMs = 1_000;

/**
 * Runs work for rooms while the process serves: for the events that this process stores and, with
 * `isFirst`, for work that killed processes have left.
 */
export const workForRooms = (
  { delayMs, isWanted, run, retry, findMissed, failure }: RoomWork,
  { isFirst }: { isFirst: boolean },
): Background =>
  inBackground(async ({ signal, pause, attempt }) => {
    /** Rooms with new events, and when their work is due. */
    const due = new Map<string, number>();
    const running = new Set<Promise<void>>();
    const busy = new Set<string>();
    const quick = new Set<Promise<unknown>>();

    const stop = onNotice((notice) => {
      if (notice.type === 'moved' && !due.has(notice.room)) due.set(notice.room, performance.now() + delayMs);
    });

    const workOn = async (room: string) => {
      try {
        // More events remain, or another process has the room and may miss the newest ones.
        if ((await run(room, signal)) !== 'all') due.set(room, performance.now() + Math.max(delayMs, stepMs));
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
        // A room in progress stays in the queue, and is not processed twice at the same time.
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

    // Runs in parallel, because it may wait for slow receivers.
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
        await pause(stepMs);
      }
    } finally {
      stop();
      await Promise.all([...running, retrying]);
    }
  });
