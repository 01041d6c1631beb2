import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { limits } from '../../../lib/api/limits.ts';
import type { ApiResponse } from '../../../lib/http/request.ts';

/** Sends what a function returned, as API Gateway does; returns how many bytes the body has. */
export function respond(response: ServerResponse, { statusCode, headers, cookies, body, isBase64Encoded }: ApiResponse): number {
  const payload = isBase64Encoded ? Buffer.from(body ?? '', 'base64') : (body ?? '');
  const bytes = Buffer.byteLength(payload);
  response.writeHead(statusCode, addFields(headers, statusCode, cookies, bytes));
  response.end(payload);
  return bytes;
}

/** Sends what a function answers with while it reads it. */
export function respondStream(response: ServerResponse, { statusCode, headers }: ApiResponse, stream: () => Readable): void {
  response.writeHead(statusCode, headers);
  pipeline(stream(), response).catch(() => response.destroy());
}

/** About how many bytes of a stream are in memory. */
export const bytesOfStream = 131_072;

/** For how many milliseconds a client may read an answer after which its connection ends, before the connection is cut. */
const longestEnd = 2_000;

/** Sends a response on a connection for whose request Node.js has no response object, and ends the connection. */
export function respondRaw(socket: IncomingMessage['socket'], { statusCode, headers, body = '' }: ApiResponse): void {
  const all = {
    ...addFields(headers, statusCode, undefined, Buffer.byteLength(body)),
    Date: new Date().toUTCString(),
    Connection: 'close',
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${statusCode} ${STATUS_CODES[statusCode]}\r\n${lines.join('')}\r\n${body}`);
  // A client need not end its half.
  setTimeout(() => socket.destroy(), longestEnd).unref();
}

/** Whether Lambda would take the response: it counts the characters of its JSON. */
export function isWithinLimit(response: ApiResponse): boolean {
  // A body of JSON at most doubles when it becomes a string of JSON.
  if ((response.body?.length ?? 0) < limits.response / 4) return true;
  return Buffer.byteLength(JSON.stringify(response)) <= limits.response;
}

/** Adds the fields that a gateway adds to the headers of a function's response. */
function addFields(
  headers: Record<string, string | number | string[]>,
  status: number,
  cookies: string[] | undefined,
  bytes: number,
) {
  if (cookies) headers['Set-Cookie'] = cookies;
  // Of an answer to HEAD, it is the length of the body that GET would get.
  if (status !== 204) headers['Content-Length'] ??= bytes;
  return headers;
}
