import { Answer } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { pathFamily } from '../lib/http/path-family.ts';
import {
  answerInCookie,
  cookieHeader,
  cookieRefusals,
  requireOwnOrigin,
  signInCookie,
  signInCookieHeader,
  signInCookieOf,
} from '../lib/http/session-cookie.ts';
import { logOut, logoutRefusals } from '../lib/oidc/logout.ts';
import { secondsToSignIn } from '../lib/oidc/requests.ts';
import {
  callbackParameters,
  callbackRefusals,
  completeSignIn,
  exampleAnswer,
  exampleSignIn,
  signInSchema,
} from '../lib/oidc/sign-in.ts';
import { startParameters, startRefusals, startSchema, startSignIn } from '../lib/oidc/start.ts';

const start = endpoint({
  POST: operation({
    summary: 'Start a sign-in at the identity provider: open `url` in the browser',
    access: 'anyone',
    body: startParameters,
    example: {
      body: { path: '/' },
      answer: { url: 'https://id.example.org/auth?client_id=chat&response_type=code&code_challenge_method=S256' },
    },
    status: 201,
    headers: { 'Set-Cookie': signInCookieHeader },
    answer: startSchema,
    refusals: [...startRefusals, ...cookieRefusals],
    run: async ({ body, caller, request: { source, headers } }) => {
      requireOwnOrigin(headers);
      const { url, state, secret } = await startSignIn(body, source, caller);
      return new Answer({ url }, { 'Set-Cookie': signInCookie(headers, state, secret, secondsToSignIn) });
    },
  }),
});

const callback = endpoint({
  POST: operation({
    summary: 'Complete a sign-in with the answer of the identity provider: starts a session in a cookie, or connects the account',
    access: 'anyone',
    body: callbackParameters,
    example: { body: exampleAnswer, answer: exampleSignIn },
    status: 201,
    headers: { 'Set-Cookie': cookieHeader },
    answer: signInSchema,
    refusals: [...callbackRefusals, ...cookieRefusals],
    security: (_input, { user, expires_at }) => ({
      event: 'signed in by the identity provider',
      whom: user._id.$oid,
      what: expires_at ? undefined : 'linked',
    }),
    run: async ({ body, caller, request }) => {
      requireOwnOrigin(request.headers);
      const { source, headers } = request;
      const secret = signInCookieOf(request, body.state);
      const { token, ...done } = await completeSignIn(body, { source, agent: headers['user-agent'], secret }, caller);
      return token === undefined ? done : answerInCookie({ ...done, token }, headers);
    },
  }),
});

/** Receives sign-outs from the identity provider (back-channel logout). */
const logout = endpoint({
  POST: operation({
    summary: 'End sessions after a logout at the identity provider (Back-Channel Logout)',
    access: 'anyone',
    form: { logout_token: 'The logout token that the identity provider has signed.' },
    example: { body: { logout_token: 'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiI4NjQyIn0.c2lnbmF0dXJl' } },
    status: 204,
    refusals: logoutRefusals,
    run: ({ raw }) => logOut(Buffer.from(raw()).toString()),
  }),
});

/** `/api/oidc/{step}`: signs people in and out through an identity provider. */
export const handler = pathFamily({
  '/api/oidc/start': start,
  '/api/oidc/callback': callback,
  '/api/oidc/logout': logout,
});
