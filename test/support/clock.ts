import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the clock shows another time: two requests can take less than a millisecond. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await sleep(1);
}
