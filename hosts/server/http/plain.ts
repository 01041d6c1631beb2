import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../../lib/base/errors.ts';
import { rejectWith } from '../../../lib/http/base-chain.ts';

/**
 * True for an HTTP/1.1 request with at most one Host header. Node.js takes the first of two hosts,
 * but a proxy may have taken the last. Node.js also accepts HTTP/0.9, which lacks headers.
 */
export const isPlain = ({ httpVersionMajor, rawHeaders }: IncomingMessage): boolean =>
  httpVersionMajor === 1 && countHosts(rawHeaders) < 2;

function countHosts(rawHeaders: readonly string[]): number {
  let hosts = 0;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}

/** Responds to requests that are not plain. */
export const ambiguous = rejectWith(
  () =>
    new HttpError(400, {
      title: 'Bad request',
      description: 'The request must be HTTP/1.1 with one Host header.',
      code: 'bad_request',
    }),
);
