import { newUserSchema } from '../lib/accounts/accounts.ts';
import { requireRegistration, signUpFor, signUpParameters, signUpRefusals } from '../lib/accounts/sign-ups.ts';
import { listOf } from '../lib/api/schema.ts';
import { actOfCreation } from '../lib/audit/acts.ts';
import { answerList } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { answerInCookie, cookieHeader, cookieRefusals, requireOwnOrigin, wantsCookie } from '../lib/http/session-cookie.ts';
import { foundUserSchema, searchUsers, userSearch, userSearchRefusals } from '../lib/members/people.ts';

/** `/api/users`: sign-up, and the list of users. */
export const handler = endpoint({
  GET: operation({
    summary: 'Find a user by `username`, or search users in shared rooms by name with `q`; administrators search all users',
    access: 'user',
    query: userSearch,
    status: 200,
    remember: ['rooms', 'users'],
    answer: listOf(foundUserSchema),
    refusals: userSearchRefusals,
    run: async ({ query, caller, request }) => answerList(await searchUsers(query, caller), request),
  }),
  POST: operation({
    summary: 'Sign up: create an account and start its first session; with `cookie`, the browser keeps the token',
    access: 'anyone',
    permit: ({ caller }) => requireRegistration(caller),
    body: { ...signUpParameters, ...wantsCookie },
    status: 201,
    headers: { 'Set-Cookie': cookieHeader },
    answer: newUserSchema,
    refusals: [...signUpRefusals, ...cookieRefusals],
    security: ({ body }, { user }) => ({
      event: 'sign-up',
      whom: user._id.$oid,
      what: body.is_admin ? 'administrator' : undefined,
    }),
    audit: ({ body: { username, is_admin } }, caller) => actOfCreation(username, is_admin, caller),
    run: async ({ body: { cookie, ...account }, caller, request: { source, headers } }) => {
      if (cookie) requireOwnOrigin(headers);
      const created = await signUpFor(account, { source, agent: headers['user-agent'] }, caller);
      return cookie ? answerInCookie(created, headers) : created;
    },
  }),
});
