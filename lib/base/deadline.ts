import { AsyncLocalStorage } from 'node:async_hooks';
import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { serviceUnavailable } from './errors.ts';

// The deadline of the current request, on the clock of `performance.now()`.
const deadlines = new AsyncLocalStorage<number>();

// The number of requests in progress.
let requests = 0;

/**
 * Returns true if this process works on several requests: then others probably need the same data.
 */
export const isShared = (): boolean => requests > 1;

/**
 * When requests last overlapped: two in progress at the same time, or begun in the same turn of the
 * event loop.
 */
let metAt = Number.NEGATIVE_INFINITY;
let lastTurn = -1;

/** After an overlap, another is likely within this time, in milliseconds. */
const meetingMs = 50;

/**
 * Returns true if this process works on one request and none overlapped with another lately: then
 * batching has nothing to wait for. The overlap counts, because in a busy process each request may
 * be done within one turn and look alone.
 */
export function isAlone(): boolean {
  if (requests !== 1 || answersInTurn >= mostAnswersInTurn) return false;
  if (!isTurnScheduled) setImmediate(startTurn);
  isTurnScheduled = true;
  if (performance.now() - metAt <= meetingMs) return false;
  answersInTurn++;
  return true;
}

/**
 * How often the answer may be true in one turn of the event loop. Without a limit, a loop of
 * database calls would run on without a turn, and nothing else would.
 */
const mostAnswersInTurn = 24;
let answersInTurn = 0;
let isTurnScheduled = false;

function startTurn(): void {
  isTurnScheduled = false;
  answersInTurn = 0;
}

function countRequest(): void {
  requests++;
  const { loopCount } = performance.nodeTiming.uvMetricsInfo;
  if (requests > 1 || loopCount === lastTurn) metAt = performance.now();
  lastTurn = loopCount;
}

function end(): void {
  if (requests > 1) metAt = performance.now();
  requests--;
}

/**
 * Does a request's work, but rejects with a 503 at `deadline` (on the clock of
 * `performance.now()`).
 */
export function withDeadline<T>(deadline: number, work: () => Promise<T>): Promise<T> {
  const isWhole = deadlineOfRequest() === undefined;
  if (isWhole) countRequest();
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

/**
 * The deadline of the current request, on the clock of `performance.now()`; undefined outside a
 * request.
 */
export const deadlineOfRequest = (): number | undefined => deadlines.getStore();

/** Does work on behalf of several requests, with the latest of their deadlines. */
export const withLatestDeadline = <T>(all: (number | undefined)[], work: () => T): T =>
  deadlines.run(Math.max(...all.map((deadline) => deadline ?? Number.POSITIVE_INFINITY)), work);

/**
 * Completes work that has begun, even after the request's deadline. The caller no longer waits for
 * it, but it must not be left half done.
 */
export const regardlessOfDeadline = <T>(work: () => T): T => deadlines.run(Number.POSITIVE_INFINITY, work);

/** The maximum number of attempts, or of milliseconds. The request's deadline always applies. */
type AttemptLimit = { times: number; milliseconds?: number } | { times?: number; milliseconds: number };

/** How an operation is retried. */
type Attempts = AttemptLimit & {
  /** The milliseconds to wait after an attempt, counted from 1; or a promise to wait for. */
  pause?: (attempt: number) => number | Promise<unknown>;
  /** The error to throw when every attempt has failed. */
  exhausted?: () => Error;
};

/**
 * Tries until there is a result other than undefined. Gives up at the limit, or at the request's
 * deadline. Every loop that waits for another process uses this function.
 */
export async function attempt<T>(
  { times = Number.POSITIVE_INFINITY, milliseconds = Number.POSITIVE_INFINITY, pause, exhausted = serviceUnavailable }: Attempts,
  tryOnce: (attempt: number) => Promise<T | undefined>,
): Promise<T> {
  const end = Math.min(performance.now() + milliseconds, deadlineOfRequest() ?? Number.POSITIVE_INFINITY);
  for (let count = 1; count === 1 || (count <= times && performance.now() < end); count++) {
    const result = await tryOnce(count);
    if (result !== undefined) return result;
    const wait = pause?.(count);
    if (wait !== undefined) await (typeof wait === 'number' ? delay(wait) : wait);
  }
  throw exhausted();
}
