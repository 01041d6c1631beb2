import { describe, expect, it } from 'vitest';
import { anAccount } from '../support/accounts.ts';
import { addPasskey, beginSignIn, make, sign } from '../support/authenticator.ts';
import { callWith } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { inProcess } from '../support/transports.ts';

const provider = { OIDC_ISSUER: 'https://id.example.org', OIDC_CLIENT_ID: 'chat', SIGN_IN: 'oidc' };
const unavailable = refusals.denied('Passkeys are not available: GET /api/passkeys has the reason.');

describe.each([
  ['PUBLIC_URL is not set', { PUBLIC_URL: '' }, 'no_public_url'],
  ['PUBLIC_URL has no TLS', { PUBLIC_URL: 'http://chat.example.org' }, 'unsuitable_public_url'],
  ['PUBLIC_URL has an address for a name', { PUBLIC_URL: 'https://192.0.2.1' }, 'unsuitable_public_url'],
  ['the identity provider alone signs people in', provider, 'identity_provider'],
])('a passkey where %s', async (_why, settings, obstacle) => {
  const call = callWith({ SMTP_URL: '', EMAIL_CONFIRMATION: 'off', ...settings });

  it('a passkey that cannot be used is listed with the reason, signs nobody in, and can be removed; none can be added', async () => {
    const account = await anAccount();
    const { token } = account;
    // Started and added where passkeys are available, with the same database.
    const { passkey, id } = await addPasskey(inProcess, account);
    const asked = await inProcess('POST', '/api/passkeys', { token, body: { current_password: account.password } });
    const { sent } = make(asked.body as { challenge: string; user_handle: string });
    expect((await call('GET', '/api/passkeys', { token })).body).toMatchObject({
      origin: null,
      obstacle,
      passkeys: [{ name: 'Passkey' }],
    });
    for (const [method, path, body] of [
      ['POST', '/api/passkeys', { current_password: account.password }],
      ['PUT', '/api/passkeys', sent],
      ['POST', '/api/passkey-sessions', {}],
      ['PUT', '/api/passkey-sessions', sign(passkey, await beginSignIn(inProcess))],
    ] as const)
      expect(outcome(await call(method, path, { token, body }))).toEqual(unavailable);
    const body = { current_password: account.password };
    expect((await call('DELETE', `/api/passkeys/${id}`, { token, body })).status).toBe(204);
  });
});
