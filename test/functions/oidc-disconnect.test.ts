import { ObjectId } from 'mongodb';
import { afterAll, describe, expect, it } from 'vitest';
import { passkeys } from '../../lib/collections/accounts/passkeys.ts';
import { tokens } from '../../lib/collections/accounts/tokens.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { audit } from '../../lib/collections/service/audit.ts';
import { createPasswordCode } from '../../lib/sign-in/password-codes.ts';
import { aName, anAccount, anAdmin, logIn } from '../support/accounts.ts';
import { useConfig, useOwnDatabase } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { type Claims, startIdentityProvider } from '../support/identity-provider.ts';
import { signInBy, userOf } from '../support/oidc-browser.ts';
import { outcome } from '../support/responses.ts';
import { aRoom } from '../support/rooms.ts';
import { admin as command } from '../support/run-command.ts';
import { inProcess as call } from '../support/transports.ts';

const provider = await startIdentityProvider({ callback: 'https://chat.example.org/oidc' });
useConfig({ ...provider.settings, OIDC_ADMIN_GROUP: 'chat-admins' });
useOwnDatabase();

afterAll(provider.close);

/** A user who has just signed in with the provider, and lacks a password. */
async function aPerson(claims: Claims = {}) {
  const name = aName();
  provider.people.set(name, { preferred_username: name, email: `${name}@example.org`, email_verified: true, ...claims });
  const reply = await signInBy(provider, name);
  expect(reply.status).toBe(201);
  return { name, id: new ObjectId(userOf(reply)._id.$oid), token: reply.browser.session };
}

const change = (token: string | undefined, body: object, user = 'me') => call('PATCH', `/api/users/${user}`, { token, body });
const disconnect = (token: string | undefined) => change(token, { is_connected: false });
const setPassword = (token: string | undefined) => change(token, { password: 'a horse, a battery' });

const noOtherWay = refusals.conflict(
  'The identity provider is the only way into the account: set a password or add a passkey first.',
);

/** A passkey as it is stored; nobody signs in with it. */
const aPasskey = (user: ObjectId, generation: number) =>
  passkeys.insertOne({
    user,
    credential: aName(),
    public_key: '',
    counter: 0,
    is_backed_up: false,
    transports: [],
    name: 'Laptop',
    generation,
    created_at: new Date(),
    last_used_at: null,
  });

describe('people who disconnect their accounts from the identity provider', () => {
  it('people who disconnect their accounts sign in by their passwords from then on, keep the session that did it, and lose the others', async () => {
    const { name, id, token } = await aPerson();
    const other = (await signInBy(provider, name)).browser.session;
    expect(outcome(await disconnect(token))).toEqual(noOtherWay);
    expect((await setPassword(token)).status).toBe(200);
    const also = (await signInBy(provider, name)).browser.session;
    const { status, body } = await disconnect(token);
    expect(status).toBe(200);
    expect(body).toMatchObject({ username: name });
    expect(body).not.toHaveProperty('is_connected');
    expect(await users.findOne({ _id: id })).not.toHaveProperty('identity');
    const statusOf = async (one: string | undefined) => (await call('GET', '/api/users/me', { token: one })).status;
    expect([await statusOf(token), await statusOf(other), await statusOf(also)]).toEqual([200, 401, 401]);
    expect((await logIn(call, name, 'a horse, a battery')).status).toBe(201);
    // The person is a stranger at the next sign-in.
    expect((await signInBy(provider, name)).status).toBe(409);
  });

  it('people who disconnect their accounts may have a passkey instead of a password, unless it has ended', async () => {
    const { id, token } = await aPerson();
    await users.updateOne({ _id: id }, { $set: { passkey_generation: 1 } });
    await aPasskey(id, 0);
    expect(outcome(await disconnect(token))).toEqual(noOtherWay);
    await aPasskey(id, 1);
    expect((await disconnect(token)).status).toBe(200);
  });

  it('people who disconnect their accounts must have just signed in', async () => {
    const { id, token } = await aPerson();
    await setPassword(token);
    const stale = refusals.denied('Sign in again first: this needs a session that is less than ten minutes old.');
    const named = await call('POST', '/api/tokens', { token, body: { name: 'bot', current_password: 'a horse, a battery' } });
    expect(outcome(await disconnect((named.body as { token: string }).token))).toEqual(stale);
    await tokens.updateMany({ user: id, kind: 'session' }, { $set: { created_at: new Date(Date.now() - 601_000) } });
    expect(outcome(await disconnect(token))).toEqual(stale);
    expect(await users.findOne({ _id: id })).toHaveProperty('identity');
  });

  it('people who disconnect their accounts do it once, also at the same moment, and for nobody else', async () => {
    const { id, token } = await aPerson();
    await setPassword(token);
    const wrong = refusals.invalid('is_connected', 'be false, and the only change');
    expect((await change((await anAccount()).token, { is_connected: false }, id.toHexString())).status).toBe(403);
    for (const body of [{ is_connected: true }, { is_connected: false, name: 'Ann' }])
      expect(outcome(await change(token, body))).toEqual(wrong);
    const all = await Promise.all([disconnect(token), disconnect(token), disconnect(token)]);
    expect(all.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    expect(outcome(await disconnect(token))).toEqual(refusals.conflict('The account is not connected to an identity provider.'));
  });

  it('people who disconnect their accounts lose the rights of the administrators’ group, and keep rights from an administrator', async () => {
    const { token: byAdmin } = await anAdmin();
    const [given, made] = [await aPerson({ groups: ['chat-admins'] }), await aPerson()];
    expect((await change(byAdmin, { is_admin: true }, made.id.toHexString())).status).toBe(200);
    for (const { token } of [given, made]) {
      await setPassword(token);
      expect((await disconnect(token)).status).toBe(200);
    }
    expect(await users.findOne({ _id: given.id })).toMatchObject({ is_admin: false });
    expect(await users.findOne({ _id: made.id })).toMatchObject({ is_admin: true });
    expect(await audit.findOne({ action: 'user.demoted', 'target.id': given.id })).toMatchObject({
      actor: { kind: 'user', id: given.id },
      details: { by: 'a disconnection' },
    });
  });

  it('people who disconnect their accounts stay connected if they are the last administrator by a group', async () => {
    const { id, token } = await aPerson({ groups: ['chat-admins'] });
    await setPassword(token);
    const others = { is_admin: true, _id: { $ne: id } };
    const before = await users.find(others).toArray();
    await users.unscoped.updateMany(others, { $set: { is_admin: false } });
    expect(outcome(await disconnect(token))).toEqual(refusals.conflict('The last administrator must remain an administrator.'));
    expect(await users.findOne({ _id: id })).toMatchObject({ is_admin: true, identity: { gave_admin: true } });
    await users.unscoped.updateMany({ _id: { $in: before.map(({ _id }) => _id) } }, { $set: { is_admin: true } });
  });
});

/** The ways in which others disconnect an account. */
const ways: [string, string, (who: { name: string; id: ObjectId }) => Promise<'done' | 'refused'>][] = [
  [
    'an administrator',
    'user',
    async ({ id }) => {
      const { status } = await change((await anAdmin()).token, { is_connected: false }, id.toHexString());
      return status === 200 ? 'done' : 'refused';
    },
  ],
  [
    'a command',
    'command line',
    async ({ name }) => ((await command(['user', 'disconnect', name])).code === 0 ? 'done' : 'refused'),
  ],
];

describe.each(ways)('an account that %s disconnects from the identity provider', (_way, actor, disconnectOther) => {
  it('loses its sessions and keeps its tokens, also without another way to sign in', async () => {
    const person = await aPerson();
    const named = await call('POST', '/api/tokens', { token: person.token, body: { name: 'bot' } });
    expect(await disconnectOther(person)).toBe('done');
    expect(await users.findOne({ _id: person.id })).not.toHaveProperty('identity');
    const statusOf = async (one: string | undefined) => (await call('GET', '/api/users/me', { token: one })).status;
    expect([await statusOf(person.token), await statusOf((named.body as { token: string }).token)]).toEqual([401, 200]);
    expect(await disconnectOther(person)).toBe('refused');
  });

  it('keeps its address, so that its owner gets no other account, and signs in by a link for a new password', async () => {
    const { name, id } = await aPerson();
    expect(await disconnectOther({ name, id })).toBe('done');
    expect(outcome(await signInBy(provider, name))).toMatchObject({ status: 409, body: { code: 'address_taken' } });
    const { code } = await createPasswordCode(id);
    expect((await call('PUT', '/api/password', { body: { code, password: 'a horse, a battery' } })).status).toBeLessThan(300);
    expect((await logIn(call, name, 'a horse, a battery')).status).toBe(201);
  });

  it('loses its invitations and webhooks as an administrator by a group, even if a process died in between', async () => {
    for (const isDead of [false, true]) {
      const { name, id, token = '' } = await aPerson({ groups: ['chat-admins'] });
      const room = await aRoom();
      expect((await call('POST', `${room.path}/invitations`, { token, body: {} })).status).toBe(201);
      if (isDead) await users.updateOne({ _id: id }, { $set: { is_admin: false } });
      expect(await disconnectOther({ name, id })).toBe('done');
      expect((await call('GET', `${room.path}/invitations`, { token: room.owner.token })).body).toEqual([]);
    }
  });

  it('loses the rights of the administrators’ group, and keeps rights from an administrator', async () => {
    const [given, made] = [await aPerson({ groups: ['chat-admins'] }), await aPerson()];
    await users.updateOne({ _id: made.id }, { $set: { is_admin: true } });
    for (const person of [given, made]) expect(await disconnectOther(person)).toBe('done');
    expect(await users.findOne({ _id: given.id })).toMatchObject({ is_admin: false });
    expect(await users.findOne({ _id: made.id })).toMatchObject({ is_admin: true });
    expect(await audit.findOne({ action: 'user.demoted', 'target.id': given.id })).toMatchObject({
      actor: { kind: actor },
      details: { by: 'a disconnection' },
    });
  });
});

describe('an account that is disconnected from the identity provider by others', () => {
  it('is that of another, and of a token that may do everything', async () => {
    const { id, token } = await aPerson();
    const { token: byAdmin, password } = await anAdmin();
    const asked = { name: 'bot', scopes: ['account', 'admin'], current_password: password };
    const scoped = await call('POST', '/api/tokens', { token: byAdmin, body: asked });
    const disconnectBy = (by: string | undefined) => change(by, { is_connected: false }, id.toHexString());
    expect((await disconnectBy((scoped.body as { token: string }).token)).status).toBe(403);
    expect((await disconnectBy((await anAccount()).token)).status).toBe(403);
    const wrong = refusals.invalid('is_connected', 'be false, and the only change');
    expect(outcome(await change(byAdmin, { is_connected: false, password }, id.toHexString()))).toEqual(wrong);
    expect(await users.findOne({ _id: id })).toHaveProperty('identity');
    expect((await call('GET', '/api/users/me', { token })).status).toBe(200);
    expect(outcome(await change(byAdmin, { is_connected: false }, new ObjectId().toHexString()))).toEqual(
      refusals.noSuch('user'),
    );
  });

  it('stays connected if it is the last administrator by a group', async () => {
    const person = await aPerson({ groups: ['chat-admins'] });
    const others = { is_admin: true, _id: { $ne: person.id } };
    const before = await users.find(others).toArray();
    await users.unscoped.updateMany(others, { $set: { is_admin: false } });
    expect(await command(['user', 'disconnect', person.name])).toMatchObject({
      code: 1,
      stderr: 'The last administrator must remain an administrator.\n',
    });
    expect(await users.findOne({ _id: person.id })).toMatchObject({ is_admin: true, identity: { gave_admin: true } });
    await users.unscoped.updateMany({ _id: { $in: before.map(({ _id }) => _id) } }, { $set: { is_admin: true } });
  });
});
