import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { limits } from '../../../lib/api/limits.ts';
import type { ApiResponse } from '../../../lib/http/request.ts';

/** Sends a function's response as API Gateway does. Returns the bytes of the body. */
export function respond(response: ServerResponse, { statusCode, headers, cookies, body, isBase64Encoded }: ApiResponse): number {
  const payload = isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? '');
  const bytes = Buffer.byteLength(payload);
  response.writeHead(statusCode, addFields(headers, statusCode, cookies, bytes));
  response.end(payload);
  return bytes;
}

/** Sends a response whose body is streamed. */
export function respondStream(response: ServerResponse, { statusCode, headers }: ApiResponse, stream: () => Readable): void {
  response.writeHead(statusCode, headers);
  pipeline(stream(), response).catch(() => response.destroy());
}

/** Approximate bytes of a stream that are in memory. */
export const bytesOfStream = 131_072;

/** Milliseconds that a client has to read a final response before its connection is cut. */
const longestEnd = 2_000;

/**
 * Sends a response on a socket for which Node.js has not created a response object, and ends the
 * connection.
 */
export function respondRaw(socket: IncomingMessage['socket'], { statusCode, headers, body = '' }: ApiResponse): void {
  const all = {
    ...addFields(headers, statusCode, undefined, Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${body}`);
  // The client may leave its half open.
  setTimeout(() => socket.destroy(), longestEnd).unref();
}

/** True if Lambda would accept the response, whose JSON form is limited. */
export function isWithinLimit(response: ApiResponse): boolean {
  // Escaping JSON as a JSON string at most doubles its length.
  if ((response.body?.length ?? 0) < limits.response / 4) return true;
  return Buffer.byteLength(JSON.stringify(response)) <= limits.response;
}

/** Adds the headers that a gateway adds to a function's response. */
function addFields(
  headers: Record<string, string | number | string[]>,
  status: number,
  cookies: string[] | undefined,
  bytes: number,
) {
  if (cookies) headers['Set-Cookie'] = cookies;
  // For HEAD, the handler has set the length of GET's body.
  if (status !== 204) headers['Content-Length'] ??= bytes;
  return headers;
}
