import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { tokens } from '../../lib/collections/accounts/tokens.ts';
import { providerSessionOf } from '../../lib/oidc/provider-sessions.ts';
import { aName, logIn } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { answerOf, begin, CookieJar, signInBy, userOf } from '../support/oidc-browser.ts';
import { outcome } from '../support/responses.ts';
import { inProcess as call } from '../support/transports.ts';

// The provider reports sign-outs here. It acts as a server in front of the function.
const forwarding = createServer(async (request, response) => {
  const { inProcess } = await import('../support/transports.ts');
  const headers = { 'content-type': String(request.headers['content-type']) };
  const { status } = await inProcess('POST', '/api/oidc/logout', { headers, body: await text(request) });
  response.writeHead(status).end();
}).listen(0, '127.0.0.1');
await once(forwarding, 'listening');
const logout = `http://127.0.0.1:${(forwarding.address() as AddressInfo).port}/`;
const [provider, other] = [
  await startIdentityProvider({ callback: 'https://chat.example.org/oidc', logout, hasSessions: true }),
  await startIdentityProvider({ callback: 'https://chat.example.org/oidc/other', logout, hasSessions: true }),
];
useConfig({
  ...provider.settings,
  OIDC_PROVIDERS: JSON.stringify([
    { id: 'other', name: 'Other ID', issuer: other.issuer, client_id: 'chat', client_secret: other.settings.OIDC_CLIENT_SECRET },
  ]),
});

afterAll(() => {
  provider.close();
  other.close();
  forwarding.close();
});

function aPerson(): string {
  const name = aName();
  provider.people.set(name, { preferred_username: name, email: `${name}@example.org` });
  return name;
}

/** A session of a browser of its own, and the one at the provider that has begun it. */
async function signIn(person: string) {
  const reply = await signInBy(provider, person);
  expect(reply.status).toBe(201);
  expect(provider.state.sid).not.toBe('');
  return { token: reply.browser.session, sid: provider.state.sid, id: new ObjectId(userOf(reply)._id.$oid) };
}

const isOpen = async (token: string | undefined) => (await call('GET', '/api/users/me', { token })).status === 200;

async function logOutBy(claims: object, by = provider): Promise<number> {
  const iat = Math.floor(Date.now() / 1_000);
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
  const logout_token = await by.sign({ iss: by.issuer, aud: 'chat', iat, jti: aName(), events, ...claims });
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return (await call('POST', '/api/oidc/logout', { headers, body: new URLSearchParams({ logout_token }).toString() })).status;
}

describe('the end of one session at the identity provider', () => {
  it('the end of one session at the provider, by its id alone, ends the sessions that it started, and no others or named tokens', async () => {
    const person = aPerson();
    const [one, two] = [await signIn(person), await signIn(person)];
    const stranger = await signIn(aPerson());
    const named = (await call('POST', '/api/tokens', { token: one.token, body: { name: aName() } })).body as { token: string };
    expect(await logOutBy({ sid: one.sid })).toBe(204);
    const all = [one, two, stranger, named].map(({ token }) => isOpen(token));
    expect(await Promise.all(all)).toEqual([false, true, true, true]);
    expect(await logOutBy({ sid: one.sid })).toBe(204);
    expect(await isOpen(two.token)).toBe(true);
  });

  it('the end of one session at the provider as the provider itself tells it, with the person, ends also what no session at the provider is known to have begun', async () => {
    const person = aPerson();
    const two = await signIn(person);
    const body = { password: 'a horse, a battery', keep_tokens: true };
    expect((await call('PATCH', '/api/users/me', { token: two.token, body })).status).toBe(200);
    const again = await signIn(person);
    const login = (await logIn(call, person, 'a horse, a battery')).body as { token: string };
    await provider.signOut(person, again.sid);
    const all = [again, login, two].map(({ token }) => isOpen(token));
    expect(await Promise.all(all)).toEqual([false, false, true]);
  });

  it('the end of one session at the provider with a person ends nothing of another one, and none is known by the person alone', async () => {
    const [ann, bob] = [await signIn(aPerson()), await signIn(aPerson())];
    const person = aPerson();
    const [one, two] = [await signIn(person), await signIn(person)];
    expect(await logOutBy({ sub: person, sid: ann.sid })).toBe(204);
    expect(await Promise.all([ann, bob, one, two].map(({ token }) => isOpen(token)))).toEqual([true, true, true, true]);
    expect(await logOutBy({ sub: person })).toBe(204);
    expect(await Promise.all([ann, bob, one, two].map(({ token }) => isOpen(token)))).toEqual([true, true, false, false]);
  });

  it('the end of one session at the provider is accepted once per logout token', async () => {
    const person = aPerson();
    const one = await signIn(person);
    const jti = aName();
    expect(await logOutBy({ sub: person, jti })).toBe(204);
    expect(await isOpen(one.token)).toBe(false);
    const two = await signIn(person);
    expect(await logOutBy({ sub: person, jti })).toBe(400);
    expect(await isOpen(two.token)).toBe(true);
    expect(await logOutBy({ sub: person })).toBe(204);
    expect(await isOpen(two.token)).toBe(false);
  });

  it('the end of one session at the provider concerns only this provider, even if another one uses the same id', async () => {
    const { token, sid } = await signIn(aPerson());
    expect(await logOutBy({ sid }, other)).toBe(204);
    expect(await isOpen(token)).toBe(true);
    expect(await logOutBy({ sid, iss: provider.issuer }, other)).toBe(403);
    expect(await isOpen(token)).toBe(true);
  });

  it.each([
    ['of no characters', ''],
    ['of too many', 'a'.repeat(1_001)],
    ['that is a number', 7],
    ['that is a list', ['a']],
  ])('the end of one session at the provider is not taken from an id %s', async (_which, sid) => {
    expect(await logOutBy({ sid })).toBe(400);
  });

  it.each([
    ['alone', false, () => ({ sid: provider.state.sid })],
    ['with the person', false, (sub: string) => ({ sub, sid: provider.state.sid })],
    ['with the person, who has no account yet', true, (sub: string) => ({ sub, sid: provider.state.sid })],
  ])(
    'the end of one session at the provider, named %s, stops a sign-in that is under way, whose code the provider has given before',
    async (_how, isFirst, claimsOf) => {
      const person = aPerson();
      if (!isFirst) await signIn(person);
      const browser = new CookieJar();
      const back = answerOf(await provider.signIn(await begin(browser), person));
      let status = 0;
      provider.state.beforeUserinfo = async () => {
        status = await logOutBy(claimsOf(person));
      };
      const reply = await browser.post('/api/oidc/callback', back);
      provider.state.beforeUserinfo = undefined;
      expect(status).toBe(204);
      expect(outcome(reply)).toEqual(refusals.denied('The identity provider did not confirm this sign-in. Start again.'));
      expect(browser.session).toBeUndefined();
      const session = providerSessionOf(provider.issuer, provider.state.sid) ?? '';
      expect(await tokens.find({ provider_session: session }).toArray()).toEqual([]);
      // The next one is another session.
      expect(await isOpen((await signIn(person)).token)).toBe(true);
    },
  );
});
