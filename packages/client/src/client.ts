import createClient, { type Client, type Middleware } from 'openapi-fetch';
import { connectionOf } from './connection.ts';
import { idempotent, type paths } from './contract.ts';
import { type Following, type FollowSettings, follow, type Live, type LiveSettings, live } from './follow.ts';
import { type RetrySettings, retrying } from './retry.ts';

/** The service's address, the caller's token, and how often requests are retried. */
export type ClientSettings = {
  /** For example `https://chat.example.org`; `''` in a page of the service's own origin. */
  baseUrl: string;
  /** A token, or a function that returns the current one. A page of the service's own origin may leave it to the session's cookie. */
  token?: string | (() => string | undefined);
  fetch?: (request: Request) => Promise<Response>;
  retry?: Partial<RetrySettings>;
  /** What makes WebSockets, where the platform has none (Node.js 20) or has another; `null` only ever polls. */
  WebSocket?: typeof globalThis.WebSocket | null;
};

/** The calls of the API (`GET`, `POST`, ... by path), and a way to follow a room. */
export type ChatClient = Client<paths> & {
  /** The events of a room after `after` (an event's `seq`), or from now on, until the caller stops iterating. */
  events: (room: string, settings?: FollowSettings) => Following;
  /** The news of all the caller's rooms: the events of each after its `seq` in `after`, or from now on. */
  live: (settings?: LiveSettings) => Live;
};

/** Creates a client that adds the token and an `Idempotency-Key`, and retries requests that are safe to repeat. */
export function createChatClient({
  baseUrl,
  token,
  fetch = globalThis.fetch,
  retry = {},
  ...options
}: ClientSettings): ChatClient {
  const settings = { attempts: 4, firstWait: 500, ...retry };
  // The service never redirects, and `fetch` would take the token along to wherever another server sends it.
  const safe = { baseUrl, redirect: 'error' } as const;
  const client = createClient<paths>({ ...safe, fetch: retrying((request) => fetch(request), settings) });
  client.use(authentication(token), idempotency);
  const { WebSocket = globalThis.WebSocket } = options;
  const chat = { client, connection: connectionOf(client, { baseUrl, WebSocket: WebSocket ?? undefined }) };
  return Object.assign(client, {
    events: (room: string, options?: FollowSettings) => follow(chat, room, options),
    live: (options?: LiveSettings) => live(chat, options),
  });
}

const authentication = (token: ClientSettings['token']): Middleware => ({
  onRequest({ request }) {
    const value = typeof token === 'function' ? token() : token;
    if (value !== undefined) request.headers.set('X-Auth-Token', value);
  },
});

const idempotency: Middleware = {
  onRequest({ request, schemaPath }) {
    const takesKey = (idempotent as readonly string[]).includes(`${request.method} ${schemaPath}`);
    if (takesKey && !request.headers.has('Idempotency-Key')) request.headers.set('Idempotency-Key', randomKey());
  },
};

// 128 random bits. `crypto.randomUUID` exists in secure contexts alone, and so not in a page on plain http in a LAN.
const randomKey = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
