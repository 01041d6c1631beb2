import { about, idOr } from '../lib/api/parameters.ts';
import { actOnToken } from '../lib/audit/acts.ts';
import { noSuchSession } from '../lib/credentials/fresh-sessions.ts';
import { endSession } from '../lib/credentials/sessions.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { answerCookieEnded, cookieHeader, hasCookie } from '../lib/http/session-cookie.ts';
import { confirmIdentity, identityProof, identityProofRefusals } from '../lib/second-factor/proof.ts';

const path = { session: about('The session, by its `_id`; `current` is the one of the request.', idOr('current', 'session')) };

/** `/api/sessions/{session}`: one session; `current` is the one that calls. */
export const handler = endpoint({
  PATCH: operation({
    summary:
      "Confirm the caller's identity in the `current` session, with the password and, if a second factor is on, a code. For ten minutes, administrators can then do what answers `proof_required`",
    access: 'user',
    scope: 'account',
    path,
    body: identityProof,
    status: 204,
    refusals: identityProofRefusals,
    security: () => ({ event: 'identity confirmed' }),
    run: async ({ path: { session }, body, caller }) => {
      if (session !== 'current' && !session.equals(caller.token._id)) throw noSuchSession();
      await confirmIdentity(body, caller);
    },
  }),
  DELETE: operation({
    summary: 'End a session at once; `current` logs out',
    access: 'user',
    scope: 'account',
    isForSetUp: true,
    path,
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
