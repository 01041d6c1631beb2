import { expect, it } from 'vitest';
import { createTurns } from '../../../hosts/server/semaphore.ts';

it('lets so many run at once, and the next in the order in which they came', async () => {
  const turns = createTurns(2);
  const order: string[] = [];
  const run = async (name: string) => {
    expect(await turns.take(60_000)).toBe(true);
    order.push(name);
  };
  await Promise.all([run('a'), run('b')]);
  const others = [run('c'), run('d'), run('e')];
  await Promise.resolve();
  expect(order).toEqual(['a', 'b']);
  turns.giveBack();
  await others[0];
  expect(order).toEqual(['a', 'b', 'c']);
  turns.giveBack();
  turns.giveBack();
  await Promise.all(others);
  expect(order).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('sends away who has waited long enough, and gives the turn to another', async () => {
  const turns = createTurns(1);
  expect(turns.take(1)).toBe(true);
  expect(await turns.take(1)).toBe(false);
  const patient = turns.take(60_000);
  turns.giveBack();
  expect(await patient).toBe(true);
  turns.giveBack();
  expect(turns.take(1)).toBe(true);
});
