import { findToken, revokeToken } from '../lib/api-tokens.ts';
import { endpoint } from '../lib/endpoint.ts';
import { pathId } from '../lib/ids.ts';
import { operation } from '../lib/operation.ts';
import { tokenSchema } from '../lib/tokens.ts';

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
