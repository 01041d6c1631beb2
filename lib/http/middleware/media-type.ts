import Negotiator from 'negotiator';
import { notAcceptable } from '../../errors.ts';
import { type ApiEvent, methodOf, type Step } from '../request.ts';

/** What this service speaks, as it says so itself. */
export const json = 'application/json; charset=utf-8';

/** Refuses, with 406, who does not take JSON, and who does not send it. */
export function mediaType(): Step {
  return {
    before: function negotiate({ event }) {
      if (!takesJson(event) || !sendsJson(event)) throw notAcceptable();
    },
  };
}

// An absent or empty Accept takes anything (RFC 9110, 12.5.1).
const takesJson = ({ headers }: ApiEvent) =>
  !headers.accept?.trim() || new Negotiator({ headers }).mediaType([json]) !== undefined;

const sendsJson = (event: ApiEvent) => {
  const method = methodOf(event);
  if (method !== 'POST' && method !== 'PUT' && method !== 'PATCH') return true;
  return isJson(event.headers['content-type']) && (method === 'POST' || Boolean(event.body));
};

const isJson = (contentType = '') => /^\s*application\/([\w!#$&^.-]+\+)?json\s*(;|$)/i.test(contentType);
