import { expect, it } from 'vitest';
import { oneAtATime } from '../../../lib/base/turns.ts';

it('oneAtATime runs the work of one key one after the other, and refuses work that would wait too long', async () => {
  const inTurn = oneAtATime(1);
  const ends: (() => void)[] = [];
  const started: string[] = [];
  const work = (name: string) => () => {
    started.push(name);
    return new Promise<string>((resolve) => ends.push(() => resolve(name)));
  };
  const [first, second] = [inTurn('ann', work('first')), inTurn('ann', work('second'))];
  await expect(inTurn('ann', work('third'))).rejects.toMatchObject({ status: 429, headers: { 'Retry-After': '1' } });
  const other = inTurn('bob', work('other'));
  await Promise.resolve();
  expect(started).toEqual(['first', 'other']);
  ends[0]?.();
  expect(await first).toBe('first');
  expect(started).toEqual(['first', 'other', 'second']);
  ends[1]?.();
  ends[2]?.();
  expect(await Promise.all([second, other])).toEqual(['second', 'other']);
  await expect(inTurn('ann', () => Promise.reject(new Error('it failed')))).rejects.toThrow('it failed');
  expect(await inTurn('ann', async () => 'next')).toBe('next');
});
