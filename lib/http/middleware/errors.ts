import { HttpError, internalError, serviceUnavailable } from '../../errors.ts';
import { describeError, log } from '../../log.ts';
import type { ApiEvent, ApiResponse, Step } from '../request.ts';

type IsUnavailable = (error: unknown) => boolean;

/** Turns what was thrown below into the answer. What is nobody's mistake but ours is logged, and told to no one. */
export function errors({ isUnavailable = () => false }: { isUnavailable?: IsUnavailable | undefined } = {}): Step {
  return {
    onError: function answerError(request) {
      // Assigned, not returned: a returned value would end the row of `onError`s, and with it what decorates every answer.
      request.response = respondTo(toHttpError(request.error, request.event, isUnavailable));
    },
  };
}

function toHttpError(error: unknown, event: ApiEvent, isUnavailable: IsUnavailable): HttpError {
  if (error instanceof HttpError) return error;
  const unavailable = isUnavailable(error);
  log('error', unavailable ? 'database unavailable' : 'request failed', {
    request_id: event.requestId,
    error: describeError(error),
  });
  return unavailable ? serviceUnavailable() : internalError(event.requestId);
}

function respondTo({ status, body, headers }: HttpError): ApiResponse {
  const common = { ...headers, 'Cache-Control': 'no-store' };
  return body === undefined
    ? { statusCode: status, headers: { ...common, ...(status === 405 ? { 'Content-Length': '0' } : {}) }, body: '' }
    : { statusCode: status, headers: { ...common, 'Content-Type': 'application/json' }, body: JSON.stringify(body) };
}
