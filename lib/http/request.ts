import type { Readable } from 'node:stream';
import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../identity/caller.ts';
import type { RateFields } from '../identity/write-rate.ts';

/** A request as API Gateway passes it on (payload 2.0), with what the first step of the chain adds. */
export type ApiEvent = APIGatewayProxyEventV2 & {
  requestId: string;
  /** When the request's time is up, on the clock of `performance.now()`. */
  deadline: number;
  /** The body as it comes, for operations that take bytes. */
  bytes?: AsyncIterable<Uint8Array>;
  /** The rest of the caller's rate, where the request was counted. */
  rate?: RateFields | undefined;
};

/**
 * The fields that `auth()` adds to the event. A step that only reads it declares it optional, so that a chain without
 * `auth()` does not compile.
 */
export type Authenticated = { caller: Caller | undefined };

/** A response as API Gateway takes it; it always has headers. */
export type ApiResponse = APIGatewayProxyStructuredResultV2 & {
  statusCode: number;
  headers: Record<string, string>;
  /** What a host sends instead of the body, while it is read. */
  stream?: () => Readable;
};

/** One step of the chain: `Needs` is what it finds on the event. */
export type Step<Needs = unknown> = MiddlewareObj<ApiEvent & Needs, ApiResponse, Error, Context>;

/** The method by which a request's operation is found, in capitals. HEAD gets what GET would; the host leaves the body out. */
export const methodOf = (event: ApiEvent): string => (isHead(event) ? 'GET' : event.requestContext.http.method);

/** Whether a request asks for nothing but the headers. */
export const isHead = (event: ApiEvent): boolean => event.requestContext.http.method === 'HEAD';
