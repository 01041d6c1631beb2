import { expect, it } from 'vitest';
import { createFairQueue } from '../../../lib/base/fair-queue.ts';

/** A queue for one thread, whose jobs end when the test says so. */
function aQueue(limits = { mostOfPayer: 10, mostInAll: 100 }) {
  const queue = createFairQueue(['thread'], limits);
  const log: string[] = [];
  let endJob = () => {};
  const run = (payer: string, job: string, patienceMs = 60_000) =>
    queue
      .run(
        payer,
        patienceMs,
        () => new Error('refused'),
        () => {
          log.push(job);
          return new Promise<void>((resolve) => {
            endJob = resolve;
          });
        },
      )
      .catch(({ message }) => log.push(`${job} ${message}`));
  const finish = async (all: Promise<unknown>[]) => {
    let isDone = false;
    const done = Promise.all(all).then(() => {
      isDone = true;
    });
    while (!isDone) {
      endJob();
      await new Promise(setImmediate);
    }
    await done;
    return log;
  };
  return { run, finish, log };
}

it('payers take turns: one who asks once waits for one job of a payer with many', async () => {
  const { run, finish } = aQueue();
  const all = ['1', '2', '3', '4'].map((job) => run('ann', `ann ${job}`));
  all.push(run('bob', 'bob 1'), run('cid', 'cid 1'), run('bob', 'bob 2'));
  expect(await finish(all)).toEqual(['ann 1', 'ann 2', 'bob 1', 'cid 1', 'ann 3', 'bob 2', 'ann 4']);
});

it('a payer with too many waiting jobs is refused, and the others are not', async () => {
  const { run, finish, log } = aQueue({ mostOfPayer: 2, mostInAll: 100 });
  const all = ['1', '2', '3', '4'].map((job) => run('ann', `ann ${job}`));
  await all[3];
  expect(log).toEqual(['ann 1', 'ann 4 refused']);
  all.push(run('bob', 'bob 1'));
  expect((await finish(all)).slice(2)).toEqual(['ann 2', 'bob 1', 'ann 3']);
});

it('in a full queue, the payer with the most waiting jobs makes room for others', async () => {
  const { run, finish, log } = aQueue({ mostOfPayer: 10, mostInAll: 3 });
  const all = ['1', '2', '3'].map((job) => run('ann', `ann ${job}`));
  all.push(run('bob', 'bob 1'), run('cid', 'cid 1'));
  await all[2];
  await run('dan', 'dan 1');
  expect(log).toEqual(['ann 1', 'ann 3 refused', 'dan 1 refused']);
  expect((await finish(all)).slice(3)).toEqual(['ann 2', 'bob 1', 'cid 1']);
});

it('a job that is not begun in time is refused, and never begins', async () => {
  const { run, finish, log } = aQueue();
  const all = [run('ann', 'ann 1'), run('ann', 'ann 2', 1), run('bob', 'bob 1', 1)];
  await Promise.all(all.slice(1));
  expect(log).toEqual(['ann 1', 'ann 2 refused', 'bob 1 refused']);
  all.push(run('bob', 'bob 2'));
  expect((await finish(all)).slice(3)).toEqual(['bob 2']);
});
