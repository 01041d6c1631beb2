import type { MiddlewareObj } from '@middy/core';
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import type { Caller } from '../identity/tokens.ts';
import type { Operations } from './operation.ts';

/** A request as API Gateway hands it over (payload 2.0), with what the chain knows from its first step on. */
export type ApiEvent = APIGatewayProxyEventV2 & {
  requestId: string;
  deadline: number;
};

/** What `auth()` adds to the event; a step that only reads it declares it optional, so that dropping `auth()` does not compile. */
export type Authenticated = { caller: Caller | undefined };

/** A response as API Gateway takes it; its headers are always there. */
export type ApiResponse = APIGatewayProxyStructuredResultV2 & { statusCode: number; headers: Record<string, string> };

/** The largest response that Lambda carries, in bytes: of the whole response as JSON, in which the body is a text with its quotes escaped. */
export const largestResponse = 6_291_556;

/** One step of the chain: `Needs` is what it finds on the event. */
export type Step<Needs = unknown> = MiddlewareObj<ApiEvent & Needs, ApiResponse, Error, Context>;

/** A function as Lambda calls it; it carries what it was made of, for those who want to know what the service can do. */
export type Handler = ((event: APIGatewayProxyEventV2, context: Context) => Promise<ApiResponse>) & {
  readonly operations: Operations;
};

/** The request's method, in capitals. */
export const methodOf = (event: ApiEvent): string => event.requestContext.http.method;
