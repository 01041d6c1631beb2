/** The number of attempts of a request, and the delay between them. */
export type RetrySettings = {
  /** The most attempts of a request. */
  attempts: number;
  /**
   * The first delay, in milliseconds. Each further one is twice as long. A `Retry-After` takes
   * precedence.
   */
  firstWait: number;
};

/**
 * A `fetch` that retries if that is safe: after a temporary refusal, or after a lost response if
 * the request is repeatable.
 */
export function retrying(fetch: (request: Request) => Promise<Response>, { attempts, firstWait }: RetrySettings): typeof fetch {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts;
      try {
        const response = await fetch(request.clone());
        if (isLast || !shouldRetry(request, response)) return response;
        await response.body?.cancel();
        await delay(retryAfterMillis(response) ?? firstWait * 2 ** (attempt - 1), request.signal);
      } catch (error) {
        if (isLast || request.signal.aborted || !isRepeatable(request)) throw error;
        await delay(firstWait * 2 ** (attempt - 1), request.signal);
      }
    }
  };
}

/** Waits. If the signal aborts, rejects with its reason. */
export function delay(milliseconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, milliseconds);
    if (signal?.aborted) abort();
    else signal?.addEventListener('abort', abort, { once: true });
  });
}

// After a 429 nothing was done. After the others the request may have been executed.
const shouldRetry = (request: Request, { status }: Response) =>
  status === 429 || ((status === 502 || status === 503 || status === 504) && isRepeatable(request));

const isRepeatable = ({ method, headers }: Request) => !['POST', 'PATCH'].includes(method) || headers.has('Idempotency-Key');

function retryAfterMillis({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1000 : undefined;
}
