import { endSession } from '../lib/accounts/sessions.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/sessions/{session}`: one session; `current` is the one that calls. */
export const handler = endpoint({
  DELETE: operation({
    summary: 'Log out: end a session at once',
    access: 'user',
    scope: 'account',
    status: 204,
    run: ({ path, caller }) => endSession(path.session, caller),
  }),
});
