import { logIn, newSessionSchema, wrongLogin } from '../lib/accounts/login.ts';
import { endOtherSessions } from '../lib/accounts/sessions.ts';
import { pageParameters } from '../lib/api/pages.ts';
import { anyText } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { tooManyRequests } from '../lib/errors.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { listTokens, shownToken } from '../lib/identity/tokens.ts';

/** `/api/sessions`: logging in, and the caller's sessions. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's sessions",
    access: 'user',
    scope: 'account',
    query: pageParameters,
    status: 200,
    answer: listOf(shownToken.schema),
    run: async ({ query, caller, request }) =>
      answerList(await listTokens({ user: caller.user._id, kind: 'session' }, query), request),
  }),
  POST: operation({
    summary: 'Log in with a username or an e-mail address, and a password',
    access: 'anyone',
    body: { username: anyText, password: anyText },
    status: 201,
    answer: newSessionSchema,
    refusals: [wrongLogin, tooManyRequests],
    run: ({ body: { username, password }, request: { source, headers } }) =>
      logIn({ name: username, password, source, agent: headers['user-agent'] }),
  }),
  DELETE: operation({
    summary: "End all of the caller's sessions but the one that calls",
    access: 'user',
    scope: 'account',
    status: 204,
    run: ({ caller }) => endOtherSessions(caller),
  }),
});
