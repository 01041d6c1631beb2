import { about, idOf } from '../lib/api/parameters.ts';
import { actOnToken } from '../lib/audit/acts.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { findToken, revokeToken } from '../lib/identity/api-tokens.ts';
import { shownToken } from '../lib/identity/tokens.ts';

const path = { token: about('The named token, by its `_id`.', idOf('token')) };

/** `/api/tokens/{token}`: one named token, for its owner, its bot's owner and administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'Get a named token, without its 32 characters',
    access: 'user',
    scope: 'account',
    path,
    status: 200,
    answer: shownToken.schema,
    run: ({ path: { token }, caller }) => findToken(token, caller),
  }),
  DELETE: operation({
    summary: 'Revoke a named token at once',
    access: 'user',
    scope: 'account',
    path,
    status: 204,
    audit: ({ path: { token } }, caller) => actOnToken(token, 'api', caller),
    run: ({ path: { token }, caller }) => revokeToken(token, caller),
  }),
});
