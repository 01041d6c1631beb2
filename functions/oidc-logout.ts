import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { logOut, logoutRefusals } from '../lib/oidc/logout.ts';

/** `/api/oidc/logout`: receives sign-outs from the identity provider (back-channel logout). */
export const handler = endpoint({
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
