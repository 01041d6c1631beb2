import { endpoint } from '../lib/endpoint.ts';
import { operation } from '../lib/operation.ts';
import { endSession } from '../lib/sessions.ts';

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
