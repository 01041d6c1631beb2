import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceUnavailable } from './errors.ts';

// The deadline of the request that the current work belongs to, on the clock of `performance.now()`.
const deadlines = new AsyncLocalStorage<number>();

// How many requests are being worked on.
let requests = 0;

/** Whether this process works on several requests now, so that what one of them asks for another is likely to ask for as well. */
export const isShared = (): boolean => requests > 1;

/** Requests have met if two of them were at work at the same time, or began in the same turn of the event loop. */
let metAt = Number.NEGATIVE_INFINITY;
let lastTurn = -1;

/** For how many milliseconds after requests have met they are likely to meet again. */
const meetingMs = 50;

/**
 * Whether this process works on one request, and none has met another lately: then there is nobody to wait for. The
 * requests of a busy process must not all take themselves for the only one, because each of them is done in one turn.
 */
export const isAlone = (): boolean => requests === 1 && performance.now() - metAt > meetingMs;

function begin(): void {
  requests++;
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  if (requests > 1 || loopCount === lastTurn) metAt = performance.now();
  lastTurn = loopCount;
}

function end(): void {
  if (requests > 1) metAt = performance.now();
  requests--;
}

/** Does a request's work, but waits for it no longer than until `deadline` (of `performance.now()`): 503 from then on. */
export function withDeadline<T>(deadline: number, work: () => Promise<T>): Promise<T> {
  const isWhole = deadlineOfRequest() === undefined;
  if (isWhole) begin();
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(serviceUnavailable()), deadline - performance.now());
    const ending =
      <V>(settle: (value: V) => void) =>
      (value: V) => {
        if (isWhole) end();
        clearTimeout(timer);
        settle(value);
      };
    deadlines.run(deadline, work).then(ending(resolve), ending(reject));
  });
}

/** When the time of the current request is up, on the clock of `performance.now()`; undefined outside a request. */
export const deadlineOfRequest = (): number | undefined => deadlines.getStore();

/** Does work for several requests together: it has as much time as the last of them. */
export const withLatestDeadline = <T>(all: (number | undefined)[], work: () => T): T =>
  deadlines.run(Math.max(...all.map((deadline) => deadline ?? Number.POSITIVE_INFINITY)), work);

/**
 * Completes work that has begun, even if the request's time runs out meanwhile. By then nobody waits for it, but it
 * is done.
 */
export const regardlessOfDeadline = <T>(work: () => T): T => deadlines.run(Number.POSITIVE_INFINITY, work);

/** How often, or for how many milliseconds, to try at most; the request's deadline holds in any case. */
type AttemptLimit = { times: number; milliseconds?: number } | { times?: number; milliseconds: number };

/** How an operation is repeated. */
type Attempts = AttemptLimit & {
  /** How many milliseconds to wait after the given attempt, counted from 1. */
  pause?: (attempt: number) => number;
  /** The error to throw when every attempt has failed. */
  exhausted?: () => Error;
};

/**
 * Tries until there is a result other than undefined. Gives up after a bounded number of times, or when the request
 * has no time left for another try. Every loop that waits for another process to finish or to stop interfering is one
 * of these.
 */
export async function attempt<T>(
  { times = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY, pause, exhausted = serviceUnavailable }: Attempts,
  tryOnce: (attempt: number) => Promise<T | undefined>,
): Promise<T> {
  const end = Math.min(performance.now() + milliseconds, deadlineOfRequest() ?? Number.POSITIVE_INFINITY);
  for (let count = 1; count === 1 || (count <= times && performance.now() < end); count++) {
    const result = await tryOnce(count);
    if (result !== undefined) return result;
    if (pause) await delay(pause(count));
  }
  throw exhausted();
}
