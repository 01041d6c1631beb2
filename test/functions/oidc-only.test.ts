import { ObjectId } from 'mongodb';
import { afterAll, expect, it } from 'vitest';
import { createPasswordCode } from '../../lib/sign-in/password-codes.ts';
import { aName, anAccount, anAdmin, logIn } from '../support/accounts.ts';
import { useConfig, withPatience } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { startIdentityProvider } from '../support/identity-provider.ts';
import { anImportedPerson } from '../support/imported-people.ts';
import { signInBy, userOf } from '../support/oidc-browser.ts';
import { outcome } from '../support/responses.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const provider = await startIdentityProvider({ callback: 'https://chat.example.org/oidc' });
useConfig({ ...provider.settings, SIGN_IN: 'oidc', OIDC_NAME: 'Example ID' });

afterAll(provider.close);

const noPasswords = refusals.denied('Passwords are turned off: sign in with the identity provider.');

it('with SIGN_IN=oidc passwords are refused, and administrators can still create accounts', async () => {
  const [account, admin] = [await anAccount(), await anAdmin()];
  const { code } = await createPasswordCode(new ObjectId(account.id));
  const aNewAccount = () => ({ username: aName(), email: `${aName()}@example.org`, password: 'correct horse' });
  for (const [method, path, body] of [
    ['POST', '/api/sessions', { username: account.username, password: account.password }],
    ['POST', '/api/users', aNewAccount()],
    ['POST', '/api/codes', { email: account.email, purpose: 'password' }],
    ['PUT', '/api/password', { code, password: 'another horse' }],
  ] as const)
    expect(outcome(await call(method, path, { body }))).toEqual(noPasswords);
  expect(await logIn(call, 'nobody', 'correct horse')).toMatchObject({ body: { code: 'passwords_off' } });
  expect((await call('POST', '/api/users', { token: admin.token, body: aNewAccount() })).status).toBe(201);
  expect((await call('GET', '/api/users/me', { token: account.token })).status).toBe(200);
});

it('a provider that does not answer at first is asked again at the next sign-in', async () => {
  const person = aName();
  provider.people.set(person, { preferred_username: person, email: `${person}@example.org` });
  provider.state.mode = 'hangs';
  const begin = () => call('POST', '/api/oidc/start', { body: {} });
  expect(await withPatience({ identityProvider: 200 }, begin)).toMatchObject({
    status: 503,
    body: { description: 'The identity provider did not answer in time.' },
  });
  provider.state.mode = 'works';
  expect(userOf(await signInBy(provider, person))).toMatchObject({ username: person });
});

it('nobody disconnects an account from the only way in, with a password or without', async () => {
  const person = aName();
  provider.people.set(person, { preferred_username: person, email: `${person}@example.org` });
  const { session: token } = (await signInBy(provider, person)).browser;
  expect((await call('PATCH', '/api/users/me', { token, body: { password: 'a horse, a battery' } })).status).toBe(200);
  expect(outcome(await call('PATCH', '/api/users/me', { token, body: { is_connected: false } }))).toEqual(
    refusals.conflict('The identity provider is the only way into the account: set a password or add a passkey first.'),
  );
});

it('nobody disconnects the account of another from the only way in, because it would be lost for its owner', async () => {
  const person = aName();
  provider.people.set(person, { preferred_username: person, email: `${person}@example.org` });
  const { $oid: id } = userOf(await signInBy(provider, person))._id;
  const { token } = await anAdmin();
  const sentence = 'Only the identity provider signs people in: deactivate or delete the account instead.';
  expect(outcome(await call('PATCH', `/api/users/${id}`, { token, body: { is_connected: false } }))).toEqual(
    refusals.conflict(sentence),
  );
  expect(await command(['user', 'disconnect', person])).toMatchObject({ code: 1, stderr: `${sentence}\n` });
  expect(userOf(await signInBy(provider, person))._id.$oid).toBe(id);
});

it('somebody who was imported gets the account by its address, or by a link from an administrator', async () => {
  const [one, other] = [await anImportedPerson(), await anImportedPerson()];
  const person = aName();
  provider.people.set(person, { preferred_username: person, email: one.email, email_verified: true });
  expect(userOf(await signInBy(provider, person))._id.$oid).toBe(one.id);

  const stranger = aName();
  provider.people.set(stranger, { preferred_username: stranger, email: other.email });
  expect(outcome(await signInBy(provider, stranger))).toEqual(
    refusals.conflict('An imported account has this e-mail address: ask an administrator for the link that opens it.'),
  );
  const { code } = JSON.parse((await command(['user', 'code', other.username, '--json'])).stdout);
  expect((await call('PUT', '/api/password', { body: { code, password: 'another horse' } })).status).toBe(403);
  expect(userOf(await signInBy(provider, stranger, { sent: { code } }))._id.$oid).toBe(other.id);
});
