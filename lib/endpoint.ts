import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import { config } from './config.ts';
import { before } from './deadline.ts';
import { type HttpError, notFound } from './errors.ts';
import { accessLog } from './middleware/access-log.ts';
import { adminOnly } from './middleware/admin-only.ts';
import { auth } from './middleware/auth.ts';
import { compression } from './middleware/compression.ts';
import { cors } from './middleware/cors.ts';
import { errors } from './middleware/errors.ts';
import { input } from './middleware/input.ts';
import { jsonBody } from './middleware/json-body.ts';
import { json, mediaType } from './middleware/media-type.ts';
import { method } from './middleware/method.ts';
import { permission } from './middleware/permission.ts';
import { requestId } from './middleware/request-id.ts';
import { responseSize } from './middleware/response-size.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { Answer, type Input, type Operations, operationFor } from './operation.ts';
import type { ApiEvent, ApiResponse, Authenticated, Handler } from './request.ts';

/**
 * The handler of one path: the life of a request, from top to bottom.
 * `decorated()` has what stands on every answer, here is what may refuse.
 */
export function endpoint(operations: Operations, plugin: Plugin = {}): Handler {
  const allow = [...Object.keys(operations), 'OPTIONS'].join(', ');

  const chain = decorated(allow, plugin)
    .use(auth(operations))
    .use(adminOnly(operations))
    .use(mediaType())
    .use(method({ operations, allow }))
    .use(permission(operations))
    .use(jsonBody(operations))
    .use(input(operations))
    .handler((event) => run(operationFor(operations, event), event));
  return asHandler(chain, operations);
}

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
export function decorated(allow: string, plugin: Plugin = {}) {
  return middy<ApiEvent, ApiResponse>({ timeoutEarlyInMillis: 0, ...accessLog, ...plugin })
    .use(httpHeaderNormalizer())
    .use(requestId())
    .use(securityHeaders())
    .use(cors({ origins: config.corsOrigins, allow }))
    .use(responseSize())
    .use(compression())
    .use(errors());
}

type Plugin = { beforeMiddleware?: (name: string) => void };

/** The chain as Lambda calls it: what the gateway hands over is all it needs from outside, the rest of its event its own steps add. */
export const asHandler = (chain: object, operations: Operations) => Object.assign(chain, { operations }) as unknown as Handler;

async function run(operation: Operations[string], event: ApiEvent & Authenticated & { input: Input }): Promise<ApiResponse> {
  const result = await before(event.deadline, operation.run({ ...event.input, caller: event.caller }));
  const { value, headers } = result instanceof Answer ? result : { value: result, headers: {} };
  if (operation.status === 204) return { statusCode: 204, headers: { 'Cache-Control': 'no-store', ...headers }, body: '' };
  return { statusCode: operation.status, headers: { ...success, ...headers }, body: JSON.stringify(value) };
}

/** What every answer with a body carries when all went well. */
export const success = {
  'Content-Type': json,
  'Cache-Control': 'max-age=86400, must-revalidate, no-store',
  Vary: 'Accept-Encoding',
};
