import { expect, it } from 'vitest';
import { workForRooms } from '../../../hosts/server/work/room-work.ts';

it('rooms whose receivers hang delay the work for no other room', async () => {
  const slow = Array.from({ length: 20 }, (_, at) => `slow ${at}`);
  // More than a process works on concurrently.
  const others = Array.from({ length: 300 }, (_, at) => `other ${at}`);
  const done: string[] = [];
  const ending = Promise.withResolvers<void>();
  const { end } = workForRooms(
    {
      delayMs: 0,
      isWanted: async () => true,
      run: async (room: string) => {
        if (room.startsWith('slow')) await ending.promise;
        done.push(room);
        return 'all';
      },
      retry: async () => undefined,
      findMissed: async () => [...slow, ...others],
      failure: 'the work failed',
    },
    { isFirst: true },
  );
  await expect.poll(() => done, { timeout: 20_000 }).toEqual(others);
  ending.resolve();
  await expect.poll(() => done.length).toBe(320);
  await end();
});
