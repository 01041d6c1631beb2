import { newSessionSchema } from '../lib/credentials/sessions.ts';
import { endpoint } from '../lib/http/endpoint.ts';
import { operation } from '../lib/http/operation.ts';
import { answerInCookie, cookieHeader, cookieRefusals, requireOwnOrigin, wantsCookie } from '../lib/http/session-cookie.ts';
import { exampleUser } from '../lib/identity/users.ts';
import {
  assertion,
  beginningRefusals,
  beginSignIn,
  confirmByPasskey,
  passkeyChallengeSchema,
  proof,
  proofRefusals,
  signInByPasskey,
  signInRefusals,
} from '../lib/passkeys/passkey-sign-in.ts';

const exampleProof = {
  credential: '0LZ9bpTXtYzDcYnNkEMOCw',
  client_data: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
  authenticator_data: 'SZYN5YgOjGh0NBcPZHZgW4_krrmihjLHmVzzuoMdl2MFAAAAAQ',
  signature: 'MEUCIQCd0aV3v1n8Jt3X3aYv',
  user_handle: 'awFjpDJ_vK_JFuGH',
};

/**
 * `/api/passkey-sessions`: signing in with a passkey, and confirming the caller's identity with it.
 */
export const handler = endpoint({
  POST: operation({
    summary: 'Start a sign-in with a passkey: get the options for `navigator.credentials.get()`',
    access: 'anyone',
    body: {},
    example: { body: {}, answer: { challenge: 'Y2hhbGxlbmdlIG9mIDMyIGJ5dGVzLCBhdCByYW5kb20', rp_id: 'chat.example.org' } },
    status: 201,
    answer: passkeyChallengeSchema,
    refusals: beginningRefusals,
    run: ({ request: { source } }) => beginSignIn(source),
  }),
  PUT: operation({
    summary: 'Sign in with the signature of a passkey; with `cookie`, the browser keeps the token',
    access: 'anyone',
    body: { ...assertion, ...wantsCookie },
    example: {
      body: exampleProof,
      answer: {
        token: '0a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p',
        user: exampleUser,
        expires_at: { $date: '2026-12-21T09:05:06.531Z' },
      },
    },
    status: 201,
    answer: newSessionSchema,
    headers: { 'Set-Cookie': cookieHeader },
    refusals: [...signInRefusals, ...cookieRefusals],
    security: (_input, { user }) => ({ event: 'signed in by a passkey', whom: user._id.$oid }),
    run: async ({ body: { cookie, ...sent }, request: { source, headers } }) => {
      if (cookie) requireOwnOrigin(headers);
      const session = await signInByPasskey(sent, { source, agent: headers['user-agent'] });
      return cookie ? answerInCookie(session, headers) : session;
    },
  }),
  PATCH: operation({
    summary: "Confirm the caller's identity in the current session for ten minutes, with what a passkey has signed",
    access: 'user',
    scope: 'account',
    body: proof,
    example: { body: exampleProof },
    status: 204,
    refusals: proofRefusals,
    security: () => ({ event: 'identity confirmed by a passkey' }),
    run: ({ body, caller, request: { source } }) => confirmByPasskey(body, source, caller),
  }),
});
