import { createTokenFor, tokenName } from '../lib/accounts/api-tokens.ts';
import { answerPage, defaultLimit, pageParameters } from '../lib/api/pages.ts';
import { dateTime, id, optional, someOf } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation, scopes } from '../lib/http/operation.ts';
import { listTokens, newTokenSchema, refuseScopes, tokenSchema } from '../lib/identity/tokens.ts';

/** `/api/tokens`: named tokens, for programs. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's named tokens",
    access: 'user',
    scope: 'account',
    query: pageParameters,
    status: 200,
    answer: listOf(tokenSchema),
    run: async ({ query: { limit = defaultLimit, after }, caller, request }) => {
      const found = await listTokens({ user: caller.user._id, kind: 'api' }, { limit, after });
      return answerPage(found, limit, request);
    },
  }),
  POST: operation({
    summary: 'Make a named token; its 32 characters are shown this once',
    access: 'user',
    permit: ({ caller }) => refuseScopes(caller),
    body: { name: tokenName, scopes: optional(someOf(scopes)), expires_at: optional(dateTime), user: optional(id) },
    status: 201,
    answer: newTokenSchema,
    refusals: {
      403: ['A token without scopes is required.', 'Admin required.'],
      404: ['No such user.'],
      409: ['The name of the token is already in use.'],
    },
    run: ({ body, caller }) => createTokenFor(caller, body),
  }),
});
