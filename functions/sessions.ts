import { logIn } from '../lib/accounts/login.ts';
import { endOtherSessions, newSessionSchema } from '../lib/accounts/sessions.ts';
import { answerPage, defaultLimit, pageParameters } from '../lib/api/pages.ts';
import { anyText } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listTokens, tokenSchema } from '../lib/identity/tokens.ts';

/** `/api/sessions`: logging in, and the sessions that the caller has. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's sessions",
    access: 'user',
    scope: 'account',
    query: pageParameters,
    status: 200,
    answer: listOf(tokenSchema),
    run: async ({ query: { limit = defaultLimit, after }, caller, request }) => {
      const found = await listTokens({ user: caller.user._id, kind: 'session' }, { limit, after });
      return answerPage(found, limit, request);
    },
  }),
  POST: operation({
    summary: 'Log in with a username or an e-mail address, and a password',
    access: 'anyone',
    body: { username: anyText, password: anyText },
    status: 201,
    answer: newSessionSchema,
    refusals: { 401: ['The username or password is incorrect.'], 429: ['Retry in 12 seconds.'] },
    run: ({ body, request: { source, headers } }) =>
      logIn({ name: body.username, password: body.password, source, agent: headers['user-agent'] }),
  }),
  DELETE: operation({
    summary: "End every session of the caller's but the one that calls",
    access: 'user',
    scope: 'account',
    status: 204,
    run: ({ caller }) => endOtherSessions(caller),
  }),
});
