import Negotiator from 'negotiator';
import type { Parameter } from '../../api/parameters.ts';
import { notAcceptable, unsupportedMediaType } from '../../base/errors.ts';
import { config } from '../../settings/config.ts';
import { isSpecified as isSpecifiedBy, type Operations } from '../operation.ts';
import { type ApiEvent, methodOf, type Step } from '../request.ts';

/** The media type of every response with a body. */
export const json = 'application/json; charset=utf-8';

/**
 * Rejects requests that do not accept JSON with 406. Rejects a body that is not JSON with 415, or
 * with 406 on a specified path. Does not apply to bytes, pages, forms and foreign webhook formats.
 */
export function mediaType(operations: Operations): Step {
  const isSpecified = isSpecifiedBy(operations);
  return {
    before: function negotiate({ event }) {
      const operation: Partial<Operations[string]> = operations[methodOf(event)] ?? {};
      const { takesBytes, givesBytes, isForeign, form, type } = operation;
      if (!givesBytes && type === undefined && !acceptsJson(event)) throw notAcceptable(config.docsUrl);
      const hasNoBody = !isSpecified && !event.body && isBodyOptional(event, operation);
      if (!takesBytes && !isForeign && !form && !hasNoBody && !sendsJson(event))
        throw isSpecified ? notAcceptable(config.docsUrl) : unsupportedMediaType();
    },
  };
}

/**
 * Returns true if a PUT may omit its body. A POST always needs the type: without it, the POST may
 * come from a form on another site.
 */
const isBodyOptional = (event: ApiEvent, { body, needsAny }: Partial<Operations[string]>) =>
  methodOf(event) === 'PUT' && !needsAny && Object.values<Parameter>(body ?? {}).every(({ optional }) => optional);

// A request without Accept, or with an empty one, accepts anything (RFC 9110, 12.5.1).
const acceptsJson = ({ headers }: ApiEvent) =>
  !headers.accept?.trim() || new Negotiator({ headers }).mediaType([json]) !== undefined;

const sendsJson = (event: ApiEvent) => {
  const method = methodOf(event);
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return true;
  return isJson(event.headers['content-type']) && (method === 'POST' || Boolean(event.body));
};

const isJson = (contentType = '') => /^\s*application\/([\w!#$&^.-]+\+)?json\s*(;|$)/i.test(contentType);
