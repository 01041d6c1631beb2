import { Collection } from 'mongodb';
import { afterAll, vi } from 'vitest';
import type { Service } from '../../tools/harness/service.ts';

/** How often a test kills: in CI, and at most. `KILLS` sets the number, 200 at night. */
type Kills = { inCi: number; atMost?: number };

/**
 * The kill tests of the service: a component dies at a moment, and another one continues. Nothing
 * acknowledged may be lost or doubled. `packages/embedded-mongodb` has its own, of the database.
 */
const matrix = {
  'the only server, while a room is in use': { inCi: 2, atMost: 50 },
  'one of two workers, while a room is in use': { inCi: 2, atMost: 50 },
  // Each kill adds messages, and one request reads all of them.
  'a server, while two people write': { inCi: 2, atMost: 20 },
  'a server, during uploads': { inCi: 2 },
  'each of three servers, while people follow rooms': { inCi: 1, atMost: 4 },
  'a process that notifies, at a push or later': { inCi: 3 },
} satisfies Record<string, Kills>;

/** The number of kills of a test. */
export function countKills(test: keyof typeof matrix): number {
  const { inCi, atMost = Number.POSITIVE_INFINITY }: Kills = matrix[test];
  return Math.min(Number(process.env.KILLS ?? inCi), atMost);
}

/** Kills a server, and waits until its processes have ended. */
export async function kill(service: Service): Promise<void> {
  service.signal('SIGKILL');
  await service.ended;
}

/*
 * Simulated deaths, which are cheaper and reach every moment: a process dies at one of its steps.
 * It may have completed this step, and does no further one.
 */

/** The number of random lives that a test tries. */
export const randomLives = 5 * Number(process.env.KILLS ?? 8);

/** A death at the step with this number. */
export type Death = { at: number; isDone: boolean };

let steps = 0;
let death: Death | undefined;
let isDead = false;

/** Does a step of a process that may die. */
export async function step<T>(work: () => Promise<T>): Promise<T> {
  if (isDead) throw new Error('dead');
  if (steps++ !== death?.at) return work();
  isDead = true;
  if (death.isDone) await work();
  throw new Error('dead');
}

/** Does work as a process that may die. Returns true if it has died. */
export async function dyingAt(at: Death | number | undefined, work: () => Promise<unknown>): Promise<boolean> {
  [steps, death, isDead] = [0, typeof at === 'number' ? { at, isDone: true } : at, false];
  await work();
  const hasDied = isDead;
  [death, isDead] = [undefined, false];
  return hasDied;
}

/** Makes each write of these collections a step. */
export function countWritesOf(names: string[], methods: readonly WriteMethod[] = singleWrites): void {
  for (const method of methods) {
    // biome-ignore lint/suspicious/noExplicitAny: each method has its own
    const original = Collection.prototype[method] as (...parameters: any[]) => Promise<any>;
    // biome-ignore lint/suspicious/noExplicitAny: likewise
    vi.spyOn(Collection.prototype, method).mockImplementation(function (this: Collection, ...parameters: any[]) {
      const work = () => original.apply(this, parameters);
      return names.includes(this.collectionName) ? step(work) : work();
    } as never);
  }
  afterAll(() => vi.restoreAllMocks());
}

type WriteMethod = (typeof allWrites)[number];
const singleWrites = ['updateOne', 'insertOne', 'findOneAndUpdate'] as const;
export const allWrites = [...singleWrites, 'insertMany', 'updateMany', 'deleteOne'] as const;
