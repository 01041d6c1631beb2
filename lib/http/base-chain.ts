import middy from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyEventV2, Context } from 'aws-lambda';
import Negotiator from 'negotiator';
import { type HttpError, notFound } from '../base/errors.ts';
import type { Page } from '../reference/page.ts';
import { config } from '../settings/config.ts';
import { refuseForeignEvent } from './foreign-events.ts';
import { accessLog } from './middleware/access-log.ts';
import { compression } from './middleware/compression.ts';
import { cors } from './middleware/cors.ts';
import { errors, type WhyUnavailable } from './middleware/errors.ts';
import { rateFields } from './middleware/rate-fields.ts';
import { requestId } from './middleware/request-id.ts';
import { responseSize } from './middleware/response-size.ts';
import { securityHeaders } from './middleware/security-headers.ts';
import { viewer } from './middleware/viewer.ts';
import type { Handler, Operations } from './operation.ts';
import { type ApiEvent, type ApiResponse, methodOf } from './request.ts';

/*
 * The middlewares of every path. Nothing here imports the database, so that functions without a
 * database load no driver.
 */

/** The handler for unknown paths: 404, with a page for browsers. */
export const noSuchPath = (findPage: () => Page): Handler =>
  toLambdaHandler(
    baseChain('OPTIONS').handler(async (event) => {
      if (!wantsPage(event)) throw notFound('path');
      const page = findPage();
      return { statusCode: 404, headers: pageHeaders(page), body: page.source };
    }),
    {},
  );

const wantsPage = (event: ApiEvent) =>
  methodOf(event) === 'GET' &&
  !/^\/api(\/|$)/.test(event.rawPath) &&
  // A client that accepts everything (`*/*`) gets the first type.
  new Negotiator({ headers: event.headers }).mediaType(['application/json', 'text/html']) === 'text/html';

/** The headers of an HTML page. */
export const pageHeaders = ({ policy }: Pick<Page, 'policy'>): Record<string, string> => ({
  'Content-Type': 'text/html; charset=utf-8',
  'Cache-Control': 'max-age=0, must-revalidate',
  'Content-Security-Policy': policy,
  'Cross-Origin-Opener-Policy': 'same-origin',
  Vary: 'Accept-Encoding',
});

/** A handler that rejects every request, with the headers of every other response. */
export const rejectWith = (refusal: (requestId: string) => HttpError): Handler =>
  toLambdaHandler(
    baseChain('OPTIONS').handler(({ requestId }) => {
      throw refusal(requestId);
    }),
    {},
  );

/** The outer middlewares: their headers are on every response, including refusals. */
export function baseChain(allow: string, { whyUnavailable, hasCodes, requestHeaders, ...plugin }: ChainOptions = {}) {
  return middy<ApiEvent, ApiResponse>({ timeoutEarlyInMillis: 0, ...accessLog, ...plugin })
    .use(httpHeaderNormalizer())
    .use(requestId())
    .use(config.cloudfrontSecrets.length > 0 ? [viewer(config.cloudfrontSecrets)] : [])
    .use(securityHeaders())
    .use(cors(allow, requestHeaders))
    .use(rateFields())
    .use(responseSize())
    .use(compression())
    .use(errors({ whyUnavailable, hasCodes }));
}

/**
 * The options of a chain: a hook before each middleware, the errors of unavailable dependencies
 * (default: none), and whether error bodies have codes (default: true). `requestHeaders` are
 * request headers that pages of other origins may send to this path alone.
 */
export type ChainOptions = {
  beforeMiddleware?: (name: string) => void;
  whyUnavailable?: WhyUnavailable;
  hasCodes?: boolean;
  requestHeaders?: string[];
};

/**
 * The chain as a Lambda handler: it gets the event of the gateway, and the chain adds the other
 * fields. Foreign events, including payload format 1.0, get an answer that both formats understand.
 */
export function toLambdaHandler(chain: object, operations: Operations): Handler {
  const handle = chain as Handler;
  const answer = async (event: APIGatewayProxyEventV2, context: Context): Promise<ApiResponse> =>
    event?.requestContext?.http && event.rawPath !== undefined ? handle(event, context) : refuseEvent(event, context);
  return Object.assign(answer, { operations });
}

const refuseEvent = (event: unknown, context: Context): ApiResponse => {
  const description = refuseForeignEvent('requests of an HTTP API with payload format 2.0', event, context);
  const body = JSON.stringify({ title: 'Bad request', description, code: 'foreign_event' });
  return { statusCode: 400, headers: { 'Content-Type': 'application/json' }, body };
};
