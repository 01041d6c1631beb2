import type { IncomingMessage } from 'node:http';
import { HttpError } from '../../../lib/base/errors.ts';
import { rejectWith } from '../../../lib/http/base-chain.ts';

/**
 * Whether a request is HTTP/1.1 with at most one host. Node.js takes the first of two, where a proxy may have taken the last; and it takes
 * HTTP/0.9, which knows no headers.
 */
export const isPlain = ({ httpVersion, rawHeaders }: IncomingMessage) =>
  httpVersion.startsWith('1.') && rawHeaders.filter((name, at) => at % 2 === 0 && /^host$/i.test(name)).length < 2;

/** Answers every other request. */
export const ambiguous = rejectWith(
  () =>
    new HttpError(400, {
      title: 'Bad request',
      description: 'The request must be HTTP/1.1 with one Host header.',
      code: 'bad_request',
    }),
);
