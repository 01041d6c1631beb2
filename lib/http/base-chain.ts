import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import { config } from '../config.ts';
import { type HttpError, notFound } from '../errors.ts';
import { accessLog } from './middleware/access-log.ts';
import { compression } from './middleware/compression.ts';
import { cors } from './middleware/cors.ts';
import { errors } from './middleware/errors.ts';
import { requestId } from './middleware/request-id.ts';
import { responseSize } from './middleware/response-size.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import type { Operations } from './operation.ts';
import type { ApiEvent, ApiResponse, Handler } from './request.ts';

/*
 * What every path has, and no more: nothing here knows a database, so that the functions without one load no driver.
 */

/** The handler of every path that is nobody else's: 404, whoever asks. */
export const noSuchPath = (): Handler => refuse(() => notFound('path'));

/** A handler that refuses all that it gets, with an answer that is decorated like every other. */
export const refuse = (refusal: (requestId: string) => HttpError): Handler =>
  asHandler(
    decorated('OPTIONS').handler(({ requestId }) => {
      throw refusal(requestId);
    }),
    {},
  );

/** The steps that stand above all that may refuse: what they add is on every answer. */
export function decorated(allow: string, { isUnavailable, ...plugin }: Surroundings = {}) {
  return middy<ApiEvent, ApiResponse>({ timeoutEarlyInMillis: 0, ...accessLog, ...plugin })
    .use(httpHeaderNormalizer())
    .use(requestId())
    .use(securityHeaders())
    .use(cors({ origins: config.corsOrigins, allow }))
    .use(responseSize())
    .use(compression())
    .use(errors({ isUnavailable }));
}

/** What may watch the steps, and which errors say that what an operation needs is out of reach (none, if not said). */
export type Surroundings = { beforeMiddleware?: (name: string) => void; isUnavailable?: (error: unknown) => boolean };

/** The chain as Lambda calls it: what the gateway hands over is all it needs from outside, the rest of its event its own steps add. */
export const asHandler = (chain: object, operations: Operations) => Object.assign(chain, { operations }) as unknown as Handler;
