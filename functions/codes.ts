import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { codeRequest, codeRequestRefusals, sendCode } from '../lib/sign-in/code-mails.ts';

/** `/api/codes`: sends one-time codes by e-mail. */
export const handler = endpoint({
  POST: operation({
    summary:
      'E-mail a one-time code, for a new password or to confirm the address; the answer does not reveal whether an account exists',
    access: 'anyone',
    body: codeRequest,
    status: 204,
    refusals: codeRequestRefusals,
    run: ({ body, request: { source } }) => sendCode(body, source),
  }),
});
