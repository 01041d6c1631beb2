import type { Readable } from 'node:stream';
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../identity/caller.ts';
import type { RateFields } from '../identity/write-rate.ts';

/** A request from API Gateway (payload 2.0), with the fields that the first middleware adds. */
export type ApiEvent = APIGatewayProxyEventV2 & {
  requestId: string;
  /** The request's deadline, on the clock of `performance.now()`. */
  deadline: number;
  /** The body as a stream, for operations that receive bytes. */
  bytes?: AsyncIterable<Uint8Array>;
  /** The rest of the caller's rate, if the request was counted. */
  rate?: RateFields | undefined;
};

/**
 * The field that `auth()` adds to the event. A middleware that only reads it declares it as
 * optional, so that a chain without `auth()` does not compile.
 */
export type CallerField = { caller: Caller | undefined };

/** A response to API Gateway; it always has headers. */
export type ApiResponse = APIGatewayProxyStructuredResultV2 & {
  statusCode: number;
  headers: Record<string, string>;
  /** A stream that a host sends instead of the body. */
  stream?: () => Readable;
};

/** A middleware; `Needs` are the fields that it expects on the event. */
export type Step<Needs = unknown> = MiddlewareObj<ApiEvent & Needs, ApiResponse, Error, Context>;

/**
 * The method that selects the operation, in capitals. HEAD selects the operation of GET; the host
 * omits the body.
 */
export const methodOf = (event: ApiEvent): string => (isHead(event) ? 'GET' : event.requestContext.http.method);

/** Returns true for a HEAD request. */
export const isHead = (event: ApiEvent): boolean => event.requestContext.http.method === 'HEAD';
