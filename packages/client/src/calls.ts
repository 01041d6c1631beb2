import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { idempotent, type paths } from './contract.ts';
import { ChatError } from './errors.ts';
import { type RetrySettings, retrying } from './retry.ts';

/** The service's address, the caller's token, and how often requests are retried. */
export type CallSettings = {
  /** For example `https://chat.example.org`; `''` in a page of the service's own origin. */
  baseUrl: string;
  /** A token, or a function that returns the current one. A page of the service's own origin may leave it to the session's cookie. */
  token?: string | (() => string | undefined);
  fetch?: (request: Request) => Promise<Response>;
  retry?: Partial<RetrySettings>;
};

/** The calls of the API (`GET`, `POST`, ... by path). */
export type Calls = Client<paths>;

/** Makes calls that add the token and an `Idempotency-Key`, and are retried when that is safe. */
export function createCalls({ baseUrl, token, ...others }: CallSettings): Calls {
  // The service never redirects, and `fetch` would take the token along to wherever another server sends it.
  const safe = { baseUrl, redirect: 'error' } as const;
  const calls = createClient<paths>({ ...safe, fetch: sender(others) });
  calls.use(authentication(token), idempotency, unanswered);
  return calls;
}

/** Sends a request, which is retried when that is safe. */
export type Send = (request: Request) => Promise<Response>;

/** What sends requests, and adds nothing to them. */
export const sender = ({ fetch = globalThis.fetch, retry = {} }: Pick<CallSettings, 'fetch' | 'retry'>): Send =>
  retrying((request) => fetch(request), { attempts: 4, firstWait: 500, ...retry });

const authentication = (token: CallSettings['token']): Middleware => ({
  onRequest({ request }) {
    const value = typeof token === 'function' ? token() : token;
    if (value !== undefined) request.headers.set('X-Auth-Token', value);
  },
});

// Without this, a dead address is a `TypeError: fetch failed`. What the caller aborts stays what `fetch` throws.
const unanswered: Middleware = {
  onError: ({ request, error }) =>
    request.signal.aborted ? undefined : new ChatError(0, undefined, { address: new URL(request.url).origin, cause: error }),
};

const idempotency: Middleware = {
  onRequest({ request, schemaPath }) {
    const takesKey = (idempotent as readonly string[]).includes(`${request.method} ${schemaPath}`);
    if (takesKey && !request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', randomKey());
  },
};

// 128 random bits. `crypto.randomUUID` exists in secure contexts alone, and so not in a page on plain http in a LAN.
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
