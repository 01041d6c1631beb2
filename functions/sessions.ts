import { pageParameters } from '../lib/api/pages.ts';
import { about, anyText, dateTime, id, optional } from '../lib/api/parameters.ts';
import { listOf } from '../lib/api/schema.ts';
import { actOnUser } from '../lib/audit/acts.ts';
import { tooManyRequests } from '../lib/base/errors.ts';
import { passwordRefusals } from '../lib/credentials/password-sign-in.ts';
import { endOtherSessions, listSessions, newSessionSchema, sessionRefusals, sessionSchema } from '../lib/credentials/sessions.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { answerInCookie, cookieHeader, cookieRefusals, requireOwnOrigin, wantsCookie } from '../lib/http/session-cookie.ts';
import { secondFactorCode } from '../lib/second-factor/codes.ts';
import { logIn, secondFactorRequired, wrongLogin, wrongSecondFactor } from '../lib/sign-in/login.ts';
import { loginName } from '../lib/sign-in/login-names.ts';

const user = about("The account whose sessions are meant, for administrators; without it, the caller's own.", optional(id));

const tokensSince = about(
  'Also revokes the named tokens of the account and of its bots that were created at this time or later.',
  optional(dateTime),
);

/** `/api/sessions`: sign-in, the caller's sessions and, for administrators, those of others. */
export const handler = endpoint({
  GET: operation({
    summary: "List the caller's sessions or, as an administrator, those of another `user`",
    access: 'user',
    scope: 'account',
    query: { user, ...pageParameters },
    status: 200,
    answer: listOf(sessionSchema),
    refusals: sessionRefusals,
    run: async ({ query, caller, request }) => answerList(await listSessions(query, caller), request),
  }),
  POST: operation({
    summary: 'Log in with a username or e-mail address and a password; with `cookie`, the browser keeps the token',
    access: 'anyone',
    body: {
      username: loginName,
      password: about('The password of the account.', anyText),
      second_factor: about(
        'A code of the second factor, if the account has one: of the app, or a recovery code.',
        optional(secondFactorCode),
      ),
      ...wantsCookie,
    },
    status: 201,
    answer: newSessionSchema,
    headers: { 'Set-Cookie': cookieHeader },
    refusals: [wrongLogin, ...passwordRefusals, secondFactorRequired, wrongSecondFactor, tooManyRequests, ...cookieRefusals],
    run: async ({ body: { username, password, second_factor: code, cookie }, request: { source, headers } }) => {
      if (cookie) requireOwnOrigin(headers);
      const session = await logIn({ name: username, password, code, source, agent: headers['user-agent'] });
      return cookie ? answerInCookie(session, headers) : session;
    },
  }),
  DELETE: operation({
    summary: 'End all other sessions of the caller or, as an administrator, all sessions of another `user`',
    access: 'user',
    scope: 'account',
    query: { user, tokens_since: tokensSince },
    status: 204,
    refusals: sessionRefusals,
    security: ({ query }) => query.user && { event: 'sessions ended', whom: query.user.toHexString() },
    audit: ({ query: { user, tokens_since: since } }, caller) =>
      actOnUser(user, 'user.sessions_ended', caller, since && { tokens_since: since.toISOString() }),
    run: ({ query, caller }) => endOtherSessions(query, caller),
  }),
});
