import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { newPasswordRefusals, passwordParameters, setForgottenPassword } from '../lib/sign-in/forgotten-passwords.ts';

/** `/api/password`: sets a new password with a code, without the old one. */
export const handler = endpoint({
  PUT: operation({
    summary: 'Set a new password with a one-time code; all sessions and named tokens of the account end',
    access: 'anyone',
    body: passwordParameters,
    status: 204,
    refusals: newPasswordRefusals,
    run: ({ body, request: { source } }) => setForgottenPassword(body, source),
  }),
});
