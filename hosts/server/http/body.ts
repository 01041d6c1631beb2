import type { IncomingMessage } from 'node:http';
import { limits } from '../../../lib/api/limits.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import type { Share } from './memory-budget.ts';
import { createSemaphore } from './semaphore.ts';

/** Whether a request has a body at all. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/** The most that is kept of the body of a request, in bytes: enough for an operation to see that it is too large. */
export const mostKeptOf = ({ handler: { operations = {} } }: { handler: Partial<Handler> }, method = ''): number =>
  1 + (Object.hasOwn(operations, method) && operations[method]?.isForeign ? limits.foreignBody : limits.jsonBody);

/** How many bytes are reserved for a body that does not say how long it is, or says that it is longer. */
const reservedFirst = 8_192;

/** How many bodies are only counted at a time: a flood of them would keep the process from everything else. */
const counting = createSemaphore(2);

/** Lets a request wait until its turn to be counted has come, and cuts those whose turn does not come. */
async function countInTurn(request: IncomingMessage): Promise<void> {
  request.pause();
  if (!(await counting.acquire(limits.requestTime))) {
    request.destroy();
    return;
  }
  if (request.closed) counting.release();
  else request.once('close', () => counting.release()).resume();
}

/**
 * A request's body, of which no more is kept than an operation looks at: the rest is counted. Undefined, with the rest unread, when it is
 * larger than the gateway lets pass. Rejects when the connection breaks.
 */
export function readBody(request: IncomingMessage, share: Share, mostKept: number): Promise<Buffer | undefined> {
  const declared = Number(request.headers['content-length'] ?? reservedFirst);
  if (declared > limits.requestBody) return Promise.resolve(undefined);
  return new Promise((resolve, reject) => {
    let body = Buffer.alloc(0);
    let size = 0;

    // One buffer, because chunks may be as small as their sender likes.
    const reserve = (bytes: number) => {
      const larger = Buffer.allocUnsafeSlow(bytes);
      body.copy(larger);
      share.add(bytes - body.length);
      body = larger;
    };
    reserve(Math.min(declared, reservedFirst));

    request.on('data', (chunk: Buffer) => {
      if (size + chunk.length > limits.requestBody) {
        request.removeAllListeners('data').pause();
        resolve(undefined);
        return;
      }
      const needed = Math.min(size + chunk.length, mostKept);
      if (needed > body.length) reserve(Math.min(mostKept, Math.max(needed, 2 * body.length)));
      if (size < mostKept) chunk.copy(body, size);
      const wasKept = size <= mostKept;
      size += chunk.length;
      if (wasKept && size > mostKept) void countInTurn(request);
    });
    request.once('end', () => resolve(body.subarray(0, size)));
    request.once('error', reject);
  });
}
