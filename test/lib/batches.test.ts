import { expect, it } from 'vitest';
import { inBatches } from '../../lib/batches.ts';

/** A question that is answered when the test says so. */
function aQuestion() {
  const asked: { keys: string[]; answer: (values: Record<string, string>) => void; fail: (error: Error) => void }[] = [];
  const find = inBatches<string>((keys) => {
    const { promise, resolve, reject } = Promise.withResolvers<Map<string, string>>();
    asked.push({ keys, answer: (values) => resolve(new Map(Object.entries(values))), fail: reject });
    return promise;
  });
  return { asked, find };
}

it('asks at once for the first, and then once for all who came meanwhile', async () => {
  const { asked, find } = aQuestion();
  const first = find('a');
  expect(asked.map(({ keys }) => keys)).toEqual([['a']]);
  const others = [find('a'), find('b'), find('b'), find('none')];
  expect(asked).toHaveLength(1);
  asked[0]?.answer({ a: 'old' });
  expect(await first).toBe('old');
  expect(asked.map(({ keys }) => keys)).toEqual([['a'], ['a', 'b', 'none']]);
  asked[1]?.answer({ a: 'new', b: 'B' });
  expect(await Promise.all(others)).toEqual(['new', 'B', 'B', undefined]);
});

it('tells all of a batch that it failed, and none of the next', async () => {
  const { asked, find } = aQuestion();
  const failed = Promise.allSettled([find('a')]);
  const next = find('a');
  asked[0]?.fail(new Error('down'));
  expect(await failed).toEqual([{ status: 'rejected', reason: new Error('down') }]);
  asked[1]?.answer({ a: 'A' });
  expect(await next).toBe('A');
});
