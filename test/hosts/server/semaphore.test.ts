import { expect, it } from 'vitest';
import { createSemaphore, type Rank } from '../../../hosts/server/http/semaphore.ts';

/** A semaphore whose slot is taken. `run` waits for it, and notes a name in `order`. */
function aHeldSemaphore() {
  const semaphore = createSemaphore(1);
  semaphore.acquire(60_000);
  const order: string[] = [];
  const run = async (name: string, rank: Rank) => {
    expect(await semaphore.acquire(60_000, rank)).toBe(true);
    order.push(name);
    semaphore.release();
  };
  return { semaphore, order, run };
}

it('a semaphore limits concurrent work, and admits waiting work in order', async () => {
  const semaphore = createSemaphore(2);
  const order: string[] = [];
  const run = async (name: string) => {
    expect(await semaphore.acquire(60_000)).toBe(true);
    order.push(name);
  };
  await Promise.all([run('a'), run('b')]);
  const others = [run('c'), run('d'), run('e')];
  await Promise.resolve();
  expect(order).toEqual(['a', 'b']);
  semaphore.release();
  await others[0];
  expect(order).toEqual(['a', 'b', 'c']);
  semaphore.release();
  semaphore.release();
  await Promise.all(others);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('a semaphore serves callers that resume before all others, in their order', async () => {
  const { semaphore, order, run } = aHeldSemaphore();
  const all = [run('a', 'other'), run('b', 'resumed'), run('c', 'resumed')];
  semaphore.release();
  await Promise.all(all);
  expect(order).toEqual(['b', 'c', 'a']);
});

it('a semaphore lets accounts and other callers take turns, even if many wait', async () => {
  const { semaphore, order, run } = aHeldSemaphore();
  const all = ['1', '2', '3', '4'].map((name) => run(name, 'other'));
  all.push(run('ann', 'account'), run('bob', 'account'));
  semaphore.release();
  await Promise.all(all);
  expect(order).toEqual(['ann', '1', 'bob', '2', '3', '4']);
});

it('a semaphore rejects a caller that has waited long enough, and passes the slot to another', async () => {
  const semaphore = createSemaphore(1);
  expect(semaphore.acquire(1)).toBe(true);
  expect(await semaphore.acquire(1)).toBe(false);
  const waiting = semaphore.acquire(60_000);
  semaphore.release();
  expect(await waiting).toBe(true);
  semaphore.release();
  expect(semaphore.acquire(1)).toBe(true);
});
