import { idempotent, type Operations } from './contract.ts';
import { ChatError } from './errors.ts';
import { type RetrySettings, retrying } from './retry.ts';

/** The service's address, the caller's token, and how often requests are retried. */
export type CallSettings = {
  /** For example `https://chat.example.org`, or `''` in a page on the service's own origin. */
  baseUrl: string;
  /**
   * A token, or a function that returns the current one. A page on the service's own origin can
   * rely on the session cookie instead.
   */
  token?: string | (() => string | undefined);
  fetch?: (request: Request) => Promise<Response>;
  retry?: Partial<RetrySettings>;
};

const methods = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'] as const;
type Method = (typeof methods)[number];

/** The paths that have an operation of this method. */
export type PathOf<M extends Method> = keyof Operations extends infer Key
  ? Key extends `${M} ${infer Path}`
    ? Path
    : never
  : never;

/**
 * The options of a call: the parameters and the body of its operation, the format of the response,
 * and the options of `fetch`.
 */
export type CallOptions<Operation> = Omit<RequestInit, 'body' | 'headers' | 'method'> &
  ParametersOf<Pick<Operation, keyof Operation & ('path' | 'query' | 'header')>> &
  Pick<Operation, keyof Operation & 'body'> & { headers?: Record<string, string>; parseAs?: 'json' | 'text' | 'blob' | 'stream' };

type ParametersOf<All> = Record<string, never> extends All ? { params?: All } : { params: All };

/** The result of a call: its data, or its error. */
export type Answer<Operation extends { data: unknown; error: unknown }> =
  | { data: Operation['data']; error?: never; response: Response }
  | { data?: never; error: Operation['error']; response: Response };

type Call<M extends Method> = <Path extends PathOf<M>>(
  path: Path,
  ...options: Record<string, never> extends CallOptions<Of<M, Path>>
    ? [options?: CallOptions<Of<M, Path>>]
    : [options: CallOptions<Of<M, Path>>]
) => Promise<Answer<Of<M, Path>>>;

type Of<M extends Method, Path extends string> = Operations[`${M} ${Path}` & keyof Operations];

/** The calls of the API (`GET`, `POST`, ... by path). */
export type Calls = { [M in Method]: Call<M> };

/** Creates calls that add the token and an `Idempotency-Key`, and are retried if that is safe. */
export function createCalls({ baseUrl, token, ...others }: CallSettings): Calls {
  const base = baseUrl.replace(/\/$/, '');
  const send = sender(others);
  const callWith =
    (method: Method) =>
    async (path: string, options: AnyOptions = {}) => {
      const { params = {}, body, headers, parseAs = 'json', ...init } = options;
      const isBytes = body instanceof Blob;
      const request = new Request(base + addressOf(path, params), {
        // The service never redirects, and `fetch` would send the token to the target of another
        // server's redirect.
        redirect: 'error',
        ...init,
        method,
        ...(isBytes ? { body } : body !== undefined && { body: JSON.stringify(body) }),
      });
      const value = typeof token === 'function' ? token() : token;
      const given = {
        ...(body !== undefined && !isBytes && { 'Content-Type': 'application/json' }),
        ...((idempotent as readonly string[]).includes(`${method} ${path}`) && { 'Idempotency-Key': randomKey() }),
        ...defined(params.header),
        ...defined(headers),
        ...(value !== undefined && { 'X-Auth-Token': value }),
      };
      for (const [name, text] of Object.entries(given)) request.headers.set(name, text as string);
      const response = await send(request).catch((cause) => {
        // Otherwise an unreachable address would be a `TypeError: fetch failed`. If the caller
        // aborts, the error of `fetch` is kept.
        throw request.signal.aborted ? cause : new ChatError(0, undefined, { address: new URL(request.url).origin, cause });
      });
      if (!response.ok) return { error: errorIn(await response.text()), response };
      if (parseAs === 'stream') return { data: response.body, response };
      return { data: parseAs === 'json' ? parse(await response.text()) : await response[parseAs](), response };
    };
  return Object.fromEntries(methods.map((method) => [method, callWith(method)])) as unknown as Calls;
}

type AnyOptions = Omit<CallOptions<unknown>, 'params'> & {
  body?: unknown;
  params?: { path?: Values; query?: Values; header?: Record<string, string | undefined> };
};

type Values = Record<string, unknown>;

/** The path with its parameters and the query, without undefined values. */
function addressOf(path: string, { path: parts = {}, query = {} }: NonNullable<AnyOptions['params']>): string {
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(parts[name])));
  const given = Object.entries(defined(query)) as [string, string][];
  return given.length === 0 ? filled : `${filled}?${new URLSearchParams(given)}`;
}

/** The values that are neither undefined nor null. */
const defined = (values: Values = {}): Values => Object.fromEntries(Object.entries(values).filter(([, value]) => value != null));

const parse = (text: string): unknown => (text === '' ? undefined : JSON.parse(text));

// A proxy may answer with its own page, which is not JSON.
function errorIn(text: string): unknown {
  try {
    return parse(text);
  } catch {
    return text;
  }
}

/** Sends a request, which is retried if that is safe. */
export type Send = (request: Request) => Promise<Response>;

/** A function that sends requests without adding anything to them. */
export const sender = ({ fetch = globalThis.fetch, retry = {} }: Pick<CallSettings, 'fetch' | 'retry'>): Send =>
  retrying((request) => fetch(request), { attempts: 4, firstWait: 500, ...retry });

/** 128 random bits in hexadecimal. */
export const randomKey = () =>
  // `crypto.randomUUID` exists only in secure contexts, so not on a page over plain http in a LAN.
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('');
