import { Collection } from 'mongodb';
import { afterAll, vi } from 'vitest';

/*
 * A process that dies at one of its steps: it has done that, and does not know it, and does nothing more.
 */

/** How many random lives of processes a test tries; at night more. */
export const deathRuns = Number(process.env.DEATH_RUNS ?? 40);

let steps = 0;
let death: number | undefined;

/** Does a step of a process that may die. */
export async function step<T>(work: () => Promise<T>): Promise<T> {
  const at = steps++;
  if (death !== undefined && at > death) throw new Error('dead');
  const done = await work();
  if (at === death) throw new Error('dead');
  return done;
}

/** Does work as a process that dies at a step, if it comes so far; returns whether it did. */
export async function dyingAt(at: number | undefined, work: () => Promise<unknown>): Promise<boolean> {
  [steps, death] = [0, at];
  await work();
  const isDead = at !== undefined && steps > at;
  [steps, death] = [0, undefined];
  return isDead;
}

/** Makes each write of these collections a step. */
export function countWritesOf(...names: string[]): void {
  for (const method of ['updateOne', 'insertOne', 'findOneAndUpdate'] as const) {
    // biome-ignore lint/suspicious/noExplicitAny: the methods of the driver, of which each has its own parameters
    const original = Collection.prototype[method] as (...parameters: any[]) => Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: likewise
    vi.spyOn(Collection.prototype, method).mockImplementation(function (this: Collection, ...parameters: any[]) {
      const work = () => original.apply(this, parameters);
      return names.includes(this.collectionName) ? step(work) : work();
    } as never);
  }
  afterAll(() => vi.restoreAllMocks());
}
