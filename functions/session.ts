import { about, idOr } from '../lib/api/parameters.ts';
import { actOnToken } from '../lib/audit/acts.ts';
import { endSession } from '../lib/credentials/sessions.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { answerCookieEnded, cookieHeader, hasCookie } from '../lib/http/session-cookie.ts';

/** `/api/sessions/{session}`: one session; `current` is the one that calls. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'End a session at once; `current` logs out',
    access: 'user',
    scope: 'account',
    isForSetUp: true,
    path: { session: about('The session, by its `_id`; `current` is the one of the request.', idOr('current', 'session')) },
    status: 204,
    headers: { 'Set-Cookie': cookieHeader },
    audit: ({ path: { session } }, caller) => actOnToken(session, 'session', caller),
    run: async ({ path: { session }, caller, request: { headers } }) => {
      await endSession(session, caller);
      const isCurrent = session === 'current' || session.equals(caller.token._id);
      return isCurrent && hasCookie(headers) ? answerCookieEnded(headers) : undefined;
    },
  }),
});
