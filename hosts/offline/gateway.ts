import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';

/**
 * Corrects differences of serverless-offline, and hapi below it, from API Gateway. Hides the
 * requests that `answers` handles from the emulator.
 */
export function likeApiGateway(answers: (request: IncomingMessage, response: ServerResponse) => boolean): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response, server } = message as { request: IncomingMessage; response: ServerResponse; server: Server };
    if (answers(request, response)) {
      hide(request, server);
      return;
    }
    correctRequest(request);
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (status: number) => {
      correctResponse(response, status);
      return writeHead(status);
    };
  });
}

const hidden = new WeakSet<object>();
const hiding = new WeakSet<Server>();

/** Hides a request from the server's other listeners, which run after this one. */
function hide(request: IncomingMessage, server: Server): void {
  hidden.add(request);
  if (hiding.has(server)) return;
  hiding.add(server);
  const emit = server.emit.bind(server) as (name: string, ...values: unknown[]) => boolean;
  server.emit = (name: string, ...values: unknown[]) =>
    (name === 'request' && hidden.has(values[0] as object)) || emit(name, ...values);
}

function correctRequest(request: IncomingMessage): void {
  // hapi would add its own CORS headers, with credentials, to requests with an origin. It reads the
  // origin from `headers`; the function's event is created from `rawHeaders`.
  delete request.headers.origin;
  // hapi rejects requests with a cookie that violates RFC 6265.
  request.headers.cookie &&= request.headers.cookie.split(/; */).filter(isConforming).join('; ');
  // The emulator treats a body without a Content-Type as JSON. RFC 9110 (8.3) lets a recipient
  // assume `application/octet-stream`.
  const hasBody = Boolean(request.headers['content-length'] ?? request.headers['transfer-encoding']);
  if (hasBody && !request.headers['content-type']) request.rawHeaders.push('content-type', 'application/octet-stream');
  // With this type, JSON is not parsed, which would drop the bodies `null`, `false`, `0` and `""`.
  // Text is not decoded either, because it may not be UTF-8.
  request.headers['content-type'] &&= 'multipart/form-data; boundary=none';
  request.url &&= correctTarget(request.url);
}

const isConforming = (cookie: string) => /^[\w!#$%&'*+.^`|~-]+=[\x21\x23-\x2b\x2d-\x3a\x3c-\x5b\x5d-\x7e]*$/.test(cookie);

function correctTarget(target: string): string {
  const [path = '', ...query] = target.split('?');
  return [doubleLastSlash(escapeAgain(path)), ...query].join('?');
}

// hapi rejects malformed escapes.
function escapeAgain(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll('%', '%25');
  }
}

// hapi removes one trailing slash.
const doubleLastSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? `${path}/` : path);

function correctResponse(response: ServerResponse, status: number): void {
  response.removeHeader('accept-ranges');
  // hapi adds this header if a function sets none.
  if (response.getHeader('cache-control') === 'no-cache') response.removeHeader('cache-control');
  // hapi adds `accept-encoding` even if it is present, or if there is nothing to encode.
  const vary = String(response.getHeader('vary') ?? '').replace(/,?accept-encoding$/, '');
  if (vary) response.setHeader('vary', vary);
  else response.removeHeader('vary');
  if (Number(response.getHeader('content-length') ?? 1) === 0 || status === 204) response.removeHeader('content-type');
  // hapi adds a charset to JSON without one. Only errors lack one.
  else if (status >= 400) response.setHeader('content-type', 'application/json');
}
