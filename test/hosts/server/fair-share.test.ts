import { describe, expect, it } from 'vitest';
import { createFairShare } from '../../../hosts/server/http/fair-share.ts';

/** Callers on a simulated clock: each request keeps the process busy for some milliseconds. */
function aProcess() {
  let time = 0;
  const waits: number[] = [];
  const shares = createFairShare({
    now: () => time,
    wait: async (milliseconds) => {
      waits.push(milliseconds);
      time += milliseconds;
    },
  });
  return {
    waits,
    pass: (milliseconds: number) => {
      time += milliseconds;
    },
    ask: async (caller: string, busyFor: number) => {
      const request = await shares.begin(caller);
      if (!request) return 'refused';
      time += busyFor;
      request.end();
      return 'answered';
    },
    begin: (caller: string) => shares.begin(caller),
    now: () => time,
  };
}

describe('the fair share of a caller', () => {
  it('the fair share of a caller is everything while nobody else is there', async () => {
    const { ask, waits } = aProcess();
    for (let request = 0; request < 100; request++) await ask('ann', 50);
    expect(waits).toEqual([]);
  });

  it('the fair share of a caller is a third of the time while others are there', async () => {
    const { ask, now } = aProcess();
    const start = now();
    let busy = 0;
    while (now() - start < 60_000) {
      await ask('bob', 0);
      await ask('ann', 50);
      busy += 50;
    }
    expect(busy / (now() - start)).toBeCloseTo(1 / 3, 1);
  });

  it('the fair share of a caller does not delay occasional requests, even if others send many', async () => {
    const { ask, waits, pass } = aProcess();
    for (let request = 0; request < 100; request++) {
      const before = waits.length;
      await ask('bob', 5);
      expect(waits.length).toBe(before);
      await ask('ann', 500);
      pass(100);
    }
  });

  it('the fair share of a caller recovers while the caller is silent, and absent callers do not count', async () => {
    const { ask, waits, pass } = aProcess();
    await ask('bob', 1);
    for (let request = 0; request < 20; request++) await ask('ann', 50);
    expect(waits.length).toBeGreaterThan(0);
    pass(20_000);
    const before = waits.length;
    for (let request = 0; request < 100; request++) await ask('ann', 50);
    expect(waits.length).toBe(before);
  });

  it('the fair share of a caller is four requests at a time while others are there', async () => {
    const { ask, begin } = aProcess();
    await ask('bob', 1);
    const started: (() => void)[] = [];
    const all = Array.from({ length: 10 }, async () => {
      const request = await begin('ann');
      if (request) started.push(request.end);
    });
    await expect.poll(() => started.length).toBe(4);
    expect(await ask('bob', 1)).toBe('answered');
    for (let ended = 0; ended < 10; ended++) {
      await expect.poll(() => started.length).toBeGreaterThan(ended);
      started[ended]?.();
    }
    await Promise.all(all);
  });

  it('the fair share of a caller is charged 100 ms at most for a request, because a slow database is not its fault', async () => {
    const { ask, begin, pass, waits } = aProcess();
    await ask('bob', 1);
    const running = await Promise.all(Array.from({ length: 4 }, () => begin('ann')));
    pass(1_000);
    for (const request of running) request?.end();
    await ask('ann', 0);
    // 400 ms are charged and 300 are the credit. A third of the clock refills it.
    expect(waits).toEqual([expect.closeTo(300)]);
  });

  it('the fair share of a caller excludes the time in which a request waits for another server', async () => {
    const { ask, begin, pass, waits } = aProcess();
    await ask('bob', 1);
    for (let request = 0; request < 20; request++) {
      const running = await begin('ann');
      running?.pause();
      pass(50);
      running?.resume();
      running?.end();
    }
    expect(waits).toEqual([]);
  });

  it('the fair share of a caller counts requests that wait for another server, but none that left', async () => {
    const { begin } = aProcess();
    await begin('bob');
    const running = await Promise.all(Array.from({ length: 4 }, () => begin('ann')));
    for (const request of running) request?.pause();
    let isBegun = false;
    const next = Promise.resolve(begin('ann')).then(() => {
      isBegun = true;
    });
    await new Promise(setImmediate);
    expect(isBegun).toBe(false);
    running[0]?.leave();
    await next;
    expect(isBegun).toBe(true);
  });
});
