import { expect, it } from 'vitest';
import { createMemoryBudget } from '../../../hosts/server/http/memory-budget.ts';

it('a memory budget gives up the oldest unfinished uses until all fit', () => {
  const givenUp: string[] = [];
  const budget = createMemoryBudget(100);
  const begin = (name: string, bytes: number) => {
    const share = budget.begin(() => givenUp.push(name));
    share.add(bytes);
    return share;
  };
  begin('first', 40);
  const settled = begin('settled', 30);
  settled.settle();
  const third = begin('third', 20);
  expect(givenUp).toEqual([]);
  third.add(20);
  expect(givenUp).toEqual(['first']);
  begin('large', 60);
  expect(givenUp).toEqual(['first', 'third']);
  // Nothing is left to give up but the new one itself.
  begin('larger', 80);
  expect(givenUp).toEqual(['first', 'third', 'large', 'larger']);
  settled.release();
  settled.release();
  begin('fits', 100);
  expect(givenUp).toHaveLength(4);
});
