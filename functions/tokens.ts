import { createTokenFor, listTokensFor, tokenParameters, tokenRefusals } from '../lib/accounts/new-tokens.ts';
import { pageParameters } from '../lib/api/pages.ts';
import { about, id, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { actOfNewToken } from '../lib/audit/acts.ts';
import { adminRequired } from '../lib/base/errors.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { requireUnscopedToken } from '../lib/identity/caller.ts';
import { newTokenSchema, shownToken } from '../lib/identity/tokens.ts';
import { noSuchUser } from '../lib/identity/users.ts';

/** `/api/tokens`: named tokens, for programs. */
export const handler = endpoint({
  GET: operation({
    summary: "List the named tokens of the caller, of the caller's bot or, as an administrator, of any user",
    access: 'user',
    scope: 'account',
    query: { ...pageParameters, user: about('The account, by default the caller.', optional(id)) },
    status: 200,
    answer: listOf(shownToken.schema),
    refusals: [adminRequired, noSuchUser],
    run: async ({ query, caller, request }) => answerList(await listTokensFor(query, caller), request),
  }),
  POST: operation({
    summary:
      'Create a named token; its 32 characters are shown only once. One that may change something requires `current_password`',
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
    audit: ({ body: { user, name, scopes } }, caller) => actOfNewToken(user, { name, scopes }, caller),
    run: ({ body, caller }) => createTokenFor(body, caller),
  }),
});
