import { newUserSchema } from '../lib/accounts/accounts.ts';
import { newPassword } from '../lib/accounts/password-policy.ts';
import { refuseWhileClosed, signUpFor } from '../lib/accounts/permissions.ts';
import { answerPage, defaultLimit, pageParameters } from '../lib/api/pages.ts';
import { flag, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { email, listUsers, username, usernameStart, userSchema } from '../lib/identity/users.ts';

/** `/api/users`: sign-up, and everyone's account for admins. */
export const handler = endpoint({
  GET: operation({
    summary: 'List the accounts, all or those whose names begin with `q`',
    access: 'admin',
    scope: 'admin',
    query: { q: optional(usernameStart), ...pageParameters },
    status: 200,
    answer: listOf(userSchema),
    run: async ({ query: { q, limit = defaultLimit, after }, request }) =>
      answerPage(await listUsers({ limit, after }, q), limit, request),
  }),
  POST: operation({
    summary: 'Sign up: make an account and begin its first session',
    access: 'anyone',
    permit: ({ caller }) => refuseWhileClosed(caller),
    body: { username, email, password: newPassword, is_admin: optional(flag) },
    status: 201,
    answer: newUserSchema,
    refusals: {
      403: ['Registration is closed.', 'Admin required.'],
      409: ['The username is already in use.', 'The e-mail address is already in use.'],
    },
    run: ({ body, caller, request: { source, headers } }) =>
      signUpFor(caller, { ...body, is_admin: body.is_admin ?? false }, { source, agent: headers['user-agent'] }),
  }),
});
