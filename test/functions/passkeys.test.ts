import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { describe, expect, it, onTestFinished } from 'vitest';
import { type PasskeyDocument, passkeys } from '../../lib/collections/accounts/passkeys.ts';
import { database } from '../../lib/database/client.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import { type Account, anAccount, anAdmin, aSession } from '../support/accounts.ts';
import { addPasskey, beginPasskey, beginSignIn, type Deviation, make, sign, signInWith, site } from '../support/authenticator.ts';
import { refusals, unauthenticated } from '../support/error-bodies.ts';
import { callThrough } from '../support/processes.ts';
import { anyDate, anyId, anyToken, outcome } from '../support/responses.ts';
import { admin as command } from '../support/run-command.ts';
import { aWrongCode, codeOf, turnOn } from '../support/second-factor.ts';
import { type Call, inProcess, transports } from '../support/transports.ts';

const path = '/api/passkeys';
const signIns = '/api/passkey-sessions';
const users = database.collection('users');
const challenges = database.collection('passkey_challenges');

const expired = refusals.denied('This took more than five minutes, or was completed before. Start again.');
const refused = refusals.denied('The passkey is not for this service, or its authenticator did not verify the user.');
const wrong = {
  status: 401,
  body: {
    ...unauthenticated,
    description: 'This passkey does not work here: it was removed, or belongs to another service.',
    code: 'wrong_passkey',
  },
};
const tooMany = refusals.conflict('The account has too many passkeys: remove one first.');

const add = (call: Call, { token }: Account, body: object) => call('PUT', path, { token, body });
const list = async (call: Call, token: string) =>
  (await call('GET', path, { token })).body as { passkeys: { _id: { $oid: string }; name: string }[] };
const remove = (call: Call, { token, password }: Account, id: string) =>
  call('DELETE', `${path}/${id}`, { token, body: { current_password: password } });
const isValid = async (call: Call, token: string) => (await call('GET', '/api/users/me', { token })).status === 200;
const tokenIn = ({ body }: { body: unknown }) => (body as { token: string }).token;
const anExpiry = () => new Date(Date.now() - 1_000);

describe.each(transports())('a passkey, %s', (_transport, call) => {
  it('a passkey is started with the password, added with the authenticator’s answer, and listed without its key', async () => {
    const account = await anAccount();
    const none = { origin: site.origin, obstacle: null, needs_code: false, passkeys: [] };
    expect(outcome(await call('GET', path, { token: account.token }))).toEqual({ status: 200, body: none });
    const begun = await call('POST', path, { token: account.token, body: { current_password: account.password } });
    expect(outcome(begun)).toEqual({
      status: 201,
      body: {
        challenge: expect.stringMatching(/^[\w-]{43}$/),
        rp_id: site.id,
        rp_name: 'Chat',
        user_handle: Buffer.from(account.id, 'hex').toString('base64url'),
        username: account.username,
        display_name: account.username,
        algorithms: [-8, -7, -257],
        exclude: [],
      },
    });
    const { passkey, sent } = make(begun.body as { challenge: string; user_handle: string });
    const shown = { _id: anyId, name: 'My phone', is_backed_up: true, created_at: anyDate, last_used_at: null };
    expect(outcome(await add(call, account, { ...sent, name: 'My phone' }))).toEqual({ status: 201, body: shown });
    expect((await list(call, account.token)).passkeys).toEqual([shown]);
    expect((await beginPasskey(call, account)).exclude).toEqual([{ credential: passkey.id, transports: ['internal', 'hybrid'] }]);
  });

  it('a passkey signs in without a name, a password or a code, and tells when', async () => {
    const account = await anAccount();
    const { passkey } = await addPasskey(call, account);
    const reply = await signInWith(call, passkey);
    expect(outcome(reply)).toMatchObject({
      status: 201,
      body: { token: anyToken, expires_at: anyDate, user: { _id: { $oid: account.id }, username: account.username } },
    });
    expect(await isValid(call, tokenIn(reply))).toBe(true);
    expect((await list(call, account.token)).passkeys).toEqual([expect.objectContaining({ last_used_at: anyDate })]);
    expect((await signInWith(call, passkey)).status).toBe(201);
  });

  it('a passkey signs a browser in by a cookie, on pages of the own origin', async () => {
    const { passkey } = await addPasskey(call, await anAccount());
    const signIn = async (site: string) =>
      call('PUT', signIns, {
        body: { ...sign(passkey, await beginSignIn(call)), cookie: true },
        headers: { 'sec-fetch-site': site },
      });
    const reply = await signIn('same-origin');
    expect(reply.status).toBe(201);
    expect(reply.body).not.toHaveProperty('token');
    const [cookie = '', ...attributes] = String(reply.headers['set-cookie']).split('; ');
    expect(cookie).toMatch(/^session=[a-z0-9]{32}$/);
    expect(attributes).toEqual(expect.arrayContaining(['Path=/', 'HttpOnly', 'SameSite=Strict']));
    expect(outcome(await signIn('cross-site'))).toEqual(
      refusals.denied("Only a page of the service's own origin gets a session in a cookie."),
    );
  });

  it('a passkey is renamed and removed by its owner alone, who shows the password for the second', async () => {
    const [account, other] = [await anAccount(), await anAdmin()];
    const { id, passkey } = await addPasskey(call, account);
    const rename = ({ token }: Account, body: object) => call('PATCH', `${path}/${id}`, { token, body });
    expect(outcome(await rename(other, { name: 'Mine' }))).toEqual(refusals.noSuch('passkey'));
    expect(outcome(await rename(account, {}))).toEqual(refusals.missing('name'));
    expect(outcome(await rename(account, { name: '' })).status).toBe(400);
    expect(await rename(account, { name: 'Laptop' })).toMatchObject({ status: 200, body: { name: 'Laptop' } });
    expect(outcome(await remove(call, other, id))).toEqual(refusals.noSuch('passkey'));
    const wrongPassword = await remove(call, { ...account, password: 'incorrect horse' }, id);
    expect(outcome(wrongPassword)).toEqual(refusals.denied('The current password is incorrect.'));
    expect((await signInWith(call, passkey)).status).toBe(201);
    expect(outcome(await remove(call, account, id))).toEqual({ status: 204, body: '' });
    expect(outcome(await remove(call, account, id))).toEqual(refusals.noSuch('passkey'));
    expect(outcome(await signInWith(call, passkey))).toEqual(wrong);
  });

  it('an account has at most 20 passkeys, even after concurrent additions', async () => {
    const account = await anAccount();
    for (let count = 0; count < 18; count++) await addPasskey(call, account);
    const begun = await Promise.all(Array.from({ length: 5 }, () => beginPasskey(call, account)));
    const replies = await Promise.all(begun.map((asked) => add(call, account, make(asked).sent)));
    for (const { status } of replies) expect([201, 409]).toContain(status);
    const left = (await list(call, account.token)).passkeys.length;
    expect(left).toBe(18 + replies.filter(({ status }) => status === 201).length);
    expect(left).toBeLessThanOrEqual(20);
    for (let count = left; count < 20; count++) await addPasskey(call, account);
    const { token, password } = account;
    expect(outcome(await call('POST', path, { token, body: { current_password: password } }))).toEqual(tooMany);
    expect(outcome(await add(call, account, make(begun[0] as (typeof begun)[number]).sent))).toEqual(expired);
  });

  it('a passkey is begun, added and removed by no token with scopes, and without the password by none at all', async () => {
    const account = await anAccount();
    const { id } = await addPasskey(call, account);
    const { token } = await createToken(new ObjectId(account.id), 'scoped', { scopes: ['account'] });
    const unscoped = refusals.denied('A token without scopes is required.');
    const body = { current_password: account.password };
    expect(outcome(await call('POST', path, { token, body }))).toEqual(unscoped);
    expect(outcome(await call('PUT', path, { token, body: make(await beginPasskey(call, account)).sent }))).toEqual(unscoped);
    expect(outcome(await call('DELETE', `${path}/${id}`, { token, body }))).toEqual(unscoped);
    for (const [method, address] of [
      ['POST', path],
      ['DELETE', `${path}/${id}`],
    ] as const)
      expect(outcome(await call(method, address, { token: account.token, body: {} }))).toEqual(
        refusals.missing('current_password'),
      );
  });
});

describe('a passkey', () => {
  it.each(['ES256', 'EdDSA', 'RS256'] as const)('a passkey may have a key of %s', async (algorithm) => {
    const { passkey } = await addPasskey(inProcess, await anAccount(), { algorithm });
    expect((await signInWith(inProcess, passkey)).status).toBe(201);
    expect(outcome(await signInWith(inProcess, passkey, { signed: Buffer.from('anything') }))).toEqual(wrong);
  });

  it('a passkey may vouch for itself', async () => {
    const { passkey } = await addPasskey(inProcess, await anAccount(), { statement: 'self' });
    expect((await signInWith(inProcess, passkey)).status).toBe(201);
  });

  it.each<[string, Deviation]>([
    ['for another origin', { origin: 'https://evil.example.org' }],
    ['for another port', { origin: 'https://chat.example.org:8443' }],
    ['for another site', { rpId: 'example.org' }],
    ['within a page of another site', { crossOrigin: true }],
    ['by an authenticator that did not check who uses it', { isVerified: false }],
    ['without anybody there', { isPresent: false }],
    ['by an answer to a sign-in', { type: 'webauthn.get' }],
    ['with certificates', { statement: 'certificate' }],
    ['with a key of a kind that was not asked for', { algorithm: 'ES384' }],
  ])('a passkey is not added %s, nor by another answer to the same challenge', async (_how, deviation) => {
    const account = await anAccount();
    const asked = await beginPasskey(inProcess, account);
    expect(outcome(await add(inProcess, account, make(asked, deviation).sent))).toEqual(refused);
    expect(outcome(await add(inProcess, account, make(asked).sent))).toEqual(expired);
    expect((await list(inProcess, account.token)).passkeys).toEqual([]);
  });

  it('a passkey cannot be added with the id of another credential, or twice', async () => {
    const [account, other] = [await anAccount(), await anAccount()];
    const { passkey } = await addPasskey(inProcess, account);
    const { sent } = make(await beginPasskey(inProcess, other));
    expect(outcome(await add(inProcess, other, { ...sent, credential: passkey.id }))).toEqual(refused);
    const asked = await beginPasskey(inProcess, account);
    const { sent: first } = make(asked);
    expect((await add(inProcess, account, first)).status).toBe(201);
    expect(outcome(await add(inProcess, account, first))).toEqual(expired);
    // An authenticator may invent an id that another passkey already has.
    const { sent: second } = make(await beginPasskey(inProcess, other), { id: passkey.id });
    expect(outcome(await add(inProcess, other, second))).toEqual(refusals.conflict('This passkey was added already.'));
  });

  it('a passkey answers a challenge that the same account has asked for, within five minutes', async () => {
    const [account, other] = [await anAccount(), await anAccount()];
    const asked = await beginPasskey(inProcess, other);
    expect(outcome(await add(inProcess, account, make(asked).sent))).toEqual(expired);
    // The other account's attempt is not consumed.
    expect((await add(inProcess, other, make(asked).sent)).status).toBe(201);
    const { sent } = make(await beginPasskey(inProcess, account), { challenge: await beginSignIn(inProcess) });
    expect(outcome(await add(inProcess, account, sent))).toEqual(expired);
    const late = make(await beginPasskey(inProcess, account)).sent;
    await challenges.updateMany({ 'account.user': new ObjectId(account.id) }, { $set: { expires_at: anExpiry() } });
    expect(outcome(await add(inProcess, account, late))).toEqual(expired);
  });

  it.each<[string, unknown, number]>([
    ['credential', '', 1_364],
    ['client_data', 'a+b', 4_096],
    ['attestation', 'a'.repeat(4_097), 4_096],
    ['client_data', { $gt: '' }, 4_096],
  ])('a passkey is not added with a %s that is not base64url, or too long', async (name, value, most) => {
    const account = await anAccount();
    const { sent } = make(await beginPasskey(inProcess, account));
    const refusal = refusals.invalid(name, `be base64url of at most ${most} characters`);
    expect(outcome(await add(inProcess, account, { ...sent, [name]: value }))).toEqual(refusal);
    expect(outcome(await add(inProcess, account, { ...sent, client_data: 'bm90IEpTT04' }))).toEqual(expired);
    expect(outcome(await add(inProcess, account, { ...sent, transports: ['<script>'] }))).toEqual(
      refusals.invalid('transports', 'be a list of at most 10 transports, such as internal'),
    );
    expect((await add(inProcess, account, sent)).status).toBe(201);
  });

  it('a passkey of an account without a password takes a session that has just begun', async () => {
    const account = await anAccount();
    const token = await aSession(inProcess, account);
    await users.updateOne({ _id: new ObjectId(account.id) }, { $unset: { password_hash: '' } });
    const begin = (by: string) => inProcess('POST', path, { token: by, body: {} });
    expect((await begin(token)).status).toBe(201);
    const stale = refusals.denied('Sign in again first: this needs a session that is less than ten minutes old.');
    expect(outcome(await begin(account.token))).toEqual(stale);
    await database
      .collection('tokens')
      .updateMany({ user: new ObjectId(account.id) }, { $set: { created_at: new Date(Date.now() - 601_000) } });
    expect(outcome(await begin(token))).toEqual(stale);
  });
});

describe('a sign-in with a passkey', () => {
  it.each<[string, Deviation]>([
    ['a forged signature', { signed: Buffer.from('something else') }],
    ['another origin', { origin: 'https://evil.example.org' }],
    ['the same host without TLS', { origin: 'http://chat.example.org' }],
    ['another site', { rpId: 'evil.example.org' }],
    ['a page within one of another site', { crossOrigin: true }],
    ['an authenticator that did not check who uses it', { isVerified: false }],
    ['nobody there', { isPresent: false }],
    ['an answer to the making of a passkey', { type: 'webauthn.create' }],
    ['the user handle of another account', { userHandle: Buffer.from('a'.repeat(24), 'hex').toString('base64url') }],
  ])('a sign-in with a passkey is refused for %s, and its challenge is used up', async (_how, deviation) => {
    const { passkey } = await addPasskey(inProcess, await anAccount());
    const challenge = await beginSignIn(inProcess);
    const send = (body: object) => inProcess('PUT', signIns, { body });
    expect(outcome(await send(sign(passkey, challenge, deviation)))).toEqual(wrong);
    expect(outcome(await send(sign(passkey, challenge)))).toEqual(expired);
    expect((await send(sign(passkey, await beginSignIn(inProcess)))).status).toBe(201);
  });

  it('a sign-in with a passkey is refused for the signature of one account’s passkey over the credential of another', async () => {
    const [mine, other] = [await addPasskey(inProcess, await anAccount()), await addPasskey(inProcess, await anAccount())];
    const posing = { ...mine.passkey, id: other.passkey.id };
    expect(outcome(await signInWith(inProcess, posing))).toEqual(wrong);
    expect(outcome(await signInWith(inProcess, { ...posing, userHandle: other.passkey.userHandle }))).toEqual(wrong);
    expect(outcome(await signInWith(inProcess, { ...mine.passkey, id: 'unknown' }))).toEqual(wrong);
  });

  it('a sign-in with a passkey answers a challenge once, also where two answer it at the same moment, 10 times', async () => {
    const { passkey } = await addPasskey(inProcess, await anAccount());
    // Two processes: this one and another.
    const other = await callThrough(1, {});
    onTestFinished(other.end);
    for (let count = 0; count < 10; count++) {
      const body = sign(passkey, await beginSignIn(inProcess));
      const replies = await Promise.all([inProcess, other.call].map((call) => call('PUT', signIns, { body })));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 403]);
      expect(outcome(await inProcess('PUT', signIns, { body }))).toEqual(expired);
    }
  });

  it('a sign-in with a passkey is refused with a challenge of a new passkey, an unknown one or one older than five minutes', async () => {
    const account = await anAccount();
    const { passkey } = await addPasskey(inProcess, account);
    const send = (challenge: string) => inProcess('PUT', signIns, { body: sign(passkey, challenge) });
    expect(outcome(await send((await beginPasskey(inProcess, account)).challenge))).toEqual(expired);
    expect(outcome(await send('a'.repeat(43)))).toEqual(expired);
    const challenge = await beginSignIn(inProcess);
    const _id = createHash('sha256').update(challenge).digest('hex') as unknown as ObjectId;
    expect((await challenges.updateOne({ _id }, { $set: { expires_at: anExpiry() } })).modifiedCount).toBe(1);
    expect(outcome(await send(challenge))).toEqual(expired);
  });

  it('a sign-in with a passkey by an authenticator that counts is refused when it counts back, or the same again', async () => {
    const { passkey, id } = await addPasskey(inProcess, await anAccount(), {}, true);
    expect((await signInWith(inProcess, passkey)).status).toBe(201);
    expect(passkey.counter).toBe(2);
    for (const counter of [0, 1, 2]) expect(outcome(await signInWith(inProcess, passkey, { counter }))).toEqual(wrong);
    expect((await signInWith(inProcess, passkey, { counter: 9 })).status).toBe(201);
    expect(outcome(await signInWith(inProcess, passkey, { counter: 8 }))).toEqual(wrong);
    expect(await passkeys.findOne({ _id: new ObjectId(id) })).toMatchObject({ counter: 9 });
  });

  it('a sign-in with a passkey counts once where a key and its copy say the same number at the same moment', async () => {
    const { passkey } = await addPasskey(inProcess, await anAccount(), {}, true);
    const replies = await Promise.all(Array.from({ length: 4 }, () => signInWith(inProcess, { ...passkey }, { counter: 5 })));
    expect(replies.map(({ status }) => status).sort()).toEqual([201, 401, 401, 401]);
  });

  it('a sign-in with a passkey is refused for a deactivated account, and works again after', async () => {
    const account = await anAccount();
    const { passkey } = await addPasskey(inProcess, account);
    const { token } = await anAdmin();
    const change = (is_active: boolean) => inProcess('PATCH', `/api/users/${account.id}`, { token, body: { is_active } });
    expect((await change(false)).status).toBe(200);
    expect(outcome(await signInWith(inProcess, passkey))).toEqual(refusals.denied('This account is deactivated.'));
    expect((await change(true)).status).toBe(200);
    expect((await signInWith(inProcess, passkey)).status).toBe(201);
  });

  it.each([
    ['username', ({ username }: Account) => `@${username.toUpperCase()}`],
    ['e-mail address', ({ email }: Account) => email.toUpperCase()],
  ])(
    'a sign-in with a passkey is that of the account whose %s is named, and tells nobody else whether there is one',
    async (_by, nameOf) => {
      const [account, other] = [await anAccount(), await anAccount()];
      const { passkey } = await addPasskey(inProcess, account);
      const signInAs = async (username: string) =>
        inProcess('PUT', signIns, { body: { ...sign(passkey, await beginSignIn(inProcess)), username } });
      const ofAnother = {
        status: 401,
        body: {
          ...unauthenticated,
          description: 'This passkey belongs to another account than the one that is signing in.',
          code: 'passkey_of_another',
        },
      };
      for (const name of [nameOf(other), `nobody-${account.username}`, `nobody@${account.email}`, other.id])
        expect(outcome(await signInAs(name))).toEqual(ofAnother);
      expect((await inProcess('GET', '/api/sessions', { token: account.token })).body).toEqual([]);
      const reply = await signInAs(nameOf(account));
      expect(outcome(reply)).toMatchObject({ status: 201, body: { user: { _id: { $oid: account.id } } } });
      // If a passkey belongs to neither account, the answer is the same with a name as without.
      const { passkey: removed, id } = await addPasskey(inProcess, other);
      expect((await remove(inProcess, other, id)).status).toBe(204);
      const body = { ...sign(removed, await beginSignIn(inProcess)), username: nameOf(account) };
      expect(outcome(await inProcess('PUT', signIns, { body }))).toEqual(wrong);
    },
  );

  it('a sign-in with a passkey needs no code, because the authenticator verified the user', async () => {
    const account = await anAccount();
    const { app } = await turnOn(inProcess, account);
    const begun = await beginPasskey(inProcess, account, { code: codeOf(app, 1) });
    const { passkey, sent } = make(begun);
    expect((await add(inProcess, account, sent)).status).toBe(201);
    expect((await signInWith(inProcess, passkey)).status).toBe(201);
  });
});

describe('where a second factor is on', () => {
  const begin = (account: Account, more: object = {}, token = account.token) =>
    inProcess('POST', path, { token, body: { current_password: account.password, ...more } });
  const wrongCode = refusals.denied('The code is incorrect, or was used before: wait for the next one.');

  it('a passkey is begun by the password and a code, each once, and by neither alone', async () => {
    const account = await anAccount();
    const { app, used, recovery } = await turnOn(inProcess, account);
    expect((await inProcess('GET', path, { token: account.token })).body).toMatchObject({ needs_code: true });
    expect(outcome(await begin(account))).toEqual(refusals.missing('code'));
    expect(outcome(await begin(account, { code: aWrongCode(app) }))).toEqual(wrongCode);
    expect(outcome(await begin(account, { code: used }))).toEqual(wrongCode);
    const code = codeOf(app, 1);
    expect(outcome(await begin(account, { code, current_password: 'guessed' }))).toEqual(
      refusals.denied('The current password is incorrect.'),
    );
    expect(outcome(await begin(account, { code, current_password: undefined }))).toEqual(refusals.missing('current_password'));
    const all = await Promise.all([begin(account, { code }), begin(account, { code })]);
    expect(all.map(({ status }) => status).sort()).toEqual([201, 403]);
    expect((await begin(account, { code: recovery[0] })).status).toBe(201);
    expect(outcome(await begin(account, { code: recovery[0] }))).toEqual(wrongCode);
  });

  it('guesses of the code are as slow as those of a password', async () => {
    const account = await anAccount();
    const { app, recovery } = await turnOn(inProcess, account);
    const statuses: number[] = [];
    for (let guess = 0; guess < 12 && statuses.at(-1) !== 429; guess++)
      statuses.push((await begin(account, { code: aWrongCode(app) })).status);
    expect(statuses.at(-1)).toBe(429);
    expect((await begin(account, { code: recovery[0] })).status).toBe(429);
  });

  it('a session that has just begun with a passkey stands for the code, and no other does', async () => {
    const account = await anAccount();
    const { passkey } = await addPasskey(inProcess, account);
    await turnOn(inProcess, account);
    const token = tokenIn(await signInWith(inProcess, passkey));
    expect((await inProcess('GET', path, { token })).body).toMatchObject({ needs_code: false });
    expect((await begin(account, {}, token)).status).toBe(201);
    expect(outcome(await begin(account, { current_password: undefined }, token))).toEqual(refusals.missing('current_password'));
    const made = await inProcess('POST', '/api/tokens', { token, body: { name: 'bot', current_password: account.password } });
    expect(outcome(await begin(account, {}, tokenIn(made)))).toEqual(refusals.missing('code'));
    const stale = { $set: { created_at: new Date(Date.now() - 601_000) } };
    await database.collection('tokens').updateMany({ user: new ObjectId(account.id) }, stale);
    expect(outcome(await begin(account, {}, token))).toEqual(refusals.missing('code'));
    expect((await inProcess('GET', path, { token })).body).toMatchObject({ needs_code: true });
  });

  it('a session that has just begun is not enough for an account without a password', async () => {
    const account = await anAccount();
    const { recovery } = await turnOn(inProcess, account);
    const token = tokenIn(
      await inProcess('POST', '/api/sessions', {
        body: { username: account.username, password: account.password, second_factor: recovery[0] },
      }),
    );
    await users.updateOne({ _id: new ObjectId(account.id) }, { $unset: { password_hash: '' } });
    const bare = (more: object) => inProcess('POST', path, { token, body: more });
    expect(outcome(await bare({}))).toEqual(refusals.missing('code'));
    expect((await bare({ code: recovery[1] })).status).toBe(201);
  });
});

describe('the passkeys of an account', () => {
  it('the passkeys of an account stay when its password changes, when its other sessions end, and when a forgotten password is replaced', async () => {
    const account = await anAccount();
    const { passkey } = await addPasskey(inProcess, account);
    const token = await aSession(inProcess, account);
    const body = { password: 'another horse', current_password: account.password };
    expect((await inProcess('PATCH', '/api/users/me', { token, body })).status).toBe(200);
    expect((await inProcess('DELETE', '/api/sessions', { token })).status).toBe(204);
    expect((await signInWith(inProcess, passkey)).status).toBe(201);
    const admin = await anAdmin();
    const made = await inProcess('POST', `/api/users/${account.id}/codes`, { token: admin.token, body: {} });
    const { code } = made.body as { code: string };
    expect((await inProcess('PUT', '/api/password', { body: { code, password: 'a third horse' } })).status).toBe(204);
    expect((await signInWith(inProcess, passkey)).status).toBe(201);
  });

  it.each<[string, (account: Account) => Promise<unknown>]>([
    [
      'an administrator',
      async ({ id }) => {
        const { token, password } = await anAdmin();
        const usage = await inProcess('GET', `/api/users/${id}/usage`, { token });
        expect(usage.body).toMatchObject({ passkeys: 1, has_second_factor: false });
        const body = { current_password: password };
        expect((await inProcess('DELETE', `/api/second-factor?user=${id}`, { token, body })).status).toBe(204);
      },
    ],
    ['a command', async ({ username }) => expect(await command(['user', '2fa-reset', username])).toMatchObject({ code: 0 })],
  ])('the passkeys of an account end with a reset by %s, and so do their sessions', async (_by, reset) => {
    const account = await anAccount();
    const { passkey } = await addPasskey(inProcess, account);
    const token = tokenIn(await signInWith(inProcess, passkey));
    const begun = make(await beginPasskey(inProcess, account)).sent;
    await reset(account);
    expect(await isValid(inProcess, token)).toBe(false);
    expect(outcome(await signInWith(inProcess, passkey))).toEqual(wrong);
    // Started passkeys have expired as well.
    expect(outcome(await add(inProcess, account, begun))).toEqual(expired);
    expect((await list(inProcess, account.token)).passkeys).toEqual([]);
    const { passkey: next } = await addPasskey(inProcess, account);
    expect((await signInWith(inProcess, next)).status).toBe(201);
  });

  it('the passkeys of an account end with a reset, even if the process died and left one behind', async () => {
    const account = await anAccount();
    const { passkey, id } = await addPasskey(inProcess, account);
    const kept = (await passkeys.findOne({ _id: new ObjectId(id) })) as PasskeyDocument;
    await command(['user', '2fa-reset', account.username]);
    await passkeys.insertOne(kept);
    expect(outcome(await signInWith(inProcess, passkey))).toEqual(wrong);
  });

  it('the passkeys of an account leave nothing behind when the account is deleted', async () => {
    const account = await anAccount();
    const { passkey } = await addPasskey(inProcess, account);
    const body = { current_password: account.password };
    expect((await inProcess('DELETE', '/api/users/me', { token: account.token, body })).status).toBe(204);
    expect(await passkeys.countDocuments({ user: new ObjectId(account.id) })).toBe(0);
    expect(outcome(await signInWith(inProcess, passkey))).toEqual(wrong);
  });
});
