import type { IncomingMessage } from 'node:http';
import { limits } from '../../../lib/api/limits.ts';
import type { Handler, Operations } from '../../../lib/http/operation.ts';
import type { MemoryBudget, Share } from './memory-budget.ts';
import { createSemaphore } from './semaphore.ts';

/** True if a request has a body. */
export const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;

/**
 * The most that is kept of the body of a request, in bytes: enough for an operation to see that it
 * is too large.
 */
export const mostKeptOf = ({ handler: { operations = {} } }: { handler: Partial<Handler> }, method = ''): number =>
  1 + (Object.hasOwn(operations, method) && takesMore(operations[method]) ? limits.foreignBody : limits.jsonBody);

const takesMore = ({ isForeign, isRpc }: Partial<Operations[string]> = {}): boolean => Boolean(isForeign || isRpc);

/** How many bytes are reserved for a body of unknown length, or of more than that. */
const reservedFirst = 8_192;

/**
 * How many bodies are only counted at a time: a flood of them would keep the process from
 * everything else.
 */
const counting = createSemaphore(2);

/** Makes a request wait for its turn to be counted, and closes those that do not get one. */
async function countInTurn(request: IncomingMessage): Promise<void> {
  request.pause();
  if (!(await counting.acquire(limits.requestTime))) {
    request.destroy();
    return;
  }
  if (request.closed) counting.release();
  else request.once('close', () => counting.release()).resume();
}

/** A body in progress: its bytes, and the function that releases its memory. */
export type IncomingBody = {
  /**
   * The bytes; `too large`, with the rest unread, if they are more than the gateway lets pass;
   * `given up` if others need the memory. Rejects if the connection breaks.
   */
  read: Promise<Buffer | 'too large' | 'given up'>;
  release: () => void;
};

/** Reads the body of a request. It keeps as much as an operation reads, and counts the rest. */
export function beginBody(request: IncomingMessage, memory: MemoryBudget, mostKept: number): IncomingBody {
  let share: Share | undefined;
  let late: NodeJS.Timeout | undefined;
  const read = new Promise<Buffer | 'too large' | 'given up'>((resolve, reject) => {
    const declared = Number(request.headers['content-length'] ?? Number.NaN);
    if (declared > limits.requestBody) {
      resolve('too large');
      return;
    }
    const account = memory.begin(() => resolve('given up'));
    share = account;
    late = setTimeout(() => request.destroy(), limits.functionTime);
    let body: Buffer = nothing;
    let size = 0;

    // One buffer, because chunks may be as small as their sender likes.
    const reserve = (bytes: number) => {
      const larger = Buffer.allocUnsafeSlow(bytes);
      body.copy(larger);
      account.add(bytes - body.length);
      body = larger;
    };

    request.on('data', (chunk: Buffer) => {
      if (size + chunk.length > limits.requestBody) {
        request.removeAllListeners('data').pause();
        resolve('too large');
        return;
      }
      // Most bodies are short and arrive in one piece.
      if (chunk.length === declared && declared <= mostKept) {
        account.add(declared);
        body = chunk;
        size = declared;
        return;
      }
      if (size === 0) reserve(Math.min(declared || reservedFirst, reservedFirst));
      const needed = Math.min(size + chunk.length, mostKept);
      if (needed > body.length) reserve(Math.min(mostKept, Math.max(needed, 2 * body.length)));
      if (size < mostKept) chunk.copy(body, size);
      const wasKept = size <= mostKept;
      size += chunk.length;
      if (wasKept && size > mostKept) void countInTurn(request);
    });
    request.on('end', () => {
      clearTimeout(late);
      account.settle();
      resolve(body.length === size ? body : body.subarray(0, size));
    });
    request.on('error', reject);
  });
  return {
    read,
    release() {
      clearTimeout(late);
      share?.release();
    },
  };
}

const nothing = Buffer.alloc(0);
