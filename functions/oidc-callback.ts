import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { answerInCookie, cookieHeader, cookieRefusals, requireOwnOrigin, signInCookieOf } from '../lib/http/session-cookie.ts';
import {
  callbackParameters,
  callbackRefusals,
  completeSignIn,
  exampleAnswer,
  exampleSignIn,
  signInSchema,
} from '../lib/oidc/sign-in.ts';

/** `/api/oidc/callback`: completes a sign-in through the identity provider. */
export const handler = endpoint({
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
