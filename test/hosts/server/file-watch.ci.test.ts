import { setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { watchFile } from '../../../hosts/server/work/file-watch.ts';

/**
 * Simulates the answers of a database with several parts of one page; it fails at the named calls.
 * The file of a test has one part.
 */
function aFileOf(pages: number, ...failing: number[]) {
  const asked: number[] = [];
  const check = async (from: number) => {
    if (failing.includes(asked.push(from) - 1)) throw new Error('the database is busy');
    return { pages, next: (from + 1) % pages, state: {} };
  };
  return { asked, check };
}
const parts = Array.from({ length: 24 }, (_, at) => at);
const every = 2_000;

it('the file is looked at as a whole after the start, and then in parts', async () => {
  const { asked, check } = aFileOf(24);
  const { end } = watchFile({ after: 0, every, check });
  await expect.poll(() => asked.length, { timeout: 20_000 }).toBe(24);
  await expect.poll(() => asked, { timeout: 20_000 }).toEqual([...parts, 0]);
  await end();
});

it.each([
  ['at its first part', 0, [0]],
  ['in the middle', 3, [0, 1, 2, 3]],
])('the file is looked at as a whole in the next round if the look after the start failed %s', async (_when, failing, before) => {
  const { asked, check } = aFileOf(24, failing);
  const { end } = watchFile({ after: 0, every, check });
  await expect.poll(() => asked, { timeout: 20_000 }).toEqual(before);
  // In parts it would take 24 of these.
  await sleep(every);
  await expect.poll(() => asked, { timeout: 5 * every }).toEqual([...before, ...parts]);
  await end();
});
