import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { users } from '../../lib/collections/accounts/users.ts';
import { createCode } from '../../lib/credentials/codes.ts';
import { aName, anAccount, anAddress } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { type Claims, startIdentityProvider } from '../support/identity-provider.ts';
import { anImportedPerson } from '../support/imported-people.ts';
import { signInBy, userOf } from '../support/oidc-browser.ts';
import { outcome } from '../support/responses.ts';
import { aRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

const provider = await startIdentityProvider({ callback: 'https://chat.example.org/oidc' });
useConfig({
  ...provider.settings,
  OIDC_LINK_BY_EMAIL: 'on',
  OIDC_CLAIM_IMPORTED: 'off',
  OIDC_SIGN_UP: 'invited',
  EMAIL_CONFIRMATION: 'required',
});

afterAll(provider.close);

function aPerson(claims: Claims = {}): string {
  const name = aName();
  provider.people.set(name, { preferred_username: name, email: `${name}@example.org`, email_verified: true, ...claims });
  return name;
}

/** Signs up with a code that was sent to the address. */
async function aConfirmedAccount() {
  const [username, email] = [aName(), `${aName()}@example.org`];
  const { code } = await createCode({ email });
  const body = { username, email, password: 'correct horse', code };
  const reply = await call('POST', '/api/users', { body, source: anAddress() });
  const { user, token } = reply.body as { user: { _id: { $oid: string } }; token: string };
  return { id: user._id.$oid, username, email, token };
}

async function anInvitation(uses = 1) {
  const owner = await anAccount();
  const room = await aRoom({ owner });
  const { body } = await call('POST', `${room.path}/invitations`, { token: owner.token, body: { uses } });
  return { room, code: (body as { code: string }).code };
}

const invitationRequired = refusals.denied('An invitation is required.');

describe('the first sign-in where accounts are found by their address', () => {
  it('a first sign-in opens the account with the same confirmed address, once', async () => {
    const account = await aConfirmedAccount();
    const person = aPerson({ email: account.email });
    expect(userOf(await signInBy(provider, person))._id.$oid).toBe(account.id);
    expect(userOf(await signInBy(provider, person))._id.$oid).toBe(account.id);
    expect(outcome(await signInBy(provider, aPerson({ email: account.email })))).toEqual(invitationRequired);
  });

  it.each([
    ['the provider has not confirmed', { email_verified: false }],
    ['the provider says nothing of', { email_verified: undefined }],
  ])('a first sign-in does not open the account with an address that %s', async (_who, claims) => {
    const { email } = await aConfirmedAccount();
    expect(outcome(await signInBy(provider, aPerson({ email, ...claims })))).toEqual(invitationRequired);
  });

  it('a first sign-in does not open an account whose address nobody has confirmed, or has another spelling', async () => {
    const [unconfirmed, confirmed] = [await anAccount(), await aConfirmedAccount()];
    for (const email of [unconfirmed.email, confirmed.email.toUpperCase()])
      expect(outcome(await signInBy(provider, aPerson({ email })))).toEqual(invitationRequired);
  });

  it('a first sign-in does not open an account that had the address before, is deactivated, or has a second factor', async () => {
    const [moved, off, guarded] = [await aConfirmedAccount(), await aConfirmedAccount(), await aConfirmedAccount()];
    const second_factor = { secret: '', since: new Date(), last_step: 0, recovery_codes: [] };
    await users.updateOne({ _id: new ObjectId(guarded.id) }, { $set: { second_factor } });
    const email = `${aName()}@example.org`;
    const change = { email, code: (await createCode({ email })).code, current_password: 'correct horse' };
    expect((await call('PATCH', '/api/users/me', { token: moved.token, body: change })).status).toBe(200);
    await users.updateOne({ _id: new ObjectId(off.id) }, { $set: { is_active: false } });
    for (const old of [moved.email, off.email, guarded.email])
      expect(outcome(await signInBy(provider, aPerson({ email: old })))).toEqual(invitationRequired);
    expect(userOf(await signInBy(provider, aPerson({ email })))._id.$oid).toBe(moved.id);
  });
});

describe('an account that was disconnected', () => {
  it('an account that was disconnected is opened by no sign-in, although its address was confirmed before', async () => {
    const account = await aConfirmedAccount();
    const person = aPerson({ email: account.email });
    const { browser } = await signInBy(provider, person);
    const body = { is_connected: false };
    expect((await call('PATCH', '/api/users/me', { token: browser.session, body })).status).toBe(200);
    for (const one of [person, aPerson({ email: account.email })])
      expect(outcome(await signInBy(provider, one))).toEqual(invitationRequired);
  });
});

describe('a first sign-in where only invited people get accounts', () => {
  it('a new account by a sign-in joins the room of its invitation, and one that existed is led to it', async () => {
    const { room, code } = await anInvitation(5);
    const person = aPerson();
    expect(outcome(await signInBy(provider, person))).toEqual(invitationRequired);
    const joined = await signInBy(provider, person, { sent: { invitation: code, path: '/' } });
    expect(joined).toMatchObject({ status: 201, body: { path: '/' } });
    const token = joined.browser.session;
    expect((await call('GET', room.path, { token })).status).toBe(200);
    expect(await signInBy(provider, person, { sent: { invitation: code } })).toMatchObject({ body: { path: `/join#${code}` } });
  });

  it('an invitation is not used up by a sign-in that fails', async () => {
    const { code } = await anInvitation();
    const sent = { invitation: code };
    expect(outcome(await signInBy(provider, aPerson({ email_verified: false }), { sent }))).toEqual(
      refusals.denied('The identity provider has not confirmed the e-mail address.'),
    );
    const taken = await anAccount();
    expect((await signInBy(provider, aPerson({ email: taken.email }), { sent })).status).toBe(409);
    expect((await signInBy(provider, aPerson(), { sent })).status).toBe(201);
    expect(outcome(await signInBy(provider, aPerson(), { sent }))).toEqual(refusals.noSuch('invitation'));
  });
});

it('with OIDC_CLAIM_IMPORTED=off, no address opens an imported account', async () => {
  const { email } = await anImportedPerson();
  expect(outcome(await signInBy(provider, aPerson({ email })))).toEqual(invitationRequired);
});
