import { EarlyAnswer } from '../../base/errors.ts';
import { type ApiEvent, methodOf, type Step } from '../request.ts';

/**
 * Lets browsers call from the given origins (`*`: from any), never with credentials, and answers OPTIONS with the
 * path's methods. With a list of origins the response depends on the request's, so `Vary` must say so, or a cache
 * would serve one site's response to another.
 */
export function cors({ origins, allow }: { origins: string[]; allow: string }): Step {
  const anyOrigin = origins.includes('*');
  const preflight = {
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers': 'X-Auth-Token, Authorization, Content-Type, Idempotency-Key, If-Match, If-None-Match',
    'Access-Control-Max-Age': '7200',
  };

  const headersFor = (event: ApiEvent): Record<string, string> => {
    if (anyOrigin) return { 'Access-Control-Allow-Origin': '*', 'Access-Control-Expose-Headers': exposed };
    const { origin } = event.headers;
    if (origin === undefined || !origins.includes(origin)) return {};
    return { 'Access-Control-Allow-Origin': origin, 'Access-Control-Expose-Headers': exposed };
  };

  const addCors: NonNullable<Step['after']> = ({ event, response }) => {
    if (!response) return;
    Object.assign(response.headers, headersFor(event), methodOf(event) === 'OPTIONS' ? preflight : {});
    if (!anyOrigin) response.headers.Vary = response.headers.Vary ? `${response.headers.Vary}, Origin` : 'Origin';
  };

  return {
    before: function answerOptions({ event }) {
      if (methodOf(event) === 'OPTIONS') throw new EarlyAnswer({ allow });
    },
    after: addCors,
    onError: addCors,
  };
}

const exposed =
  'X-Request-Id, X-Next-Cursor, X-Ignored-Words, Link, ETag, Retry-After, RateLimit, RateLimit-Policy, Idempotency-Replayed';
