import { setTimeout as sleep } from 'node:timers/promises';
import { describeError, log } from '../../lib/log.ts';
import { hasDevices, onNotice } from '../../lib/notices.ts';
import { tellReminders } from '../../lib/notifications/reminders.ts';
import { findMissed, patience, retryDevices, tellOfRoom } from '../../lib/notifications/tell.ts';

/** How often one looks for what is due, for what could not be told and reminders, and for what a process has left that died. */
const step = 500;
const retryEvery = 30_000;
const missedEvery = 600_000;

/** Of how many rooms one process tells at the same time. */
const atOnce = 4;

/**
 * Tells devices of messages while their pages are closed, as long as the process serves: of what this process stores,
 * and with `isFirst` also of reminders, and of what others have left that died.
 */
export function pushMeanwhile({ isFirst, wait = patience }: { isFirst: boolean; wait?: number }): { end: () => Promise<void> } {
  /** The rooms in which something happened, and when they are due. */
  const due = new Map<string, number>();
  const running = new Set<Promise<void>>();
  const ending = new AbortController();

  const stop = onNotice((notice) => {
    if (notice.type === 'moved' && !due.has(notice.room)) due.set(notice.room, performance.now() + wait);
  });

  const tell = async (room: string) => {
    try {
      // Another process tells of what was there when it began.
      if ((await tellOfRoom(room, ending.signal)) !== 'all') due.set(room, performance.now() + wait);
    } catch (error) {
      if (ending.signal.aborted) return;
      due.set(room, performance.now() + retryEvery);
      log('error', 'devices were not told', { room, error: describeError(error) });
    }
  };

  const tellDue = async () => {
    const ready = [...due].filter(([, at]) => at <= performance.now()).map(([room]) => room);
    if (ready.length === 0) return;
    if (!(await hasDevices())) {
      due.clear();
      return;
    }
    for (const room of ready) {
      if (running.size >= atOnce) await Promise.race(running);
      if (ending.signal.aborted) return;
      due.delete(room);
      const told = tell(room);
      running.add(told);
      void told.finally(() => running.delete(told));
    }
  };

  // Beside all else: it may take as long as push services do.
  let retrying: Promise<void> | undefined;
  const retry = () => {
    retrying ??= retryDevices(ending.signal)
      .then(() => tellReminders(ending.signal))
      .catch((error) => {
        if (!ending.signal.aborted) log('error', 'devices were not told', { error: describeError(error) });
      })
      .finally(() => {
        retrying = undefined;
      });
  };

  const lookForMissed = async () => {
    if (!isFirst || !(await hasDevices())) return;
    for (const room of await findMissed()) if (!due.has(room)) due.set(room, performance.now());
  };

  const run = async () => {
    let [retryAt, missedAt] = [0, 0];
    for (;;) {
      try {
        if (performance.now() >= missedAt) {
          missedAt = performance.now() + missedEvery;
          await lookForMissed();
        }
        if (performance.now() >= retryAt) {
          retryAt = performance.now() + retryEvery;
          if (isFirst) retry();
        }
        await tellDue();
      } catch (error) {
        log('error', 'devices were not told', { error: describeError(error) });
      }
      await sleep(step, undefined, { signal: ending.signal, ref: false });
    }
  };
  // It ends only when it is told to.
  const ended = run().catch(() => undefined);
  return {
    end: async () => {
      stop();
      ending.abort();
      await ended;
      await Promise.all([...running, retrying]);
    },
  };
}
