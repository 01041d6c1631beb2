import { endSession } from '../lib/accounts/sessions.ts';
import { idOr } from '../lib/api/parameters.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/sessions/{session}`: one session; `current` is the one that calls. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'Log out: end a session at once',
    access: 'user',
    scope: 'account',
    path: { session: idOr('current', 'session') },
    status: 204,
    run: ({ path: { session }, caller }) => endSession(session, caller),
  }),
});
