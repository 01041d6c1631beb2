import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { withDeadline } from '../../../lib/base/deadline.ts';
import { batch, batchByKey, fulfilled, loader, singleFlight } from '../../../lib/database/batching.ts';

/** Work that ends when the test says so. */
function controlledWork<I, O>() {
  const started: { items: I[]; end: (results: PromiseSettledResult<O>[]) => void; fail: (error: Error) => void }[] = [];
  const work = (items: I[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<PromiseSettledResult<O>[]>();
    started.push({ items, end: resolve, fail: reject });
    return promise;
  };
  return { started, work };
}

describe('a batch', () => {
  it('a batch contains the calls of one turn, and the next batch contains the calls that came meanwhile', async () => {
    const { started, work } = controlledWork<string, string>();
    const join = batch(work);
    const first = [join('a'), join('b')];
    await nextTurn();
    expect(started.map(({ items }) => items)).toEqual([['a', 'b']]);
    const second = [join('c'), join('c')];
    await nextTurn();
    expect(started).toHaveLength(1);
    started[0]?.end([fulfilled('A'), fulfilled('B')]);
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await expect.poll(() => started.length).toBe(2);
    expect(started[1]?.items).toEqual(['c', 'c']);
    started[1]?.end([fulfilled('C1'), fulfilled('C2')]);
    expect(await Promise.all(second)).toEqual(['C1', 'C2']);
  });

  it('a batch contains the calls of several turns while the process works on several requests', async () => {
    const { started, work } = controlledWork<string, string>();
    const join = batch(work);
    const other = Promise.withResolvers<void>();
    const requests = [aRequest(() => other.promise), aRequest(() => join('a'))];
    await nextTurn();
    requests.push(aRequest(() => join('b')));
    await expect.poll(() => started.length).toBe(1);
    expect(started[0]?.items).toEqual(['a', 'b']);
    started[0]?.end([fulfilled('A'), fulfilled('B')]);
    other.resolve();
    expect(await Promise.all(requests)).toEqual([undefined, 'A', 'B']);
    const alone = aRequest(() => join('c'));
    await nextTurn();
    started[1]?.end([fulfilled('C')]);
    expect(await alone).toBe('C');
  });

  it('a batch lets each item fail by itself', async () => {
    const join = batch(async (items: number[]) => Promise.allSettled(items.map(async (item) => 1 / (item || failing('zero')))));
    expect(await Promise.allSettled([join(1), join(0), join(2)])).toEqual([
      fulfilled(1),
      { status: 'rejected', reason: new Error('zero') },
      fulfilled(0.5),
    ]);
  });

  it('a batch fails for all of its items when its work fails, and for none of the next batch', async () => {
    const { started, work } = controlledWork<string, string>();
    const join = batch(work);
    const failed = Promise.allSettled([join('a'), join('b')]);
    await nextTurn();
    const next = join('c');
    started[0]?.fail(new Error('down'));
    expect(await failed).toEqual(Array.from({ length: 2 }, () => ({ status: 'rejected', reason: new Error('down') })));
    await expect.poll(() => started.length).toBe(2);
    started[1]?.end([fulfilled('C')]);
    expect(await next).toBe('C');
  });

  it('a batch is not blocked by a batch that hangs', async () => {
    const { started, work } = controlledWork<string, string>();
    const join = batch(work);
    const hanging = join('a');
    await nextTurn();
    const next = join('b');
    await expect.poll(() => started.length).toBe(2);
    started[1]?.end([fulfilled('B')]);
    expect(await next).toBe('B');
    started[0]?.end([fulfilled('A')]);
    expect(await hanging).toBe('A');
    const last = join('c');
    await expect.poll(() => started.length).toBe(3);
    started[2]?.end([fulfilled('C')]);
    expect(await last).toBe('C');
  });

  it('a batch does not wait for batches of another key', async () => {
    const { started, work } = controlledWork<string, string>();
    const join = batchByKey(work);
    const joined = [join('x', 'a'), join('y', 'b'), join('x', 'c')];
    await nextTurn();
    expect(started.map(({ items }) => items)).toEqual([['a', 'c'], ['b']]);
    started[1]?.end([fulfilled('B')]);
    expect(await joined[1]).toBe('B');
    started[0]?.end([fulfilled('A'), fulfilled('C')]);
    expect(await Promise.all(joined)).toEqual(['A', 'B', 'C']);
  });
});

it('a loader looks up each key of a batch once', async () => {
  const asked: string[][] = [];
  const find = loader(async (keys) => {
    asked.push(keys);
    return new Map([['a', 'A']]);
  });
  expect(await Promise.all([find('a'), find('none'), find('a')])).toEqual(['A', undefined, 'A']);
  expect(asked).toEqual([['a', 'none']]);
});

it('singleFlight reads once for all concurrent callers, and always after they asked', async () => {
  let now = 0;
  let reads = 0;
  const read = singleFlight<number>();
  const readNow = () =>
    read('now', async () => {
      reads++;
      return now;
    });
  const early = [readNow(), readNow()];
  await nextTurn();
  now = 1;
  expect(await Promise.all([...early, readNow(), readNow()])).toEqual([0, 0, 1, 1]);
  expect(reads).toBe(2);
});

const aRequest = <T>(work: () => Promise<T>): Promise<T> => withDeadline(performance.now() + 10_000, work);

function failing(message: string): never {
  throw new Error(message);
}
