import { expect, it } from 'vitest';
import { withDeadline } from '../../../lib/base/deadline.ts';
import { rooms } from '../../../lib/collections/rooms/rooms.ts';
import { isEmbedded } from '../../support/worker.ts';

it.runIf(isEmbedded)('a request that makes many database calls lets the event loop go on', async () => {
  const calls = 2_000;
  let made = 0;
  let madeAtTurn: number | undefined;
  // The first call connects.
  await rooms.findOne({ name: 'none' });
  await withDeadline(performance.now() + 30_000, async () => {
    setImmediate(() => {
      madeAtTurn = made;
    });
    for (; made < calls; made++) await rooms.findOne({ name: 'none' });
  });
  expect(madeAtTurn).toBeLessThan(calls / 10);
});
