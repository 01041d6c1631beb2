import middy, { type Request } from '@middy/core';
import httpHeaderNormalizer from '@middy/http-header-normalizer';
import type { APIGatewayProxyWebsocketEventV2, Context } from 'aws-lambda';
import { limits } from '../api/limits.ts';
import { withDeadline } from '../base/deadline.ts';
import { log } from '../base/log.ts';
import { embeddedMetrics } from '../base/metrics.ts';
import { whyUnavailable } from '../database/failures.ts';
import type { Caller } from '../identity/caller.ts';
import { carryNotices } from '../notices/notices.ts';
import { refuseForeignEvent } from './foreign-events.ts';
import { toHttpError } from './middleware/errors.ts';

/** An event of a connection from API Gateway: `$connect`, a frame or `$disconnect`. */
type SocketEvent = APIGatewayProxyWebsocketEventV2 & { headers?: Record<string, string | undefined>; caller?: Caller };

/**
 * The answer to API Gateway. The handshake uses the status, and the body of a refusal. For a frame,
 * the body is the answer.
 */
type SocketAnswer = { statusCode: number; headers?: Record<string, string>; body?: string };

/** The functions that handle a connection. */
type Socket = {
  protocol: string;
  open: (connection: string, headers: Record<string, string | undefined>) => Promise<Caller>;
  /** Answers a frame; undefined if it needs no answer. */
  answer: (connection: string, text: string) => Promise<object | undefined>;
  close: (connection: string) => Promise<void>;
};

/** The handler of all routes of a WebSocket API. */
export function socketEndpoint(socket: Socket) {
  const handle = chainOf(socket);
  return async (event: SocketEvent, context: Context): Promise<SocketAnswer> =>
    event?.requestContext?.eventType
      ? handle(event, context)
      : { statusCode: 400, body: refuseForeignEvent('events of a WebSocket API', event, context) };
}

const chainOf = ({ protocol, open, answer, close }: Socket) =>
  middy<SocketEvent, SocketAnswer, Error, Context>({ timeoutEarlyInMillis: 0, requestStart: noteStart, requestEnd: logEvent })
    .use(httpHeaderNormalizer())
    .use({ onError: answerError })
    .handler((event) =>
      inTime(async (): Promise<SocketAnswer> => {
        const { eventType, connectionId } = event.requestContext;
        if (eventType === 'CONNECT') {
          event.caller = await open(connectionId, event.headers ?? {});
          // A browser closes a connection that selects none of its subprotocols.
          return { statusCode: 200, headers: { 'Sec-WebSocket-Protocol': protocol } };
        }
        if (eventType === 'DISCONNECT') await close(connectionId);
        const frame =
          eventType === 'MESSAGE' ? await answer(connectionId, event.isBase64Encoded ? '' : (event.body ?? '')) : undefined;
        return { statusCode: 200, ...(frame && { body: JSON.stringify(frame) }) };
      }),
    );

const inTime = <T>(work: () => Promise<T>): Promise<T> =>
  withDeadline(performance.now() + limits.requestTime, work).finally(carryNotices);

function answerError(request: Request): void {
  const { event, error, context } = request as Request<SocketEvent, SocketAnswer, Error, Context>;
  const { status, message, body } = toHttpError(error, context.awsRequestId, whyUnavailable);
  request.response =
    event.requestContext.eventType === 'CONNECT'
      ? { statusCode: status, headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(body) }
      : { statusCode: 200, body: JSON.stringify({ type: 'error', status, message }) };
}

const startedAt = new WeakMap<object, number>();

function noteStart(request: Request): void {
  startedAt.set(request.event as object, performance.now());
}

function logEvent(request: Request): void {
  const { event, context, response } = request as Request<SocketEvent, SocketAnswer, Error, Context>;
  const { routeKey, connectionId, identity } = event.requestContext as SocketEvent['requestContext'] & {
    identity?: { sourceIp: string };
  };
  const milliseconds = Math.round((performance.now() - (startedAt.get(event) ?? 0)) * 10) / 10;
  const status = response?.statusCode ?? 500;
  log('info', 'request', {
    request_id: context.awsRequestId,
    route: routeKey,
    status,
    milliseconds,
    connection: connectionId,
    user: event.caller?.user._id.toHexString(),
    source: identity?.sourceIp,
    ...embeddedMetrics({ function: context.functionName, method: '', status, milliseconds }),
  });
}
