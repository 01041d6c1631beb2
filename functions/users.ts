import { newUserSchema } from '../lib/accounts/accounts.ts';
import { requireRegistration, signUpFor, signUpParameters, signUpRefusals } from '../lib/accounts/permissions.ts';
import { pageParameters } from '../lib/api/pages.ts';
import { optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listUsers, shownUser, usernameStart } from '../lib/identity/users.ts';

/** `/api/users`: sign-up, and everyone's account for administrators. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the accounts: all, or those whose names begin with `q`',
    access: 'admin',
    scope: 'admin',
    query: { q: optional(usernameStart), ...pageParameters },
    status: 200,
    answer: listOf(shownUser.schema),
    run: async ({ query: { q, ...page }, request }) => answerList(await listUsers(page, q), request),
  }),
  POST: operation({
    summary: 'Sign up: create an account and begin its first session',
    access: 'anyone',
    permit: ({ caller }) => requireRegistration(caller),
    body: signUpParameters,
    status: 201,
    answer: newUserSchema,
    refusals: signUpRefusals,
    run: ({ body, caller, request: { source, headers } }) => signUpFor(body, { source, agent: headers['user-agent'] }, caller),
  }),
});
