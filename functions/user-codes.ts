import { about, idOf } from '../lib/api/parameters.ts';
import { actOnUser } from '../lib/audit/acts.ts';
import { proofRequired } from '../lib/credentials/fresh-sessions.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireUnscopedToken, unscopedTokenRequired } from '../lib/identity/caller.ts';
import { createPasswordCode, passwordCodeRefusals, passwordCodeSchema } from '../lib/sign-in/password-codes.ts';

/** `/api/users/{user}/codes`: one-time codes that administrators pass on. */
export const handler = endpoint({
  POST: operation({
    summary: 'Create a one-time password-reset code and link, valid for one hour',
    access: 'admin',
    path: { user: about('The account, by its `_id`.', idOf('user')) },
    // Anyone with the code can become the user. A token with scopes must not gain more than its
    // scopes in this way.
    permit: ({ caller }) => requireUnscopedToken(caller),
    body: {},
    status: 201,
    answer: passwordCodeSchema,
    refusals: [unscopedTokenRequired, proofRequired, ...passwordCodeRefusals],
    security: ({ path: { user } }) => ({ event: 'password code made', whom: user.toHexString() }),
    audit: ({ path: { user } }, caller) => actOnUser(user, 'user.code_created', caller),
    run: ({ path: { user } }) => createPasswordCode(user),
  }),
});
