import { Answer } from '../lib/http/answers.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { cookieRefusals, requireOwnOrigin, signInCookie, signInCookieHeader } from '../lib/http/session-cookie.ts';
import { secondsToSignIn } from '../lib/oidc/requests.ts';
import { startParameters, startRefusals, startSchema, startSignIn } from '../lib/oidc/start.ts';

/** `/api/oidc/start`: starts a sign-in through the identity provider. */
export const handler = endpoint({
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
