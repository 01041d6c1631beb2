import { newUserSchema } from '../lib/accounts/accounts.ts';
import { setUp, setupParameters, setupRefusals, setupSchema, showSetup } from '../lib/accounts/setup.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { answerInCookie, cookieHeader, cookieRefusals, requireOwnOrigin, wantsCookie } from '../lib/http/session-cookie.ts';

/** `/api/setup`: the first administrator of a new service. */
export const handler = endpoint({
  GET: operation({
    summary: 'Check whether the service has an administrator, and whether the caller is signed in',
    access: 'anyone',
    isForSetUp: true,
    status: 200,
    answer: setupSchema,
    run: ({ caller }) => showSetup(caller),
  }),
  POST: operation({
    summary: "Create the first administrator with the one-time code from the server's output, and start a session",
    access: 'anyone',
    body: { ...setupParameters, ...wantsCookie },
    status: 201,
    headers: { 'Set-Cookie': cookieHeader },
    answer: newUserSchema,
    refusals: [...setupRefusals, ...cookieRefusals],
    security: (_input, { user }) => ({ event: 'set up', whom: user._id.$oid, what: 'administrator' }),
    run: async ({ body: { cookie, ...account }, request: { source, headers } }) => {
      if (cookie) requireOwnOrigin(headers);
      const made = await setUp(account, { source, agent: headers['user-agent'] });
      return cookie ? answerInCookie(made, headers) : made;
    },
  }),
});
