import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { tokens } from '../../lib/collections/accounts/tokens.ts';
import { users } from '../../lib/collections/accounts/users.ts';
import { hashToken } from '../../lib/identity/authenticate.ts';
import { type Account, aName, anAccount, anAddress, anAdmin, aSession } from '../support/accounts.ts';
import { addPasskey, beginSignIn, sign } from '../support/authenticator.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { aWrongCode, codeOf, turnOn } from '../support/second-factor.ts';
import { type Call, transports } from '../support/transports.ts';

const required = refusals.denied('Confirm your identity first: PATCH /api/sessions/current, or sign in again.');
const current = '/api/sessions/current';

/** Makes a session look as if it began, and was proven, long ago. */
async function age(session: string, minutes = 11): Promise<void> {
  const then = new Date(Date.now() - minutes * 60_000);
  const $set = { created_at: then, proven_at: then, passkey_used_at: then };
  await tokens.updateOne({ hash: Buffer.from(hashToken(session), 'hex') }, { $set });
}

/** A session of an account that began eleven minutes ago. */
async function anOldSession(call: Call, account: Account): Promise<string> {
  const session = await aSession(call, account);
  await age(session);
  return session;
}

const prove = async (call: Call, token: string, body: object) => outcome(await call('PATCH', current, { token, body }));

/** One act after the other that needs a proof, with the status of its success. */
const acts: [string, (other: Account) => [method: string, path: string, body: object], number][] = [
  ['makes an administrator', ({ id }) => ['PATCH', `/api/users/${id}`, { is_admin: true }], 200],
  ['creates an administrator', () => ['POST', '/api/users', { ...aPerson(), is_admin: true }], 201],
  ["sets another's password", ({ id }) => ['PATCH', `/api/users/${id}`, { password: 'battery staple' }], 200],
  ["sets another's address", ({ id }) => ['PATCH', `/api/users/${id}`, { email: aPerson().email }], 200],
  ["makes a link for another's password", ({ id }) => ['POST', `/api/users/${id}/codes`, {}], 201],
  ['makes a token for another', ({ id }) => ['POST', '/api/tokens', { name: aName(), user: id, scopes: ['rooms:read'] }], 201],
  ['deactivates another', ({ id }) => ['PATCH', `/api/users/${id}`, { is_active: false }], 200],
  ['deletes another', ({ id }) => ['DELETE', `/api/users/${id}`, {}], 204],
];

const aPerson = () => {
  const username = aName();
  return { username, email: `${username}@example.org`, password: 'correct horse' };
};

describe.each(transports())('a recent proof of identity, %s', (_transport, call) => {
  it.each(acts)('an administrator who %s needs a proof that is less than ten minutes old', async (_what, requestOf, status) => {
    const admin = await anAdmin();
    const session = await anOldSession(call, admin);
    const [method, path, body] = requestOf(await anAccount());
    const ask = async () => outcome(await call(method, path, { token: session, body, source: anAddress() }));
    expect(await ask()).toEqual(required);
    expect(await prove(call, session, { current_password: admin.password })).toEqual({ status: 204, body: '' });
    expect(await ask()).toMatchObject({ status });
  });

  it('an administrator who gives a bot to another owner needs a proof', async () => {
    const session = await anOldSession(call, await anAdmin());
    const { body } = await call('POST', '/api/bots', { token: session, body: { username: aName() } });
    const path = `/api/bots/${(body as { _id: { $oid: string } })._id.$oid}`;
    const change = async (change: object) => outcome(await call('PATCH', path, { token: session, body: change }));
    expect(await change({ owner: (await anAccount()).id })).toEqual(required);
    expect(await change({ name: 'Deploys' })).toMatchObject({ status: 200 });
  });

  it('a session that has just begun, and a named token, need no other proof', async () => {
    const admin = await anAdmin();
    for (const token of [await aSession(call, admin), admin.token]) {
      const { id } = await anAccount();
      expect((await call('PATCH', `/api/users/${id}`, { token, body: { is_admin: true } })).status).toBe(200);
    }
  });

  it('a proof is not required from other callers or for harmless actions', async () => {
    const admin = await anAdmin();
    const session = await anOldSession(call, admin);
    const { id } = await anAccount();
    const change = async (token: string, body: object) => outcome(await call('PATCH', `/api/users/${id}`, { token, body }));
    expect(await change(session, { name: 'Ann' })).toMatchObject({ status: 200 });
    expect((await call('POST', '/api/users', { token: session, body: aPerson() })).status).toBe(201);
    expect(await change(await anOldSession(call, await anAccount()), { is_admin: true })).toEqual(refusals.denied());
    expect(outcome(await call('DELETE', `/api/users/${'0'.repeat(24)}`, { token: session }))).toEqual(refusals.noSuch('user'));
    const body = { current_password: admin.password };
    expect(outcome(await call('DELETE', '/api/users/me', { token: session }))).toEqual(
      refusals.denied('The current password is required.'),
    );
    expect(outcome(await call('DELETE', '/api/users/me', { token: session, body }))).toEqual({ status: 204, body: '' });
  });

  it('a refused act is not in the audit log', async () => {
    const admin = await anAdmin();
    const { id } = await anAccount();
    await call('PATCH', `/api/users/${id}`, { token: await anOldSession(call, admin), body: { is_admin: true } });
    const { body } = await call('GET', `/api/audit?actor=${admin.id}`, { token: admin.token });
    expect(body).toEqual([]);
  });

  it('an identity is confirmed by the password alone only in accounts without a second factor', async () => {
    const account = await anAccount();
    const session = await aSession(call, account);
    const { app } = await turnOn(call, { ...account, token: session });
    const { password: current_password } = account;
    expect(await prove(call, session, {})).toEqual(refusals.missing('current_password'));
    expect(await prove(call, session, { current_password: 'a guess' })).toEqual(
      refusals.denied('The current password is incorrect.'),
    );
    expect(await prove(call, session, { current_password })).toEqual(refusals.missing('code'));
    expect(await prove(call, session, { current_password, code: aWrongCode(app) })).toMatchObject({
      status: 403,
      body: { code: 'wrong_second_factor' },
    });
    expect(await prove(call, session, { current_password, code: codeOf(app, 1) })).toEqual({ status: 204, body: '' });
  });

  it('an account without a password confirms its identity by a code, or by a new sign-in', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const [annSession, bobSession] = [await aSession(call, ann), await aSession(call, bob)];
    const { app } = await turnOn(call, { ...ann, token: annSession });
    for (const { id } of [ann, bob]) await users.updateOne({ _id: new ObjectId(id) }, { $unset: { password_hash: '' } });
    expect(await prove(call, annSession, { code: codeOf(app, 1) })).toEqual({ status: 204, body: '' });
    expect(await prove(call, bobSession, {})).toMatchObject({ status: 403, body: { code: 'fresh_sign_in_required' } });
  });

  it('an identity is confirmed in the session that calls, and nowhere else', async () => {
    const account = await anAccount();
    const [mine, other] = [await aSession(call, account), await aSession(call, account)];
    const { body } = await call('GET', '/api/sessions', { token: other });
    const listed = body as { _id: { $oid: string }; is_current: boolean }[];
    const _id = listed.find(({ is_current }) => is_current)?._id.$oid;
    const sent = { current_password: account.password };
    const at = `/api/sessions/${_id}`;
    expect(outcome(await call('PATCH', at, { token: mine, body: sent }))).toEqual(refusals.noSuch('session'));
    expect(outcome(await call('PATCH', at, { token: other, body: sent }))).toMatchObject({ status: 204 });
    expect(await prove(call, account.token, sent)).toEqual(refusals.noSuch('session'));
  });

  it('a guess of the password is as slow as at the login', async () => {
    const account = await anAccount();
    const token = await aSession(call, account);
    const statuses: number[] = [];
    for (let guesses = 0; guesses < 6; guesses++)
      statuses.push((await prove(call, token, { current_password: 'a guess' })).status);
    expect(statuses).toEqual([403, 403, 403, 403, 403, 429]);
  });

  it('an identity is confirmed by a passkey of the account, once for each challenge', async () => {
    const [admin, other] = [await anAdmin(), await anAdmin()];
    const { passkey } = await addPasskey(call, admin);
    const session = await anOldSession(call, admin);
    const proveBy = async (token: string, body: object) => outcome(await call('PATCH', '/api/passkey-sessions', { token, body }));
    const signed = sign(passkey, await beginSignIn(call));
    expect(await proveBy(await aSession(call, other), signed)).toMatchObject({
      status: 401,
      body: { code: 'passkey_of_another' },
    });
    expect(await proveBy(session, signed)).toMatchObject({ status: 403, body: { code: 'passkey_expired' } });
    expect(await proveBy(admin.token, sign(passkey, await beginSignIn(call)))).toEqual(refusals.noSuch('session'));
    expect(await proveBy(session, sign(passkey, await beginSignIn(call)))).toEqual({ status: 204, body: '' });
    const { id } = await anAccount();
    expect((await call('DELETE', `/api/users/${id}`, { token: session })).status).toBe(204);
  });
});

describe.each(transports())('what would outlast a stolen session, %s', (_transport, call) => {
  /** One request after the other, with the status of its success. */
  const requests: [string, () => [method: string, path: string, body: object], number][] = [
    ['a token without scopes', () => ['POST', '/api/tokens', { name: aName() }], 201],
    ['a token that may write', () => ['POST', '/api/tokens', { name: aName(), scopes: ['messages:write'] }], 201],
    ['a new address', () => ['PATCH', '/api/users/me', { email: aPerson().email }], 200],
    ['a new password', () => ['PATCH', '/api/users/me', { password: 'battery staple' }], 200],
  ];

  it.each(requests)('%s needs the password, or a proof in the last ten minutes', async (_what, requestOf, status) => {
    const account = await anAccount();
    const session = await aSession(call, account);
    const [method, path, body] = requestOf();
    const ask = async (token: string, more = {}) => outcome(await call(method, path, { token, body: { ...body, ...more } }));
    expect(await ask(session)).toEqual(required);
    expect(await ask(account.token)).toEqual(refusals.missing('current_password'));
    await prove(call, session, { current_password: account.password });
    expect(await ask(session, { current_password: 'a guess' })).toEqual(refusals.denied('The current password is incorrect.'));
    expect(await ask(session)).toMatchObject({ status });
  });

  it.each(requests)('%s needs a code beside the password once a second factor is on', async (_what, requestOf, status) => {
    const account = await anAccount();
    const session = await aSession(call, account);
    const { app, recovery } = await turnOn(call, { ...account, token: session });
    const [method, path, body] = requestOf();
    const { password: current_password } = account;
    const ask = async (token: string, more: object) => outcome(await call(method, path, { token, body: { ...body, ...more } }));
    expect(await ask(session, { current_password })).toEqual(required);
    expect(await ask(account.token, { current_password })).toEqual(refusals.missing('second_factor'));
    expect(await ask(session, { current_password, second_factor: aWrongCode(app) })).toMatchObject({
      status: 403,
      body: { code: 'wrong_second_factor' },
    });
    expect(await ask(session, { current_password, second_factor: recovery[0] })).toMatchObject({ status });
  });

  it('the own account is deleted by the password and a code of its second factor', async () => {
    const account = await anAccount();
    const session = await aSession(call, account);
    const { recovery } = await turnOn(call, { ...account, token: session });
    const leave = async (body: object) => outcome(await call('DELETE', '/api/users/me', { token: session, body }));
    expect(await leave({ current_password: account.password })).toEqual(required);
    expect(await leave({ current_password: account.password, second_factor: recovery[0] })).toEqual({ status: 204, body: '' });
  });

  it('tokens created since a time are revoked with the other sessions on request, also those of bots', async () => {
    const owner = await anAdmin();
    const session = await aSession(call, owner);
    await prove(call, session, { current_password: owner.password });
    const { body } = await call('POST', '/api/bots', { token: session, body: { username: aName() } });
    const bot = (body as { _id: { $oid: string } })._id.$oid;
    const make = async (more: object) =>
      ((await call('POST', '/api/tokens', { token: session, body: { name: aName(), ...more } })).body as { token: string }).token;
    const [first, ...since] = [
      await make({}),
      await make({ scopes: ['account'] }),
      await make({ scopes: ['rooms:read'], user: bot }),
    ] as [string, string, string];
    const old = { $set: { created_at: new Date(Date.now() - 3_600_000) } };
    await tokens.updateOne({ hash: Buffer.from(hashToken(first), 'hex') }, old);
    const isValid = async (token: string) => (await call('GET', '/api/users/me', { token })).status === 200;
    const other = await aSession(call, owner);
    await call('DELETE', '/api/sessions', { token: session });
    expect(await Promise.all([other, first, ...since].map(isValid))).toEqual([false, true, true, true]);
    const at = new Date(Date.now() - 1_800_000).toISOString();
    expect((await call('DELETE', `/api/sessions?tokens_since=${at}`, { token: session })).status).toBe(204);
    expect(await Promise.all([session, first, ...since].map(isValid))).toEqual([true, true, false, false]);
  });
});
