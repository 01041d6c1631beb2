/** How often, and after which waits, a request is sent again. */
export type RetrySettings = {
  /** How often a request is sent at most. */
  attempts: number;
  /** The first wait, in milliseconds; each further one is twice as long. `Retry-After` is waited for in any case. */
  firstWait: number;
};

/** A `fetch` that sends a request again when that is safe: when it was refused for now, or got lost and can be repeated. */
export function retrying(fetch: (request: Request) => Promise<Response>, { attempts, firstWait }: RetrySettings): typeof fetch {
  return async (request) => {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt >= attempts;
      try {
        const response = await fetch(request.clone());
        if (isLast || !isWorthARetry(request, response)) return response;
        await response.body?.cancel();
        await delay(waitFor(response) ?? firstWait * 2 ** (attempt - 1), request.signal);
      } catch (error) {
        if (isLast || request.signal.aborted || !isRepeatable(request)) throw error;
        await delay(firstWait * 2 ** (attempt - 1), request.signal);
      }
    }
  };
}

/** Waits so many milliseconds, or until it is aborted, which it throws. */
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

// Too many requests: nothing was done. Unavailable, or lost on the way: it may have been done.
const isWorthARetry = (request: Request, { status }: Response) =>
  status === 429 || ((status === 502 || status === 503 || status === 504) && isRepeatable(request));

const isRepeatable = ({ method, headers }: Request) => !['POST', 'PATCH'].includes(method) || headers.has('Idempotency-Key');

function waitFor({ headers }: Response): number | undefined {
  const seconds = Number(headers.get('Retry-After') ?? Number.NaN);
  return seconds >= 0 ? seconds * 1000 : undefined;
}
