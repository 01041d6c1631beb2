import { findToken, revokeToken } from '../lib/accounts/api-tokens.ts';
import { pathId } from '../lib/api/extended-json.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { tokenSchema } from '../lib/identity/tokens.ts';

/** `/api/tokens/{token}`: one named token, for its owner and admins. */
export const handler = endpoint({
  GET: operation({
    summary: 'Show a named token, without its 32 characters',
    access: 'user',
    scope: 'account',
    status: 200,
    answer: tokenSchema,
    run: async ({ path, caller }) => findToken(pathId(path.token, 'token'), caller),
  }),
  DELETE: operation({
    summary: 'Revoke a named token at once',
    access: 'user',
    scope: 'account',
    status: 204,
    run: async ({ path, caller }) => revokeToken(pathId(path.token, 'token'), caller),
  }),
});
