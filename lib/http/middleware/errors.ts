import { EarlyAnswer, HttpError, internalError, serviceUnavailable } from '../../errors.ts';
import { describeError, log } from '../../log.ts';
import type { ApiEvent, ApiResponse, Step } from '../request.ts';

type IsUnavailable = (error: unknown) => boolean;
type Settings = { isUnavailable?: IsUnavailable | undefined; hasCodes?: boolean | undefined };

/**
 * Turns what was thrown below into a response. An error that is the service's own fault is logged, and its details stay out of the response.
 * Without `hasCodes` the bodies have no `code`.
 */
export function errors({ isUnavailable = () => false, hasCodes = true }: Settings = {}): Step {
  return {
    onError: function answerError(request) {
      // Assigned, not returned: a returned value would end the row of `onError`s, and the steps above would not add their headers.
      request.response = responseTo(request.error, request.event, isUnavailable, hasCodes);
    },
  };
}

function responseTo(error: unknown, event: ApiEvent, isUnavailable: IsUnavailable, hasCodes: boolean): ApiResponse {
  if (error instanceof EarlyAnswer)
    return { statusCode: 204, headers: { ...error.headers, 'Cache-Control': 'no-store' }, body: '' };
  const { status, body, headers } = toHttpError(error, event.requestId, isUnavailable);
  const common = { ...headers, 'Cache-Control': 'no-store' };
  return body === undefined
    ? { statusCode: status, headers: { ...common, 'Content-Length': '0' }, body: '' }
    : {
        statusCode: status,
        headers: { ...common, 'Content-Type': 'application/json' },
        body: JSON.stringify(hasCodes ? body : { ...body, code: undefined }),
      };
}

/** What to answer when this was thrown: an error that is the service's own fault is logged. */
export function toHttpError(error: unknown, requestId: string, isUnavailable: IsUnavailable): HttpError {
  if (error instanceof HttpError) return error;
  const unavailable = isUnavailable(error);
  log('error', unavailable ? 'database unavailable' : 'request failed', {
    request_id: requestId,
    error: describeError(error),
  });
  return unavailable ? serviceUnavailable() : internalError(requestId);
}
