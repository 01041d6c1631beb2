import { EarlyAnswer } from '../../base/errors.ts';
import { config } from '../../settings/config.ts';
import { type ApiEvent, methodOf, type Step } from '../request.ts';

/**
 * Allows browsers to call from the origins in `CORS_ORIGINS` (`*` for any), never with credentials.
 * Answers OPTIONS with the path's methods. With a list, the response depends on the request's
 * origin. So `Vary` must include it, or a cache would serve one site's response to another.
 * `furtherHeaders` are request headers that only this path reads.
 */
export function cors(allow: string, furtherHeaders: string[] = []): Step {
  const sent = ['X-Auth-Token', 'Authorization', 'Content-Type', 'Idempotency-Key', 'If-Match', 'If-None-Match'];
  const preflight = {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': [...sent, ...furtherHeaders].join(', '),
    'Access-Control-Max-Age': '7200',
  };

  const allowedOrigin = ({ headers: { origin } }: ApiEvent): string | undefined => {
    if (isOpen()) return '*';
    return origin !== undefined && isAllowedOrigin(origin) ? origin : undefined;
  };

  const addCors: NonNullable<Step['after']> = ({ event, response }) => {
    if (!response) return;
    const { headers } = response;
    const origin = allowedOrigin(event);
    if (origin !== undefined) {
      headers['Access-Control-Allow-Origin'] = origin;
      headers['Access-Control-Expose-Headers'] = exposed;
    }
    if (methodOf(event) === 'OPTIONS') Object.assign(headers, preflight);
    if (!isOpen()) headers.Vary = headers.Vary ? `${headers.Vary}, Origin` : 'Origin';
  };

  return {
    before: function answerOptions({ event }) {
      if (methodOf(event) === 'OPTIONS') throw new EarlyAnswer({ allow });
    },
    after: addCors,
    onError: addCors,
  };
}

const isOpen = () => config.corsOrigins.includes('*');

/** Returns true if pages of this origin may call the API. */
export const isAllowedOrigin = (origin: string): boolean => isOpen() || config.corsOrigins.includes(origin);

const exposed =
  'X-Request-Id, X-Next-Cursor, X-Ignored-Words, Link, ETag, Retry-After, X-Stream-Length, RateLimit, RateLimit-Policy, Idempotency-Replayed';
