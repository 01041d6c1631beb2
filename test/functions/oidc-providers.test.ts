import { ObjectId } from 'mongodb';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { oidcRequests } from '../../lib/collections/accounts/oidc-requests.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { hashToken } from '../../lib/identity/authenticate.ts';
import { aName, anAccount, anAdmin, aSession } from '../support/accounts.ts';
import { useConfig, withPatience } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { type Claims, type IdentityProvider, startIdentityProvider } from '../support/identity-provider.ts';
import { answerOf, begin, CookieJar, signInBy, userOf } from '../support/oidc-browser.ts';
import { outcome } from '../support/responses.ts';
import { inProcess as call } from '../support/transports.ts';

const [one, other] = [
  await startIdentityProvider({ callback: 'https://chat.example.org/oidc' }),
  await startIdentityProvider({ callback: 'https://chat.example.org/oidc/other', isOld: true }),
];
useConfig({
  ...one.settings,
  OIDC_ADMIN_GROUP: 'chat-admins',
  OIDC_LINK_BY_EMAIL: 'on',
  OIDC_PROVIDERS: JSON.stringify([
    {
      id: 'other',
      name: 'Other ID',
      issuer: other.issuer,
      client_id: 'another',
      client_secret: 'secret of another, for + and %',
    },
  ]),
});

afterAll(() => {
  one.close();
  other.close();
});
beforeEach(() => {
  for (const { state } of [one, other]) Object.assign(state, { mode: 'works', tokens: undefined });
});

/** A new person at both providers, with the same id, name and address. */
function aPerson(claims: Claims = {}): string {
  const name = aName();
  for (const { people } of [one, other])
    people.set(name, { preferred_username: name, email: `${name}@example.org`, email_verified: true, ...claims });
  return name;
}

const atOther = { sent: { provider: 'other' } };
const refused = refusals.denied('The identity provider did not confirm this sign-in. Start again.');
const isSignedIn = async (token: string | undefined) => (await call('GET', '/api/users/me', { token })).status === 200;

describe('several identity providers', () => {
  it('people sign in by the chosen or the first identity provider, each with its own redirect URI', async () => {
    const asked = async (sent: object) => {
      const url = new URL(await begin(new CookieJar(), sent));
      return [url.origin, url.searchParams.get('client_id'), url.searchParams.get('redirect_uri')];
    };
    expect(await asked({})).toEqual([one.issuer, 'chat', 'https://chat.example.org/oidc']);
    expect(await asked({ provider: 'default' })).toEqual([one.issuer, 'chat', 'https://chat.example.org/oidc']);
    expect(await asked({ provider: 'other' })).toEqual([other.issuer, 'another', 'https://chat.example.org/oidc/other']);
    expect((await signInBy(other, aPerson(), atOther)).status).toBe(201);
    for (const provider of ['third', 'OTHER', '../other'])
      expect(outcome(await call('POST', '/api/oidc/start', { body: { provider } }))).toEqual(
        refusals.invalid('provider', 'be the id of an identity provider'),
      );
  });

  it('the same id at two identity providers is two people, with an account each', async () => {
    const person = aPerson();
    const first = await signInBy(one, person);
    other.people.set(person, { preferred_username: person, email: `${aName()}@example.org`, email_verified: true });
    const second = await signInBy(other, person, atOther);
    expect([first.status, second.status]).toEqual([201, 201]);
    expect(userOf(second)).toMatchObject({ username: `${person}2` });
    expect(await users.countDocuments({ 'identity.subject': person })).toBe(2);
    expect(userOf(await signInBy(one, person))).toEqual(userOf(first));
    expect(userOf(await signInBy(other, person, atOther))).toEqual(userOf(second));
  });

  it('a person of one identity provider gets into no account of another, also with its confirmed address', async () => {
    const person = aPerson();
    const email = `${person}@example.org`;
    await signInBy(one, person);
    expect(outcome(await signInBy(other, person, atOther))).toEqual(
      refusals.conflict('Another account has this e-mail address: sign in to that, and connect it in the settings.'),
    );
    await users.updateOne({ 'identity.subject': person }, { $unset: { identity: '' } });
    expect((await signInBy(other, person, atOther)).status).toBe(409);
    expect(userOf(await signInBy(one, person))).toMatchObject({ email });
  });

  it('an account is connected with a person of either identity provider, and of one alone', async () => {
    const account = await anAccount();
    const browser = new CookieJar();
    browser.cookies.set('__Host-session', await aSession(call, account));
    const person = aPerson();
    expect((await signInBy(other, person, { browser, sent: { provider: 'other', link: true } })).status).toBe(201);
    expect(userOf(await signInBy(other, person, atOther)).username).toBe(account.username);
    expect(outcome(await signInBy(one, person, { browser, sent: { link: true } }))).toEqual(
      refusals.conflict('The account is connected already.'),
    );
  });

  it('the group of administrators of one identity provider is nothing at another', async () => {
    await anAdmin();
    const person = aPerson({ groups: ['chat-admins'] });
    expect(userOf(await signInBy(other, person, atOther)).is_admin).toBe(false);
    expect(userOf(await signInBy(one, aPerson({ groups: ['chat-admins'] }))).is_admin).toBe(true);
  });

  it('an identity provider that hangs holds up none of the others', async () => {
    const browser = new CookieJar();
    const back = answerOf(await other.signIn(await begin(browser, { provider: 'other' }), aPerson()));
    other.state.mode = 'hangs';
    await withPatience({ identityProvider: 1_000 }, async () => {
      const waiting = browser.post('/api/oidc/callback', { ...back, provider: 'other' });
      const first = await Promise.race([waiting, signInBy(one, aPerson())]);
      expect(first).toMatchObject({ status: 201 });
      expect(outcome(await waiting)).toMatchObject({ status: 503 });
    });
    expect((await signInBy(one, aPerson())).status).toBe(201);
  });
});

describe('a malicious provider', () => {
  /**
   * Sends a browser that started at `other` to `one`, as if the service had redirected it there.
   */
  async function misled(browser = new CookieJar()) {
    const asked = new URL(await begin(browser, { provider: 'other' }));
    const address = new URL(await begin(new CookieJar()));
    for (const name of ['state', 'nonce', 'code_challenge']) address.searchParams.set(name, asked.searchParams.get(name) ?? '');
    const back = await one.signIn(address.href, aPerson());
    other.state.asked.length = 0;
    return { browser, back: answerOf(back) };
  }

  it('a malicious provider does not get the code of another one, because their redirect URIs differ', async () => {
    const { browser, back } = await misled();
    expect(outcome(await browser.post('/api/oidc/callback', { ...back, iss: undefined }))).toEqual(refused);
    expect(outcome(await browser.post('/api/oidc/callback', { ...back, provider: 'other' }))).toEqual(
      refusals.denied('This sign-in has expired, or was started in another browser. Start again.'),
    );
    expect(other.state.asked).not.toContain('/token');
  });

  it('a malicious provider does not get the code of another one if only their issuers differ', async () => {
    const { browser, back } = await misled();
    expect(outcome(await browser.post('/api/oidc/callback', { ...back, provider: 'other' }))).toEqual(refused);
    expect(other.state.asked).not.toContain('/token');
  });

  it('a malicious provider cannot complete a sign-in that started at another one', async () => {
    const browser = new CookieJar();
    const state = new URL(await begin(browser)).searchParams.get('state') ?? '';
    const back = answerOf(await other.signIn(await begin(browser, { provider: 'other' }), aPerson()));
    expect(outcome(await browser.post('/api/oidc/callback', { ...back, state, provider: 'other' }))).toEqual(refused);
    expect(outcome(await browser.post('/api/oidc/callback', { ...back, provider: 'other' }))).toMatchObject({ status: 201 });
  });

  it('a malicious provider cannot complete a sign-in of an earlier version, which belongs to the first provider', async () => {
    for (const [provider, at, status] of [
      [one, 'default', 201],
      [other, 'other', 403],
    ] as const) {
      const browser = new CookieJar();
      const back = answerOf(await provider.signIn(await begin(browser, { provider: at }), aPerson()));
      await oidcRequests.updateOne({ _id: hashToken(back.state ?? '') }, { $unset: { issuer: '' } });
      expect((await browser.post('/api/oidc/callback', { ...back, provider: at })).status).toBe(status);
    }
  });

  const seconds = () => Math.floor(Date.now() / 1_000);

  it.each([
    ['that another one has signed', (claims: object) => one.sign({ ...claims, iss: one.issuer })],
    ['of its own name that another one has signed', (claims: object) => one.sign({ ...claims, iss: other.issuer })],
    ['of another name that it has signed itself', (claims: object) => other.sign({ ...claims, iss: one.issuer })],
    ['for another client', (claims: object) => other.sign({ ...claims, iss: other.issuer, aud: 'chat' })],
  ])('a provider that wants what another one has given signs nobody in by a token %s', async (_which, sign) => {
    const person = aPerson();
    const account = userOf(await signInBy(one, person));
    const browser = new CookieJar();
    const url = await begin(browser, { provider: 'other' });
    const back = answerOf(await other.signIn(url, aPerson()));
    const nonce = new URL(url).searchParams.get('nonce');
    const claims = { sub: person, aud: 'another', nonce, iat: seconds(), exp: seconds() + 600 };
    other.state.tokens = { access_token: 'a', token_type: 'Bearer', id_token: await sign(claims) };
    const reply = await browser.post('/api/oidc/callback', { ...back, provider: 'other' });
    expect(outcome(reply)).toEqual(refused);
    expect(browser.session).toBeUndefined();
    expect(await users.findOne({ _id: new ObjectId(account._id.$oid) })).toMatchObject({ identity: { issuer: one.issuer } });
  });

  it('a malicious provider cannot end sessions of another one by a logout token', async () => {
    const person = aPerson();
    const ofOne = (await signInBy(one, person)).browser.session;
    other.people.set(person, { preferred_username: aName(), email: `${aName()}@example.org` });
    const ofOther = (await signInBy(other, person, atOther)).browser.session;
    const logOutBy = async (provider: IdentityProvider, iss: string, aud: string) => {
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} };
      const logout_token = await provider.sign({ iss, aud, sub: person, iat: seconds(), jti: aName(), events });
      const headers = { 'content-type': 'application/x-www-form-urlencoded' };
      return (await call('POST', '/api/oidc/logout', { headers, body: new URLSearchParams({ logout_token }).toString() })).status;
    };
    expect(await logOutBy(other, one.issuer, 'chat')).toBe(403);
    expect(await logOutBy(other, other.issuer, 'chat')).toBe(403);
    expect(await logOutBy(other, 'https://id.example.org', 'another')).toBe(403);
    expect(await logOutBy(other, other.issuer, 'another')).toBe(204);
    expect([await isSignedIn(ofOne), await isSignedIn(ofOther)]).toEqual([true, false]);
  });
});
