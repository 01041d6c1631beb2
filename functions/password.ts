import { newPasswordRefusals, passwordParameters, setForgottenPassword } from '../lib/accounts/forgotten-passwords.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';

/** `/api/password`: a new password for whoever forgot the old one. */
export const handler = endpoint({
  PUT: operation({
    summary: "Set a new password by a one-time code; ends all of the account's sessions and named tokens",
    access: 'anyone',
    body: passwordParameters,
    status: 204,
    refusals: newPasswordRefusals,
    run: ({ body, request: { source } }) => setForgottenPassword(body, source),
  }),
});
