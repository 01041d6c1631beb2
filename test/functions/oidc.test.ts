import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { ObjectId } from 'mongodb';
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { oidcRequests } from '../../lib/collections/accounts/oidc-requests.ts';
import { tokens } from '../../lib/collections/accounts/tokens.ts';
import { type UserDocument, users } from '../../lib/collections/accounts/users.ts';
import { audit } from '../../lib/collections/service/audit.ts';
import { applyGroup } from '../../lib/oidc/accounts.ts';
import { personOf } from '../../lib/oidc/people.ts';
import { config } from '../../lib/settings/config.ts';
import { aName, anAccount, anAdmin, aSession, logIn } from '../support/accounts.ts';
import { useConfig, useOwnDatabase, withPatience } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { aKey, type Claims, startIdentityProvider } from '../support/identity-provider.ts';
import { answerOf, begin, CookieJar, signInBy, userOf } from '../support/oidc-browser.ts';
import { outcome } from '../support/responses.ts';
import { admin } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

// The provider sends sign-outs to this server, which forwards them to the function.
const forwarding = createServer(async (request, response) => {
  const { inProcess } = await import('../support/transports.ts');
  const headers = { 'content-type': String(request.headers['content-type']) };
  const { status } = await inProcess('POST', '/api/oidc/logout', { headers, body: await text(request) });
  response.writeHead(status).end();
}).listen(0, '127.0.0.1');
await once(forwarding, 'listening');
const provider = await startIdentityProvider({
  callback: 'https://chat.example.org/oidc',
  logout: `http://127.0.0.1:${(forwarding.address() as AddressInfo).port}/`,
});
useConfig({ ...provider.settings, OIDC_ADMIN_GROUP: 'chat-admins' });
useOwnDatabase();

afterAll(() => {
  provider.close();
  forwarding.close();
});
beforeEach(() => {
  provider.state.mode = 'works';
});

/** A new person at the provider. */
function aPerson(claims: Claims = {}): string {
  const name = aName();
  provider.people.set(name, { preferred_username: name, email: `${name}@example.org`, email_verified: true, ...claims });
  return name;
}

const signIn = (person: string, options = {}) => signInBy(provider, person, options);
const sessionsOf = async (person: string) => {
  const account = await users.findOne({ 'identity.subject': person });
  return { user: account?._id ?? new ObjectId(), kind: 'session' as const };
};

const expired = refusals.denied('This sign-in has expired, or was started in another browser. Start again.');
const refused = refusals.denied('The identity provider did not confirm this sign-in. Start again.');

describe('signing in by an identity provider', () => {
  it('signing in by an identity provider creates an account at the first time, and finds it later, even after a rename', async () => {
    const person = aPerson({ name: 'Ann Example' });
    const first = await signIn(person, { sent: { path: '/rooms/1?panel=pins' } });
    expect(first).toMatchObject({
      status: 201,
      body: {
        user: {
          username: person,
          name: 'Ann Example',
          email: `${person}@example.org`,
          is_admin: false,
          is_active: true,
          is_connected: true,
        },
        path: '/rooms/1?panel=pins',
      },
    });
    expect(first.body).not.toHaveProperty('token');
    expect(first.headers['set-cookie']).toMatch(
      /^__Host-session=[a-z0-9]{32}; Max-Age=2592000; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect((await call('GET', '/api/users/me', { token: first.browser.session })).body).toEqual(userOf(first));
    provider.people.set(person, { preferred_username: aName(), email: 'other@example.org', email_verified: true });
    const second = await signIn(person);
    expect(userOf(second)).toEqual(userOf(first));
    expect(second.browser.session).not.toBe(first.browser.session);
    expect(await users.countDocuments({ 'identity.subject': person })).toBe(1);
  });

  it('signing in by an identity provider makes one account where a person signs in for the first time in many tabs at the same moment', async () => {
    const person = aPerson();
    const all = await Promise.all(Array.from({ length: 6 }, () => signIn(person)));
    expect(new Set(all.map((one) => userOf(one)._id.$oid)).size).toBe(1);
    expect(all.map(({ status }) => status)).toEqual(Array(6).fill(201));
  });

  it('an account that has changed during the sign-in is not made an administrator, and neither the log nor the audit log says so', async () => {
    const name = aPerson({ groups: ['chat-admins'] });
    const read = { _id: new ObjectId(), is_active: true, is_admin: false, username: name } as UserDocument;
    const output = vi.spyOn(process.stdout, 'write').mockImplementation(() => true);
    onTestFinished(() => output.mockRestore());
    const person = personOf(
      { iss: 'https://id.example', sub: name, groups: ['chat-admins'] },
      config.identityProviders[0] as never,
    );
    expect(await applyGroup(read, person, config.identityProviders[0] as never)).toBe(read);
    expect(output.mock.calls.flat().join()).not.toContain('made administrator');
    const entries = await audit.find({ 'target.id': read._id }, { sort: { _id: 1 } }).toArray();
    expect(entries).toMatchObject([
      { action: 'user.promoted', failed: null },
      { action: 'user.promoted', failed: entries[0]?._id, details: { error: 'account_changed' } },
    ]);
  });

  it.each([
    ['with accents', 'Zoë.Müller', /^zoe\.muller$/],
    ['of an address', 'jo.public@corp.example', /^jo\.public$/],
    ['of Cyrillic letters', 'Иван Петров', /^ivan\.petrov\d*$/],
    ['of Greek letters', 'Γιώργος', /^giorgos\d*$/],
    ['of Arabic letters', 'محمد', /^mhmd\d*$/],
    ['of Korean letters', '김철수', /^gimcheolsu\d*$/],
    ['that is reserved', 'admin', /^admin\d+$/],
    ['that is too long', 'x'.repeat(300), /^x{56}$/],
  ])('signing in gives a name %s as an account can have it', async (_which, preferred_username, expected) => {
    expect(userOf(await signIn(aPerson({ preferred_username })))).toMatchObject({
      username: expect.stringMatching(expected),
    });
  });

  it.each([
    ['is missing', undefined],
    ['has signs alone', '***'],
    ['is in Chinese characters, which nothing says how to read', '李明'],
    ['looks like an id', 'a'.repeat(24)],
  ])('signing in gives the name of the address if that of the person %s', async (_how, preferred_username) => {
    const email = `${aName()}+chat@example.org`;
    const claims = { ...(preferred_username !== undefined && { preferred_username }), email };
    const person = aPerson(claims);
    if (preferred_username === undefined) provider.people.set(person, { email, name: 'Ann Example' });
    expect(userOf(await signIn(person)).username).toBe(email.replace(/\+.*/, ''));
  });

  it('signing in takes no control character into a full name', async () => {
    expect(userOf(await signIn(aPerson({ name: 'Ann\u0007\u0000 Exa\u001b[31mmple\n' })))).toMatchObject({ name: 'Ann Example' });
  });

  it('signing in by an identity provider gives a name that is taken a number, and leaves the account that has it alone', async () => {
    const { username, id } = await anAccount();
    const [one, two] = [
      await signIn(aPerson({ preferred_username: username })),
      await signIn(aPerson({ preferred_username: username })),
    ];
    expect([userOf(one).username, userOf(two).username]).toEqual([`${username}2`, `${username}3`]);
    expect(await users.findOne({ _id: new ObjectId(id) })).not.toHaveProperty('identity');
  });

  it('signing in by an identity provider needs an address that an account can have', async () => {
    const missing = refusals.denied('The identity provider did not send a valid e-mail address.');
    for (const email of [undefined, 'no address', 'two@@example.org'])
      expect(outcome(await signIn(aPerson({ email })))).toEqual(missing);
  });

  it('signing in by an identity provider is refused to a deactivated account, with a sentence', async () => {
    const person = aPerson();
    const { _id } = userOf(await signIn(person));
    await users.updateOne({ _id: new ObjectId(_id.$oid) }, { $set: { is_active: false } });
    expect(outcome(await signIn(person))).toEqual(refusals.denied('This account is deactivated.'));
  });

  it('signing in by an identity provider begins with a new account after the old one was deleted', async () => {
    const person = aPerson();
    const first = await signIn(person);
    expect((await call('DELETE', '/api/users/me', { token: first.browser.session, body: {} })).status).toBe(204);
    const second = await signIn(person);
    expect(userOf(second)._id).not.toEqual(userOf(first)._id);
  });

  it.each(['//evil.example', '/\\evil.example', 'https://evil.example', '/a b', '', '/%0d%0a\n', 'javascript:alert(1)'])(
    'signing in leads to no page but its own: %j',
    async (path) => {
      const { status } = await call('POST', '/api/oidc/start', { body: { path } });
      expect(status).toBe(400);
    },
  );
});

describe('an account of somebody else', () => {
  /**
   * Ten ways to attack a victim's account, each with its outcome: a separate account, or an error.
   */
  const ways: [string, (victim: { username: string; email: string; id: string }) => Claims][] = [
    ['the same address, confirmed', ({ email }) => ({ email, email_verified: true })],
    ['the same address, not confirmed', ({ email }) => ({ email, email_verified: false })],
    ['the same address, confirmed in words', ({ email }) => ({ email, email_verified: 'true' })],
    ['the address in capitals', ({ email }) => ({ email: email.toUpperCase() })],
    ['the address with a dot at its end', ({ email }) => ({ email: `${email}.` })],
    ['the same username', ({ username }) => ({ preferred_username: username })],
    ['the username in capitals', ({ username }) => ({ preferred_username: username.toUpperCase() })],
    ['the username as a mention', ({ username }) => ({ preferred_username: `@${username}` })],
    ['the username before another domain', ({ username }) => ({ preferred_username: `${username}@evil.example` })],
    ['the id of the account', ({ id }) => ({ preferred_username: id, nickname: id })],
  ];

  it.each(ways)('an account of somebody else is not opened by %s', async (_way, claim) => {
    const victim = await anAccount();
    const person = aPerson(claim(victim));
    const reply = await signIn(person);
    if (reply.status === 201) expect(userOf(reply)._id.$oid).not.toBe(victim.id);
    else expect(reply).toMatchObject({ status: 409, body: { code: 'address_taken' } });
    expect(await users.findOne({ _id: new ObjectId(victim.id) })).not.toHaveProperty('identity');
  });

  it('an account of somebody else is not opened by a subject that differs in case', async () => {
    const person = aPerson();
    const first = await signIn(person);
    provider.people.set(person.toUpperCase(), { preferred_username: aName(), email: `${aName()}@example.org` });
    expect(userOf(await signIn(person.toUpperCase()))._id).not.toEqual(userOf(first)._id);
  });
});

describe('a sign-in that has begun', () => {
  it('a sign-in that has begun is completed once', async () => {
    const browser = new CookieJar();
    const back = answerOf(await provider.signIn(await begin(browser), aPerson()));
    const replies = await Promise.all([1, 2, 3].map(() => browser.post('/api/oidc/callback', back)));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 403, 403]);
    expect(outcome(await browser.post('/api/oidc/callback', back))).toEqual(expired);
  });

  it('a sign-in that has begun is completed by the browser that has begun it alone, and a thief of its code leaves it to that', async () => {
    const [ann, thief] = [new CookieJar(), new CookieJar()];
    const back = answerOf(await provider.signIn(await begin(ann), aPerson()));
    const own = new URL(await begin(thief)).searchParams.get('state') ?? '';
    expect(outcome(await thief.post('/api/oidc/callback', back))).toEqual(expired);
    // With the attacker's own state, the code belongs to another sign-in.
    expect(outcome(await thief.post('/api/oidc/callback', { ...back, state: own }))).toEqual(refused);
    expect(thief.session).toBeUndefined();
  });

  it('a sign-in that has begun is not completed with the secret of another sign-in', async () => {
    const browser = new CookieJar();
    const [first, second] = [await begin(browser), await begin(browser)].map(
      (url) => new URL(url).searchParams.get('state') ?? '',
    );
    const back = answerOf(await provider.signIn(await begin(browser), aPerson()));
    const name = (state = '') => `__Host-oidc-${state.slice(0, 8)}`;
    browser.cookies.set(name(back.state), browser.cookies.get(name(first)) ?? '');
    expect(outcome(await browser.post('/api/oidc/callback', back))).toEqual(expired);
    expect(browser.cookies.get(name(second))).toMatch(/^[a-z0-9]{32}$/);
  });

  it.each([
    ['another nonce', (url: URL) => url.searchParams.set('nonce', 'another')],
    ['another code challenge', (url: URL) => url.searchParams.set('code_challenge', 'b'.repeat(43))],
    ['another client', (url: URL) => url.searchParams.set('client_id', 'another')],
  ])('a sign-in that has begun is refused after the provider was asked with %s', async (_which, change) => {
    const browser = new CookieJar();
    const url = new URL(await begin(browser));
    change(url);
    const back = await provider.signIn(url.href, aPerson());
    expect(outcome(await browser.post('/api/oidc/callback', answerOf(back)))).toEqual(refused);
  });

  it.each([
    ['the name of another issuer', { iss: 'https://evil.example' }],
    ['no issuer, although the provider names itself', { iss: undefined }],
    ['a code that the provider did not give', { code: 'guessed' }],
  ])('a sign-in that has begun is refused with %s', async (_which, changed) => {
    const browser = new CookieJar();
    const back = answerOf(await provider.signIn(await begin(browser), aPerson()));
    expect(outcome(await browser.post('/api/oidc/callback', { ...back, ...changed }))).toEqual(refused);
  });

  it('a sign-in that has begun is good for ten minutes', async () => {
    const browser = new CookieJar();
    const { headers } = await browser.post('/api/oidc/start', {});
    expect(headers['set-cookie']).toMatch(
      /^__Host-oidc-[a-z0-9]{8}=[a-z0-9]{32}; Max-Age=600; Path=\/; HttpOnly; SameSite=Strict; Secure$/,
    );
    const back = answerOf(await provider.signIn(await begin(browser), aPerson()));
    await oidcRequests.updateMany({}, { $set: { expires_at: new Date(Date.now() - 1_000) } });
    expect(outcome(await browser.post('/api/oidc/callback', back))).toEqual(expired);
  });

  it('a sign-in that has begun and its end are refused to pages of other origins, and there is no other way than its own', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    const foreign = refusals.denied("Only a page of the service's own origin gets a session in a cookie.");
    for (const [path, body] of [
      ['/api/oidc/start', {}],
      ['/api/oidc/callback', { code: 'a', state: 'b' }],
    ] as const)
      expect(outcome(await call('POST', path, { body, headers }))).toEqual(foreign);
    const url = new URL(await begin(new CookieJar()));
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      client_id: 'chat',
      response_type: 'code',
      scope: 'openid profile email',
      redirect_uri: 'https://chat.example.org/oidc',
      code_challenge_method: 'S256',
    });
  });
});

describe('an account without a password', () => {
  it('an account without a password takes a session of less than ten minutes for the proof, and no other and no token', async () => {
    const person = aPerson();
    const { browser } = await signIn(person);
    const token = browser.session;
    const make = (by = token) => call('POST', '/api/tokens', { token: by, body: { name: aName() } });
    const made = await make();
    expect(made.status).toBe(201);
    const stale = refusals.denied('Sign in again first: this needs a session that is less than ten minutes old.');
    expect(outcome(await make((made.body as { token: string }).token))).toEqual(stale);
    await tokens.updateMany(await sessionsOf(person), { $set: { created_at: new Date(Date.now() - 601_000) } });
    expect(outcome(await make())).toEqual(stale);
    for (const body of [{ password: 'a new password' }, { password: 'a new password', current_password: 'guessed' }])
      expect(outcome(await call('PATCH', '/api/users/me', { token, body }))).toEqual(stale);
    expect(outcome(await call('DELETE', '/api/users/me', { token, body: {} }))).toEqual(stale);
    expect((await signIn(person)).status).toBe(201);
  });

  it('an account without a password is signed in to by no password until it sets one', async () => {
    const person = aPerson();
    const { browser } = await signIn(person);
    for (const password of ['', 'undefined', 'correct horse'].filter(Boolean))
      expect(await logIn(call, person, password)).toMatchObject({ status: 401 });
    const body = { password: 'correct horse' };
    expect((await call('PATCH', '/api/users/me', { token: browser.session, body })).status).toBe(200);
    expect((await logIn(call, person, 'correct horse')).status).toBe(201);
    expect((await signIn(person)).status).toBe(201);
  });
});

describe('connecting an account with a person at the provider', () => {
  async function signedIn() {
    const account = await anAccount();
    const browser = new CookieJar();
    browser.cookies.set('__Host-session', await aSession(call, account));
    return { account, browser };
  }
  const link = { sent: { link: true, path: '/settings/profile' } };

  it('connecting an account with a person at the provider lets the person sign in to it, also with another address, and starts no other session', async () => {
    const { account, browser } = await signedIn();
    const before = browser.session;
    const person = aPerson();
    const linked = await signIn(person, { browser, ...link });
    expect(linked).toMatchObject({ status: 201, body: { user: { username: account.username }, path: '/settings/profile' } });
    expect(browser.session).toBe(before);
    expect(userOf(await signIn(person))).toMatchObject({ username: account.username, email: account.email });
    expect((await logIn(call, account.username, account.password)).status).toBe(201);
  });

  it('connecting an account with a person at the provider needs somebody who has just signed in', async () => {
    expect((await call('POST', '/api/oidc/start', { body: { link: true } })).status).toBe(401);
    const { account, browser } = await signedIn();
    const stale = refusals.denied('Sign in again first: this needs a session that is less than ten minutes old.');
    expect(outcome(await call('POST', '/api/oidc/start', { token: account.token, body: { link: true } }))).toEqual(stale);
    await tokens.updateMany({ user: new ObjectId(account.id) }, { $set: { created_at: new Date(Date.now() - 601_000) } });
    expect(outcome(await browser.post('/api/oidc/start', { link: true }))).toEqual(stale);
  });

  it('connecting an account is refused for another account than the one that has begun it', async () => {
    const [ann, mallory] = [await signedIn(), await signedIn()];
    const back = answerOf(await provider.signIn(await begin(ann.browser, { link: true }), aPerson()));
    ann.browser.cookies.set('__Host-session', mallory.browser.session ?? '');
    expect(outcome(await ann.browser.post('/api/oidc/callback', back))).toEqual(
      refusals.denied('You are now signed in with another account. Start again.'),
    );
  });

  it('the command line disconnects an account from its provider, and ends its sessions', async () => {
    const { account, browser } = await signedIn();
    const person = aPerson();
    await signIn(person, { browser, ...link });
    const { session } = (await signIn(person)).browser;
    const parted = await admin(['user', 'disconnect', account.username]);
    expect(parted).toMatchObject({ code: 0, stdout: `Disconnected ${account.username} from the identity provider.\n` });
    expect((await call('GET', '/api/users/me', { token: session })).status).toBe(401);
    expect(userOf(await signIn(person))._id.$oid).not.toBe(account.id);
    expect(await admin(['user', 'disconnect', account.username])).toMatchObject({
      code: 1,
      stderr: 'The account is not connected to an identity provider.\n',
    });
  });

  it('connecting an account is done once for an account, and once for a person', async () => {
    const [ann, bob] = [await signedIn(), await signedIn()];
    const person = aPerson();
    expect((await signIn(person, { browser: ann.browser, ...link })).status).toBe(201);
    expect(outcome(await signIn(person, { browser: bob.browser, ...link }))).toEqual(
      refusals.conflict('This identity at the provider belongs to another account.'),
    );
    expect(outcome(await signIn(aPerson(), { browser: ann.browser, ...link }))).toEqual(
      refusals.conflict('The account is connected already.'),
    );
  });
});

describe('the group of administrators', () => {
  it('the group of administrators makes members administrators at the sign-in, and others lose what the group gave', async () => {
    await anAdmin();
    const person = aPerson({ groups: ['staff'] });
    const is_admin = async () => userOf(await signIn(person)).is_admin;
    const groups = (...all: string[]) => provider.people.set(person, { ...provider.people.get(person), groups: all });
    expect(await is_admin()).toBe(false);
    groups('staff', 'chat-admins');
    expect(await is_admin()).toBe(true);
    groups('chat-admins-not');
    expect(await is_admin()).toBe(false);
    // Rights from another administrator remain.
    await users.updateOne({ 'identity.subject': person }, { $set: { is_admin: true } });
    groups('staff');
    expect(await is_admin()).toBe(true);
    expect(userOf(await signIn(aPerson({ groups: ['chat-admins'] }))).is_admin).toBe(true);
  });

  it('the group of administrators does not take the role from the last administrator', async () => {
    const person = aPerson({ groups: ['chat-admins'] });
    await signIn(person);
    const others = { is_admin: true, 'identity.subject': { $ne: person } };
    const before = await users.find(others).toArray();
    await users.unscoped.updateMany(others, { $set: { is_admin: false } });
    provider.people.set(person, { ...provider.people.get(person), groups: [] });
    expect(userOf(await signIn(person)).is_admin).toBe(true);
    await users.unscoped.updateMany({ _id: { $in: before.map(({ _id }) => _id) } }, { $set: { is_admin: true } });
    expect(userOf(await signIn(person)).is_admin).toBe(false);
  });
});

describe('the identity provider', () => {
  it('the identity provider may sign with another key from one moment to the next', async () => {
    const person = aPerson();
    expect((await signIn(person)).status).toBe(201);
    provider.rotateKeys();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await signIn(person)).status).toBe(201);
  });

  it('the identity provider must sign its tokens with a published key', async () => {
    const person = aPerson();
    provider.rotateKeys();
    provider.state.mode = 'shows other keys';
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect(outcome(await signIn(person))).toEqual(refused);
    provider.state.mode = 'works';
    provider.rotateKeys();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect((await signIn(person)).status).toBe(201);
  });

  it('the identity provider ends the sessions of somebody who signs out there, and leaves named tokens and others alone', async () => {
    const [person, other] = [aPerson(), aPerson()];
    const sessions = [await signIn(person), await signIn(person)].map(({ browser }) => browser.session);
    const stays = (await signIn(other)).browser.session;
    const { body } = await call('POST', '/api/tokens', { token: sessions[0], body: { name: aName() } });
    await provider.signOut(person);
    const statuses = async (all: (string | undefined)[]) =>
      Promise.all(all.map(async (token) => (await call('GET', '/api/users/me', { token })).status));
    expect(await statuses(sessions)).toEqual([401, 401]);
    expect(await statuses([stays, (body as { token: string }).token])).toEqual([200, 200]);
    await provider.signOut('somebody without an account');
  });

  const logOutBy = (logout_token: string) =>
    call('POST', '/api/oidc/logout', {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token }).toString(),
    });
  const logoutClaims = (sub: string) => ({
    iss: provider.issuer,
    aud: 'chat',
    sub,
    iat: Math.floor(Date.now() / 1_000),
    jti: aName(),
    events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
  });

  it.each([
    ['that is none', () => ({}), async () => 'a'],
    ['that is longer than any', () => ({}), async () => 'a'.repeat(20_000)],
    ['that says nothing of an end', () => ({ events: {} }), provider.sign],
    ['that may be for a sign-in', () => ({ nonce: 'a' }), provider.sign],
    ['for another client', () => ({ aud: 'another' }), provider.sign],
    ['of another issuer', () => ({ iss: 'https://evil.example' }), provider.sign],
    ['that is old', () => ({ iat: Math.floor(Date.now() / 1_000) - 700 }), provider.sign],
    ['that names nobody', () => ({ sub: undefined }), provider.sign],
    ['that names more than one', () => ({ sub: ['a', 'b'] }), provider.sign],
    ['with a session that can be none', () => ({ sid: '' }), provider.sign],
    ['with a session that is no text', () => ({ sub: undefined, sid: { $ne: '' } }), provider.sign],
    ['without an id', () => ({ jti: undefined }), provider.sign],
    ['that somebody else has signed', () => ({}), (claims: object) => provider.sign({ ...claims }, aKey())],
    ['that nobody has signed', () => ({}), async (claims: object) => `${encode({ alg: 'none' })}.${encode(claims)}.`],
  ])('the identity provider ends no session by a logout token %s', async (_which, changes, sign) => {
    const person = aPerson();
    const token = (await signIn(person)).browser.session;
    expect([400, 403]).toContain((await logOutBy(await sign({ ...logoutClaims(person), ...changes() }))).status);
    expect((await call('GET', '/api/users/me', { token })).status).toBe(200);
    expect((await logOutBy(await provider.sign(logoutClaims(person)))).status).toBe(204);
    expect((await call('GET', '/api/users/me', { token })).status).toBe(401);
  });

  it.each([
    ['45 seconds ahead', 45, 204],
    ['two minutes ahead', 120, 403],
    ['ten minutes and 45 seconds behind', -645, 204],
  ])('the identity provider may have a clock that is a minute off: %s', async (_how, seconds, status) => {
    const claims = logoutClaims(aPerson());
    expect((await logOutBy(await provider.sign({ ...claims, iat: claims.iat + seconds }))).status).toBe(status);
  });

  const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url');
});

describe('the service without the identity provider', () => {
  it.each(['fails', 'floods', 'hangs'] as const)('passwords work, with a sentence in time, if the provider %s', async (mode) => {
    const browser = new CookieJar();
    const back = answerOf(await provider.signIn(await begin(browser), aPerson()));
    provider.state.mode = mode;
    // The browser's request has 10 seconds.
    expect(config.patienceMs.identityProvider).toBeLessThan(5_000);
    const reply = await withPatience({ identityProvider: 200 }, () => browser.post('/api/oidc/callback', back));
    expect(outcome(reply)).toMatchObject({
      status: 503,
      body: { description: 'The identity provider did not answer in time.' },
    });
    const account = await anAccount();
    expect((await logIn(call, account.username, account.password)).status).toBe(201);
  });

  it('a logout token that needs the keys of a provider out of reach can be sent again', async () => {
    provider.rotateKeys();
    provider.state.mode = 'hangs';
    // Keys are read at most once a second.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    const logout_token = await provider.sign({ iss: provider.issuer, sub: 'a', aud: 'chat', jti: 'a', iat: 0 });
    const headers = { 'content-type': 'application/x-www-form-urlencoded' };
    const body = new URLSearchParams({ logout_token }).toString();
    const end = () => call('POST', '/api/oidc/logout', { headers, body });
    expect((await withPatience({ identityProvider: 200 }, end)).status).toBe(503);
  });
});
