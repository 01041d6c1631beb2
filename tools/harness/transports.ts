import { randomUUID } from 'node:crypto';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { makeContext, makeEvent, type ReceivedRequest, splitTarget } from '../../hosts/server/http/event.ts';
import { loadHandler, matchRoutes, readRoutes } from '../../hosts/server/http/routes.ts';
import { takesBytes } from '../../hosts/server/http/uploads.ts';
import { limits } from '../../lib/api/limits.ts';

/**
 * A request, and the loopback address that it comes from. `body` is converted to JSON unless it is
 * a string or bytes.
 */
export type SentRequest = { token?: string | undefined; headers?: Record<string, string>; body?: unknown; source?: string };

/**
 * The response to a request. `body` is parsed JSON, otherwise text. Header names are in lower case.
 */
export type Reply = { status: number; headers: Record<string, string>; body: unknown };

/** Calls the service. All implementations give the same responses. */
export type Call = (method: string, path: string, sent?: SentRequest) => Promise<Reply>;

/**
 * Calls the function of a path in `serverless.yml` in this process, with the event that API Gateway
 * would create (payload 2.0).
 */
export const inProcess: Call = async (method, path, sent = {}) => {
  const { handler, event, context } = await invocation(method, path, sent);
  const response = await handler(event(), context);
  // The gateway drops the body of a response to HEAD.
  const sentBody = method === 'HEAD' ? '' : (response.body ?? '');
  const bytes = response.stream
    ? await buffer(response.stream())
    : Buffer.from(sentBody, response.isBase64Encoded ? 'base64' : 'utf8');
  const { cookies } = response;
  return reply(response.statusCode, { ...response.headers, ...(cookies && { 'set-cookie': cookies }) }, bytes);
};

const findRoute = matchRoutes(readRoutes());

/**
 * The function that API Gateway would invoke, and its arguments. Each invocation needs a new event,
 * because the function may modify it.
 */
export async function invocation(method: string, target: string, sent: SentRequest = {}) {
  const { path, query } = splitTarget(target);
  const match = findRoute(method, path);
  const { headers, body } = prepare(sent);
  const received: ReceivedRequest = {
    id: randomUUID(),
    at: Date.now(),
    source: sent.source ?? '127.0.0.1',
    path,
    query,
    body: body === undefined || body.length === 0 ? undefined : Buffer.from(body),
  };
  const handler = await loadHandler(match.route);
  if (takesBytes({ ...match, handler }, method)) received.bytes = Readable.from(received.body ? [received.body] : []);
  const message = { method, rawHeaders: Object.entries(headers).flat(), httpVersion: '1.1' };
  return {
    name: match.route.name,
    handler,
    event: () => makeEvent(message, received, match),
    context: makeContext(received, match, limits.functionTime),
  };
}

/** Milliseconds after which a call without a response fails. No gateway allows as much. */
const longestWait = 60_000;

/** Calls a running service over HTTP. Adds no headers that the caller did not specify. */
export const overHttp =
  (baseUrl: string, timeout = longestWait): Call =>
  (method, path, sent = {}) =>
    new Promise((resolve, reject) => {
      const { headers, body } = prepare(sent);
      const length: Record<string, string> = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
      const request = baseUrl.startsWith('https:') ? requestHttps : requestHttp;
      const outgoing = request(
        baseUrl,
        { path, method, headers: { ...headers, ...length }, agent: false, localAddress: sent.source, timeout },
        (incoming) =>
          buffer(incoming)
            .then((bytes) => reply(incoming.statusCode ?? 0, incoming.headers, bytes))
            .then(resolve, reject),
      );
      outgoing.on('timeout', () => outgoing.destroy(Object.assign(new Error('No answer came in time.'), { code: 'ETIMEDOUT' })));
      outgoing.on('error', reject);
      outgoing.end(body);
    });

function prepare({ token, headers = {}, body }: SentRequest) {
  const isReady = body === undefined || typeof body === 'string' || body instanceof Uint8Array;
  const json = isReady ? (body as string | Uint8Array | undefined) : JSON.stringify(body);
  const all: Record<string, string> = {
    ...(token !== undefined && { 'x-auth-token': token }),
    ...(body !== undefined && { 'content-type': 'application/json' }),
    ...headers,
  };
  return { headers: all, body: json };
}

function reply(status: number, raw: Record<string, unknown>, bytes: Buffer): Reply {
  const headers = Object.fromEntries(Object.entries(raw).map(([name, value]) => [name.toLowerCase(), String(value)]));
  const plain = decoders[headers['content-encoding'] ?? '']?.(bytes) ?? bytes;
  const isJson = headers['content-type']?.startsWith('application/json') && plain.length > 0;
  return { status, headers, body: isJson ? JSON.parse(plain.toString()) : plain.toString() };
}

const decoders: Record<string, (bytes: Buffer) => Buffer> = { br: brotliDecompressSync, gzip: gunzipSync };
