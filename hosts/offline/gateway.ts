import { subscribe } from 'node:diagnostics_channel';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Puts right what serverless-offline, and hapi beneath it, do otherwise than API Gateway. */
export function likeApiGateway(): void {
  subscribe('http.server.request.start', (message) => {
    const { request, response } = message as { request: IncomingMessage; response: ServerResponse };
    correctRequest(request);
    const writeHead = response.writeHead.bind(response);
    response.writeHead = (status: number) => {
      correctResponse(response, status);
      return writeHead(status);
    };
  });
}

function correctRequest(request: IncomingMessage): void {
  // To a request with an origin it gives CORS headers of its own, with credentials. It looks for the origin in `headers`;
  // the function's event is made from `rawHeaders`.
  delete request.headers.origin;
  // It refuses cookies that are not as RFC 6265 has them.
  delete request.headers.cookie;
  // It takes a body without a Content-Type for JSON; this is what RFC 9110 (8.3) lets a recipient assume.
  const hasBody = Boolean(request.headers['content-length'] ?? request.headers['transfer-encoding']);
  if (hasBody && !request.headers['content-type']) request.rawHeaders.push('content-type', 'application/octet-stream');
  // It parses JSON, and hands over `null`, `false`, `0` and `""` as no body at all; text it decodes, whatever its bytes are.
  request.headers['content-type'] &&= 'multipart/form-data; boundary=none';
  request.url &&= correctTarget(request.url);
}

function correctTarget(target: string): string {
  const [path = '', ...query] = target.split('?');
  return [doubleLastSlash(escapeAgain(path)), ...query].join('?');
}

// It refuses an escape that is none.
function escapeAgain(path: string): string {
  try {
    decodeURIComponent(path);
    return path;
  } catch {
    return path.replaceAll('%', '%25');
  }
}

// It takes one slash off the end.
const doubleLastSlash = (path: string) => (path.length > 1 && path.endsWith('/') ? `${path}/` : path);

function correctResponse(response: ServerResponse, status: number): void {
  response.removeHeader('accept-ranges');
  // It adds this where a function says nothing.
  if (response.getHeader('cache-control') === 'no-cache') response.removeHeader('cache-control');
  // It adds `accept-encoding`, also where it is there, and where there is nothing to encode.
  const vary = String(response.getHeader('vary') ?? '').replace(/,?accept-encoding$/, '');
  if (vary) response.setHeader('vary', vary);
  else response.removeHeader('vary');
  if (Number(response.getHeader('content-length') ?? 1) === 0 || status === 204) response.removeHeader('content-type');
  // It adds a charset to JSON that has none, which only errors are.
  else if (status >= 400) response.setHeader('content-type', 'application/json');
}
