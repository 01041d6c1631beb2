import { createTokenFor, tokenParameters, tokenRefusals } from '../lib/accounts/new-tokens.ts';
import { pageParameters } from '../lib/api/pages.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireUnscopedToken } from '../lib/identity/caller.ts';
import { listTokens, newTokenSchema, shownToken } from '../lib/identity/tokens.ts';

/** `/api/tokens`: named tokens, for programs. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's named tokens",
    access: 'user',
    scope: 'account',
    query: pageParameters,
    status: 200,
    answer: listOf(shownToken.schema),
    run: async ({ query, caller, request }) =>
      answerList(await listTokens({ user: caller.user._id, kind: 'api' }, query), request),
  }),
  POST: operation({
    summary: 'Create a named token; its 32 characters are shown only once. A token without scopes requires `current_password`',
    access: 'user',
    permit: ({ caller }) => requireUnscopedToken(caller),
    body: tokenParameters,
    status: 201,
    answer: newTokenSchema,
    refusals: tokenRefusals,
    security: (_input, { _id, user, scopes }) => ({
      event: 'token made',
      whom: user.$oid,
      what: `${_id.$oid}, ${scopes.join(' ') || 'without scopes'}`,
    }),
    run: ({ body, caller }) => createTokenFor(body, caller),
  }),
});
