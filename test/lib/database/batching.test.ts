import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { andThen, batch, batchByKey, fulfilled, loader, singleFlight } from '../../../lib/database/batching.ts';

/** Work that is done when the test says so. */
function someWork<I, O>() {
  const begun: { items: I[]; end: (results: PromiseSettledResult<O>[]) => void; fail: (error: Error) => void }[] = [];
  const work = (items: I[]) => {
    const { promise, resolve, reject } = Promise.withResolvers<PromiseSettledResult<O>[]>();
    begun.push({ items, end: resolve, fail: reject });
    return promise;
  };
  return { begun, work };
}

describe('what is done together', () => {
  it('goes at once with what comes in the same turn, and then with all that came meanwhile', async () => {
    const { begun, work } = someWork<string, string>();
    const join = batch(work);
    const first = [join('a'), join('b')];
    await turn();
    expect(begun.map(({ items }) => items)).toEqual([['a', 'b']]);
    const second = [join('c'), join('c')];
    await turn();
    expect(begun).toHaveLength(1);
    begun[0]?.end([fulfilled('A'), fulfilled('B')]);
    expect(await Promise.all(first)).toEqual(['A', 'B']);
    await turn();
    expect(begun[1]?.items).toEqual(['c', 'c']);
    begun[1]?.end([fulfilled('C1'), fulfilled('C2')]);
    expect(await Promise.all(second)).toEqual(['C1', 'C2']);
  });

  it('fails each for itself', async () => {
    const join = batch(async (items: number[]) => Promise.allSettled(items.map(async (item) => 1 / (item || failing('zero')))));
    expect(await Promise.allSettled([join(1), join(0), join(2)])).toEqual([
      fulfilled(1),
      { status: 'rejected', reason: new Error('zero') },
      fulfilled(0.5),
    ]);
  });

  it('fails for all of a batch when the batch does, and for none of the next', async () => {
    const { begun, work } = someWork<string, string>();
    const join = batch(work);
    const failed = Promise.allSettled([join('a'), join('b')]);
    await turn();
    const next = join('c');
    begun[0]?.fail(new Error('down'));
    expect(await failed).toEqual(Array.from({ length: 2 }, () => ({ status: 'rejected', reason: new Error('down') })));
    await turn();
    begun[1]?.end([fulfilled('C')]);
    expect(await next).toBe('C');
  });

  it('is not held up by a batch that hangs', async () => {
    const { begun, work } = someWork<string, string>();
    const join = batch(work);
    const hanging = join('a');
    await turn();
    const next = join('b');
    await expect.poll(() => begun.length).toBe(2);
    begun[1]?.end([fulfilled('B')]);
    expect(await next).toBe('B');
    begun[0]?.end([fulfilled('A')]);
    expect(await hanging).toBe('A');
    const last = join('c');
    await expect.poll(() => begun.length).toBe(3);
    begun[2]?.end([fulfilled('C')]);
    expect(await last).toBe('C');
  });

  it('waits for nothing under another key', async () => {
    const { begun, work } = someWork<string, string>();
    const join = batchByKey(work);
    const joined = [join('x', 'a'), join('y', 'b'), join('x', 'c')];
    await turn();
    expect(begun.map(({ items }) => items)).toEqual([['a', 'c'], ['b']]);
    begun[1]?.end([fulfilled('B')]);
    expect(await joined[1]).toBe('B');
    begun[0]?.end([fulfilled('A'), fulfilled('C')]);
    expect(await Promise.all(joined)).toEqual(['A', 'B', 'C']);
  });
});

it('what went well goes on together, and what failed keeps its place', async () => {
  const failed: PromiseSettledResult<number> = { status: 'rejected', reason: new Error('zero') };
  const results = [fulfilled(1), failed, fulfilled(2)];
  const asked: number[][] = [];
  const doubled = await andThen(results, async (values) => {
    asked.push(values);
    return values.map((value) => fulfilled(2 * value));
  });
  expect(doubled).toEqual([fulfilled(2), failed, fulfilled(4)]);
  expect(asked).toEqual([[1, 2]]);
  const down = { status: 'rejected', reason: new Error('down') };
  expect(await andThen(results, () => Promise.reject(new Error('down')))).toEqual([down, failed, down]);
  expect(await andThen([failed], () => failing('nothing is left to go on with'))).toEqual([failed]);
});

it('what is looked up in batches is looked up once each', async () => {
  const asked: string[][] = [];
  const find = loader(async (keys) => {
    asked.push(keys);
    return new Map([['a', 'A']]);
  });
  expect(await Promise.all([find('a'), find('none'), find('a')])).toEqual(['A', undefined, 'A']);
  expect(asked).toEqual([['a', 'none']]);
});

it('what is shared is read once for all who ask meanwhile, and always after they asked', async () => {
  let now = 0;
  let reads = 0;
  const read = singleFlight<number>();
  const look = () =>
    read('now', async () => {
      reads++;
      return now;
    });
  const early = [look(), look()];
  await turn();
  now = 1;
  expect(await Promise.all([...early, look(), look()])).toEqual([0, 0, 1, 1]);
  expect(reads).toBe(2);
});

function failing(message: string): never {
  throw new Error(message);
}
