import { tooManyRequests } from './errors.ts';

/**
 * Runs the jobs of each key one after the other. At most `mostWaiting` may wait; further ones are
 * refused with 429.
 */
export function oneAtATime(mostWaiting: number): <T>(key: string, work: () => Promise<T>) => Promise<T> {
  const queues = new Map<string, { last: Promise<unknown>; length: number }>();

  return async (key, work) => {
    const queue = queues.get(key) ?? { last: Promise.resolve(), length: 0 };
    if (queue.length > mostWaiting) throw tooManyRequests(1);
    queues.set(key, queue);
    queue.length++;
    const done = queue.last.then(work, work);
    queue.last = done;
    try {
      return await done;
    } finally {
      queue.length--;
      if (queue.length === 0) queues.delete(key);
    }
  };
}
