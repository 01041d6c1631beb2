import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { codes } from '../../lib/collections/accounts/codes.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { createCode } from '../../lib/credentials/codes.ts';
import { aName, anAccount, logIn } from '../support/accounts.ts';
import { useConfig, withConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { type Claims, startIdentityProvider } from '../support/identity-provider.ts';
import { anImportedPerson, importSlack } from '../support/imported-people.ts';
import { answerOf, begin, CookieJar, signInBy, userOf } from '../support/oidc-browser.ts';
import { outcome } from '../support/responses.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const provider = await startIdentityProvider({ callback: 'https://chat.example.org/oidc' });
// The most restrictive settings.
useConfig({ ...provider.settings, OIDC_SIGN_UP: 'invited', EMAIL_CONFIRMATION: 'required' });

afterAll(provider.close);

function aPerson(claims: Claims = {}): string {
  const name = aName();
  provider.people.set(name, { preferred_username: name, email: `${name}@example.org`, email_verified: true, ...claims });
  return name;
}

const invitationRequired = refusals.denied('An invitation is required.');
const codeFor = async (username: string): Promise<string> =>
  JSON.parse((await command(['user', 'code', username, '--json'])).stdout).code;
const withCode = async (username: string) => ({ sent: { code: await codeFor(username) } });
const storedOf = (id: string) => users.findOne({ _id: new ObjectId(id) });

const aFactor = { secret: '', since: new Date(), last_step: 0, recovery_codes: [] };

describe('the first sign-in by an identity provider of somebody who was imported', () => {
  it('a first sign-in opens the imported account with the address that the provider has confirmed, and the next ones as well', async () => {
    const { id, email, username } = await anImportedPerson();
    const person = aPerson({ email });
    const first = await signInBy(provider, person);
    expect(userOf(first)).toMatchObject({ _id: { $oid: id }, username, email, is_connected: true });
    expect((await call('GET', '/api/users/me', { token: first.browser.session })).status).toBe(200);
    expect(userOf(await signInBy(provider, person))._id.$oid).toBe(id);
  });

  it('a first sign-in opens the imported account with every combination of the settings for signing in', async () => {
    const choices = [0, 1].flatMap((all) =>
      [0, 1].flatMap((link) => [0, 1].flatMap((mail) => [0, 1, 2].map((who) => [all, link, mail, who]))),
    );
    for (const [all = 0, link = 0, mail = 0, who = 0] of choices) {
      const settings = {
        SIGN_IN: ['all', 'oidc'][all] ?? '',
        OIDC_SIGN_UP: ['all', 'invited'][all] ?? '',
        OIDC_LINK_BY_EMAIL: ['off', 'on'][link] ?? '',
        EMAIL_CONFIRMATION: ['off', 'required'][mail] ?? '',
        REGISTRATION: ['open', 'invited', 'closed'][who] ?? '',
      };
      const { id, email } = await anImportedPerson();
      const signedIn = await withConfig(settings, () => signInBy(provider, aPerson({ email })));
      expect([settings, signedIn.status, userOf(signedIn)?._id.$oid]).toEqual([settings, 201, id]);
    }
  });

  it('with OIDC_CLAIM_IMPORTED=off, only a link opens an imported account, and the refusal says so', async () => {
    const { id, email, username } = await anImportedPerson();
    const person = aPerson({ email });
    await withConfig({ OIDC_CLAIM_IMPORTED: 'off', OIDC_SIGN_UP: 'all' }, async () => {
      expect(await signInBy(provider, person)).toMatchObject({ status: 409, body: { code: 'link_required' } });
      expect(userOf(await signInBy(provider, person, await withCode(username)))._id.$oid).toBe(id);
    });
  });

  it('a first sign-in opens an imported account whose address differs in the case of ASCII letters alone', async () => {
    const { id, email } = await anImportedPerson({}, `${aName()}.ANN@Example.org`);
    expect(userOf(await signInBy(provider, aPerson({ email: email.toLowerCase() })))._id.$oid).toBe(id);
    const kelvin = await anImportedPerson({}, `mike.${aName()}@example.org`);
    // The Kelvin sign, whose lower case is `k`, may be in somebody else's address.
    expect(outcome(await signInBy(provider, aPerson({ email: kelvin.email.replace('k', '\u212a') })))).toEqual(
      invitationRequired,
    );
  });

  it('of two people who have the same confirmed address, the first opens the imported account', async () => {
    const { email, id } = await anImportedPerson();
    const both = await Promise.all([aPerson({ email }), aPerson({ email })].map((person) => signInBy(provider, person)));
    expect(both.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect(userOf(both.find(({ status }) => status === 201) ?? { body: {} })._id.$oid).toBe(id);
  });

  it.each([
    ['has not confirmed', { email_verified: false }],
    ['says nothing of', { email_verified: undefined }],
  ])('a first sign-in does not open an imported account by an address that the provider %s', async (_how, claims) => {
    const { email, id } = await anImportedPerson();
    expect((await signInBy(provider, aPerson({ email, ...claims }))).status).toBe(403);
    expect(await storedOf(id)).not.toHaveProperty('identity');
  });

  it.each<[string, (person: Awaited<ReturnType<typeof anImportedPerson>>) => Promise<unknown>]>([
    ['whose owner has set a password', async ({ username }) => setPassword(await codeFor(username))],
    [
      'that an administrator gave a password',
      ({ id }) => users.updateOne({ _id: new ObjectId(id) }, { $set: { password_hash: 'x' } }),
    ],
    ['that has a token', ({ username }) => command(['token', 'create', username, '--name', 'program'])],
    ['that is an administrator’s', ({ username }) => command(['user', 'promote', username])],
    ['that has a second factor', ({ id }) => users.updateOne({ _id: new ObjectId(id) }, { $set: { second_factor: aFactor } })],
    [
      'that was connected and disconnected again',
      async (person) => {
        await signInBy(provider, aPerson({ email: person.email }));
        await command(['user', 'disconnect', person.username]);
      },
    ],
  ])('a first sign-in does not open an imported account %s', async (_which, use) => {
    const person = await anImportedPerson();
    await use(person);
    expect((await signInBy(provider, aPerson({ email: person.email }))).status).toBe(403);
    expect(await storedOf(person.id)).not.toHaveProperty('identity');
  });

  const setPassword = (code: string) => call('PUT', '/api/password', { body: { code, password: 'a horse, a battery' } });

  it('a first sign-in does not open an account that nobody has imported', async () => {
    const { email } = await anAccount();
    expect(outcome(await signInBy(provider, aPerson({ email })))).toEqual(invitationRequired);
  });

  it('somebody who is deactivated in the source, or a guest there, learns that the account is deactivated, and gets in after it was activated', async () => {
    const { email, username, id } = await anImportedPerson({ is_restricted: true });
    const person = aPerson({ email });
    expect(outcome(await signInBy(provider, person))).toEqual(refusals.denied('This account is deactivated.'));
    await command(['user', 'activate', username]);
    expect(userOf(await signInBy(provider, person))._id.$oid).toBe(id);
  });

  it('a claim invalidates earlier codes of the account', async () => {
    const { email, username, id } = await anImportedPerson();
    const code = await codeFor(username);
    const stored = await codes.findOne({ 'account.user': new ObjectId(id) });
    await signInBy(provider, aPerson({ email }));
    // The state after a process died before it deleted the code.
    if (stored) await codes.insertOne(stored);
    expect((await setPassword(code)).status).toBe(404);
  });

  it('an import that runs again changes nothing of an account that was claimed', async () => {
    const { email, id, user, workspace } = await anImportedPerson();
    await signInBy(provider, aPerson({ email }));
    const before = await storedOf(id);
    const { notes } = await importSlack({ users: [{ ...user, deleted: true }] }, '--workspace', workspace);
    expect(notes).toEqual({ 'people deactivated in the source who use their accounts here, which stay active': 1 });
    expect(await storedOf(id)).toEqual(before);
  });
});

describe('a sign-in by an identity provider with a code for an account', () => {
  it('a code opens an imported account for any person at the provider, once', async () => {
    const { id, username } = await anImportedPerson();
    const sent = await withCode(username);
    const person = aPerson({ email_verified: false });
    expect(userOf(await signInBy(provider, person, sent))._id.$oid).toBe(id);
    expect(userOf(await signInBy(provider, person))._id.$oid).toBe(id);
    expect((await new CookieJar().post('/api/oidc/start', sent.sent)).status).toBe(404);
  });

  it('a code that an administrator makes connects an account with a password, and ends its sessions and tokens', async () => {
    const account = await anAccount();
    const person = aPerson();
    expect(userOf(await signInBy(provider, person, await withCode(account.username)))._id.$oid).toBe(account.id);
    expect((await call('GET', '/api/users/me', { token: account.token })).status).toBe(401);
    expect((await logIn(call, account.username, account.password)).status).toBe(201);
  });

  it('a code does not open an account with a second factor, one that is connected, or one for a person who has another', async () => {
    const [guarded, connected, other] = [await anAccount(), await anImportedPerson(), await anImportedPerson()];
    await users.updateOne({ _id: new ObjectId(guarded.id) }, { $set: { second_factor: aFactor } });
    const person = aPerson();
    await signInBy(provider, person, await withCode(connected.username));
    const outcomes = [
      await signInBy(provider, aPerson(), await withCode(guarded.username)),
      await signInBy(provider, aPerson(), await withCode(connected.username)),
      await signInBy(provider, person, await withCode(other.username)),
    ];
    expect(outcomes.map(({ body }) => (body as { code: string }).code)).toEqual([
      'second_factor_on',
      'already_linked',
      'identity_taken',
    ]);
    expect(await storedOf(guarded.id)).not.toHaveProperty('identity');
  });

  it('a sign-in that has begun with a code does not open the account after the code was used for a password', async () => {
    const { username } = await anImportedPerson();
    const code = await codeFor(username);
    const browser = new CookieJar();
    const back = await provider.signIn(await begin(browser, { code }), aPerson());
    expect((await call('PUT', '/api/password', { body: { code, password: 'a horse, a battery' } })).status).toBe(204);
    expect((await browser.post('/api/oidc/callback', answerOf(back))).status).toBe(404);
  });

  it.each([
    ['for an address alone', () => createCode({ email: 'a@example.org' })],
    ['for nothing', () => createCode({ email: 'a@example.org', account: null })],
    ['for the first administrator', () => createCode({ email: '', account: null, is_for_setup: true })],
    ['that does not exist', async () => ({ code: 'a'.repeat(32) })],
  ])('a sign-in does not begin with a code %s', async (_which, make) => {
    const { code } = await make();
    expect((await new CookieJar().post('/api/oidc/start', { code })).status).toBe(404);
  });
});
