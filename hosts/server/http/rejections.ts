import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { limits } from '../../../lib/api/limits.ts';
import { HttpError, internalError, payloadTooLarge, serviceUnavailable } from '../../../lib/base/errors.ts';
import { rejectWith } from '../../../lib/http/base-chain.ts';
import type { Handler } from '../../../lib/http/operation.ts';
import { respondRaw } from './respond.ts';

/** Logs a request that cannot be parsed, and responds to it. */
export async function answerRaw(socket: Socket, handler: Handler): Promise<void> {
  const id = randomUUID();
  const http = { method: '', path: '', protocol: 'HTTP/1.1', sourceIp: socket.remoteAddress ?? '', userAgent: '' };
  const event = { rawPath: '', headers: {}, requestContext: { http } } as unknown as Parameters<Handler>[0];
  respondRaw(socket, await handler(event, { awsRequestId: id, functionName: 'gateway' } as Parameters<Handler>[1]));
}

export const tooLarge = rejectWith(() => payloadTooLarge(limits.requestBody));

export const busy = rejectWith(() => serviceUnavailable('The service is busy.'));

/** A handler for a function that cannot be loaded: an internal error. */
export const failWith = (error: unknown): Handler =>
  rejectWith(() => {
    throw error;
  });

export const responseTooLarge = rejectWith(internalError);

export const headersTooLarge = rejectWith(
  () =>
    new HttpError(431, {
      title: 'Request header fields too large',
      description: `The request line and the headers together must not exceed ${limits.headers} bytes.`,
      code: 'headers_too_large',
    }),
);

export const notHttp = rejectWith(
  () => new HttpError(400, { title: 'Bad request', description: 'The request is not HTTP/1.1.', code: 'bad_request' }),
);
