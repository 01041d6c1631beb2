import { EarlyAnswer, HttpError, internalError, serviceUnavailable } from '../../base/errors.ts';
import { describeError, log } from '../../base/log.ts';
import type { ApiEvent, ApiResponse, Step } from '../request.ts';

/**
 * Returns the reason if an error means that the service is unavailable: a sentence, and a word for
 * metrics. `isLasting` if only an operator can fix it.
 */
export type WhyUnavailable = (error: unknown) => { description: string; reason: string; isLasting: boolean } | undefined;
type Settings = { whyUnavailable?: WhyUnavailable | undefined; hasCodes?: boolean | undefined };

/**
 * Converts thrown errors into responses. Faults of the service are logged, and the response omits
 * their details. Without `hasCodes` the bodies lack `code`.
 */
export function errors({ whyUnavailable = () => undefined, hasCodes = true }: Settings = {}): Step {
  return {
    onError: function answerError(request) {
      // Assigned, not returned: a returned value would end the chain of `onError`s, and the outer
      // middlewares would not add their headers.
      request.response = responseTo(request.error, request.event, whyUnavailable, hasCodes);
      Object.assign(request.internal, { refusal: refusalOf(request.error, whyUnavailable) });
    },
  };
}

function responseTo(error: unknown, event: ApiEvent, whyUnavailable: WhyUnavailable, hasCodes: boolean): ApiResponse {
  if (error instanceof EarlyAnswer)
    return { statusCode: 204, headers: { ...error.headers, 'Cache-Control': 'no-store' }, body: '' };
  const { status, body, headers } = toHttpError(error, event.requestId, whyUnavailable);
  const common = { ...headers, 'Cache-Control': 'no-store' };
  return body === undefined
    ? { statusCode: status, headers: { ...common, 'Content-Length': '0' }, body: '' }
    : {
        statusCode: status,
        headers: { ...common, 'Content-Type': 'application/json' },
        body: JSON.stringify(hasCodes ? body : { ...body, code: undefined }),
      };
}

/** The error's name in metrics. */
function refusalOf(error: unknown, whyUnavailable: WhyUnavailable): string {
  return error instanceof HttpError ? (error.body?.code ?? '') : (whyUnavailable(error)?.reason ?? 'internal_error');
}

/** The HTTP error for any error. Faults of the service are logged. */
export function toHttpError(error: unknown, requestId: string, whyUnavailable: WhyUnavailable): HttpError {
  if (error instanceof HttpError) return error;
  const unavailable = whyUnavailable(error);
  if (unavailable?.isLasting) logOnceAMinute(unavailable.description, error);
  else
    log('error', unavailable ? 'database unavailable' : 'request failed', { request_id: requestId, error: describeError(error) });
  return unavailable ? serviceUnavailable(unavailable.description) : internalError(requestId);
}

/** A lasting failure fails every request in the same way, so one line per minute is enough. */
function logOnceAMinute(reason: string, error: unknown): void {
  const { at, failed } = lastLogged.get(reason) ?? { at: Number.NEGATIVE_INFINITY, failed: 0 };
  const isDue = performance.now() - at >= 60_000;
  lastLogged.set(reason, isDue ? { at: performance.now(), failed: 0 } : { at, failed: failed + 1 });
  if (!isDue) return;
  const { name, message, code } = describeError(error);
  log('error', 'database unavailable', { reason, failed_since_last_line: failed, error: { name, message, code } });
}

const lastLogged = new Map<string, { at: number; failed: number }>();
