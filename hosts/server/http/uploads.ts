import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Handler } from '../../../lib/http/operation.ts';
import { createSemaphore } from './semaphore.ts';

/** True if the operation receives the body as a stream, which is not buffered. */
export const takesBytes = ({ handler: { operations = {} } }: { handler: Partial<Handler> }, method = ''): boolean =>
  Object.hasOwn(operations, method) && operations[method]?.takesBytes === true;

/** The concurrent uploads of a process and of one caller. A browser has six connections. */
const most = 64;
const mostOfOne = 6;

/** A running upload. `signal` is aborted if it must give way to another one. */
export type Upload = { caller: string; begun: number; received: number; signal: AbortSignal; abort: () => void };

const running = new Set<Upload>();

/** An upload gives way to a new one after this time, if it is slower than this pace. */
const slow = { afterMs: 5_000, bytesPerMs: 100 };

/** Begins an upload, which the caller must end; `undefined` if there are too many. */
export function beginUpload(caller: string, now = performance.now()): Upload | undefined {
  const own = [...running].filter((one) => one.caller === caller);
  if (own.length >= mostOfOne) return undefined;
  if (running.size >= most && !endSlowest(now)) return undefined;
  const ending = new AbortController();
  const upload = { caller, begun: now, received: 0, signal: ending.signal, abort: () => ending.abort() };
  running.add(upload);
  return upload;
}

export const endUpload = (upload: Upload): void => void running.delete(upload);

/** Aborts the slowest upload, if it is slow enough. Returns true if a place is free now. */
function endSlowest(now: number): boolean {
  const paceOf = ({ received, begun }: Upload) => received / (now - begun);
  const old = [...running].filter(({ begun }) => now - begun >= slow.afterMs);
  const slowest = old.sort((one, other) => paceOf(one) - paceOf(other))[0];
  if (!slowest || paceOf(slowest) >= slow.bytesPerMs) return false;
  running.delete(slowest);
  slowest.abort();
  return true;
}

/**
 * The time limit of a body: `patience` in milliseconds, plus its length at 16 kB a second, which
 * every usable network exceeds.
 */
const usual = { patience: 30_000, bytesPerMillisecond: 16 };

/** The time limit for receiving this many bytes, in milliseconds. */
export const longestUpload = (bytes: number, { patience, bytesPerMillisecond } = usual): number =>
  patience + bytes / bytesPerMillisecond;

/** Only one chunk is hashed and written at a time, so that short requests get a turn in between. */
const turns = createSemaphore(1);

/**
 * Yields the chunks of a request's body. Throws if they arrive too slowly. The request stays open
 * for its response.
 */
export async function* bodyOf(request: IncomingMessage, pace = usual, upload?: Upload): AsyncGenerator<Uint8Array> {
  const begun = performance.now();
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (let received = 0; ; ) {
    const ending = new AbortController();
    const given = Promise.withResolvers<never>();
    const giveWay = () => given.reject(new Error('The upload was too slow, and made room for another.'));
    if (upload?.signal.aborted) giveWay();
    upload?.signal.addEventListener('abort', giveWay, { once: true, signal: ending.signal });
    const left = longestUpload(received, pace) - (performance.now() - begun);
    const tooSlow = delay(Math.max(0, left), undefined, { signal: ending.signal }).then(
      () => Promise.reject(new Error('The body came too slowly.')),
      () => ({ done: true as const, value: undefined }),
    );
    const next = await Promise.race([chunks.next(), tooSlow, given.promise]).finally(() => ending.abort());
    if (next.done) return;
    received += next.value.length;
    if (upload) upload.received = received;
    if (!(await turns.acquire(pace.patience))) throw new Error('The parts of other uploads were not stored in time.');
    try {
      yield next.value;
    } finally {
      turns.release();
    }
  }
}
