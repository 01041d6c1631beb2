import Negotiator from 'negotiator';
import { notAcceptable, unsupportedMediaType } from '../../base/errors.ts';
import { config } from '../../settings/config.ts';
import { isSpecified as isSpecifiedBy, type Operations } from '../operation.ts';
import { type ApiEvent, methodOf, type Step } from '../request.ts';

/** The media type of every response with a body. */
export const json = 'application/json; charset=utf-8';

/**
 * Rejects requests that do not accept JSON with 406, and those that do not send it with 415, or 406 on a path of the
 * specification; not where an operation takes or gives bytes, answers with a page, or reads what other programs send.
 */
export function mediaType(operations: Operations): Step {
  const isSpecified = isSpecifiedBy(operations);
  return {
    before: function negotiate({ event }) {
      const { takesBytes, givesBytes, isForeign, form, type } = operations[methodOf(event)] ?? {};
      if (!givesBytes && type === undefined && !acceptsJson(event)) throw notAcceptable(config.docsUrl);
      if (!takesBytes && !isForeign && !form && !sendsJson(event))
        throw isSpecified ? notAcceptable(config.docsUrl) : unsupportedMediaType();
    },
  };
}

// A request without Accept, or with an empty one, accepts anything (RFC 9110, 12.5.1).
const acceptsJson = ({ headers }: ApiEvent) =>
  !headers.accept?.trim() || new Negotiator({ headers }).mediaType([json]) !== undefined;

const sendsJson = (event: ApiEvent) => {
  const method = methodOf(event);
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return true;
  return isJson(event.headers['content-type']) && (method === 'POST' || Boolean(event.body));
};

const isJson = (contentType = '') => /^\s*application\/([\w!#$&^.-]+\+)?json\s*(;|$)/i.test(contentType);
