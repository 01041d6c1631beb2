import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { inBackground } from '../../../lib/base/background.ts';

it('background work ends during a pause as soon as it is stopped', async () => {
  const done: string[] = [];
  const { end } = inBackground(async ({ pause }) => {
    done.push('before');
    await pause(3_600_000);
    done.push('after');
  });
  const begun = performance.now();
  await end();
  expect(done).toEqual(['before']);
  expect(performance.now() - begun).toBeLessThan(60_000);
});

it('work in the background ends after the step that is under way, and does not begin another', async () => {
  const done: string[] = [];
  const { end } = inBackground(async ({ pause, attempt }) => {
    for (;;) {
      await attempt('a step failed', async () => {
        done.push('begun');
        await sleep(20);
        done.push('finished');
      });
      await pause(0);
    }
  });
  await end();
  expect(done).toEqual(['begun', 'finished']);
});

it('work in the background goes on after a step that failed', async () => {
  const done: number[] = [];
  const { end } = inBackground(async ({ attempt }) => {
    for (const step of [1, 2, 3])
      await attempt('a step failed', async () => {
        if (step === 2) throw new Error('no');
        done.push(step);
      });
  });
  await expect.poll(() => done).toEqual([1, 3]);
  await end();
});

it('work in the background waits for longer than a timer of Node.js can, without going on at once', async () => {
  const done: string[] = [];
  const { end } = inBackground(async ({ pause }) => {
    await pause(2 ** 40);
    done.push('after');
  });
  await sleep(20);
  expect(done).toEqual([]);
  await end();
});
