import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Handler } from '../../../lib/http/operation.ts';
import { createSemaphore } from './semaphore.ts';

/** Whether the body of a request goes to its operation as it comes, and is kept nowhere. */
export const takesBytes = ({ handler: { operations = {} } }: { handler: Partial<Handler> }, method = ''): boolean =>
  Object.hasOwn(operations, method) && operations[method]?.takesBytes === true;

/** How many uploads run at a time in a process, and how many of one caller: a browser has six connections. */
const most = 64;
const mostOfOne = 6;

const running = new Map<string, number>();
let all = 0;

/** Begins an upload of a caller; returns what ends it, or undefined where there are too many. */
export function beginUpload(caller: string): (() => void) | undefined {
  const own = running.get(caller) ?? 0;
  if (all >= most || own >= mostOfOne) return undefined;
  all++;
  running.set(caller, own + 1);
  return () => {
    all--;
    const left = (running.get(caller) ?? 1) - 1;
    if (left > 0) running.set(caller, left);
    else running.delete(caller);
  };
}

/** A sender has so many milliseconds, and one more for each so many bytes: 16 kB a second, less than any network that people bear. */
const usual = { patience: 30_000, bytesPerMillisecond: 16 };

/** How long an upload of so many bytes may take at most. */
export const longestUpload = (bytes: number, { patience, bytesPerMillisecond } = usual): number =>
  patience + bytes / bytesPerMillisecond;

/** One part of one body is hashed and written at a time, so that short requests have their turn between two parts. */
const turns = createSemaphore(1);

/** The body of a request as it comes; fails when it comes too slowly. The request stays open for its answer. */
export async function* bodyOf(request: IncomingMessage, pace = usual): AsyncGenerator<Uint8Array> {
  const begun = performance.now();
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (let received = 0; ; ) {
    const ending = new AbortController();
    const left = longestUpload(received, pace) - (performance.now() - begun);
    const tooSlow = delay(Math.max(0, left), undefined, { signal: ending.signal }).then(
      () => Promise.reject(new Error('The body came too slowly.')),
      () => ({ done: true as const, value: undefined }),
    );
    const next = await Promise.race([chunks.next(), tooSlow]).finally(() => ending.abort());
    if (next.done) return;
    received += next.value.length;
    if (!(await turns.acquire(pace.patience))) throw new Error('The parts of other uploads were not stored in time.');
    try {
      yield next.value;
    } finally {
      turns.release();
    }
  }
}
