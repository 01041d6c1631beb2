import { createHash } from 'node:crypto';
import { ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createSetupCode } from '../../lib/accounts/setup-code.ts';
import { users as accounts, type SecondFactorDocument } from '../../lib/collections/accounts/users.ts';
import { database } from '../../lib/database/client.ts';
import { createToken } from '../../lib/identity/api-tokens.ts';
import { useSecondFactor } from '../../lib/second-factor/codes.ts';
import { type Account, aName, anAccount, anAddress, anAdmin, aSession } from '../support/accounts.ts';
import { addPasskey, make, signInWith } from '../support/authenticator.ts';
import { refusals, unauthenticated } from '../support/error-bodies.ts';
import { mailsTo } from '../support/mail.ts';
import { callThrough } from '../support/processes.ts';
import { anyDate, outcome } from '../support/responses.ts';
import { admin as command } from '../support/run-command.ts';
import { anApp, aWrongCode, codeOf, turnOn } from '../support/second-factor.ts';
import { type Call, inProcess, type SentRequest, transports } from '../support/transports.ts';

const path = '/api/second-factor';
const users = database.collection('users');
const required = {
  status: 401,
  body: { ...unauthenticated, description: 'A code of the second factor is required.', code: 'second_factor_required' },
};
const wrongSentence = 'The code is incorrect, or was used before: wait for the next one.';
const wrongAtLogin = { status: 401, body: { ...unauthenticated, description: wrongSentence, code: 'wrong_second_factor' } };
const wrongCode = refusals.denied(wrongSentence);
const isOff = refusals.conflict('The account does not have a second factor.');

const logIn = (call: Call, { username, password }: Account, second_factor?: unknown, source = anAddress()) =>
  call('POST', '/api/sessions', { body: { username, password, ...(second_factor !== undefined && { second_factor }) }, source });
const isValid = async (call: Call, token: string) => (await call('GET', '/api/users/me', { token })).status === 200;
const tokenIn = ({ body }: { body: unknown }) => (body as { token: string }).token;

/** An account with a second factor, a session that turned it on, and what proves it. */
async function aProtectedAccount(call: Call) {
  const account = await anAccount();
  const session = await aSession(call, account);
  return { account, session, ...(await turnOn(call, { ...account, token: session })) };
}

describe.each(transports())('a second factor, %s', (_transport, call) => {
  it('a second factor is started with the password, and turned on by its first code, which ends all other sessions', async () => {
    const account = await anAccount();
    const [mine, other] = [await aSession(call, account), await aSession(call, account)];
    const off = { is_on: false, is_available: true, is_required: false, since: null, recovery_codes_left: 0 };
    const state = async () => (await call('GET', path, { token: mine })).body;
    expect(await state()).toEqual(off);
    const begun = await call('POST', path, { token: mine, body: { current_password: account.password } });
    expect(outcome(begun)).toEqual({
      status: 201,
      body: {
        secret: expect.stringMatching(/^[A-Z2-7]{32}$/),
        uri: expect.stringMatching(/^otpauth:\/\/totp\/Chat:user-[0-9a-f]{16}\?secret=[A-Z2-7]{32}&issuer=Chat$/),
      },
    });
    expect(await state()).toEqual(off);
    // Until it is confirmed, sign-in works without it.
    expect((await logIn(call, account)).status).toBe(201);

    const app = anApp((begun.body as { uri: string }).uri);
    const confirm = (code: string) => call('PUT', path, { token: mine, body: { code } });
    expect(outcome(await confirm(aWrongCode(app)))).toEqual(wrongCode);
    const confirmed = await confirm(codeOf(app));
    const codes = (confirmed.body as { recovery_codes: string[] }).recovery_codes;
    expect(new Set(codes).size).toBe(10);
    for (const code of codes) expect(code).toMatch(/^[a-hjkmnp-z2-9]{4}(-[a-hjkmnp-z2-9]{4}){3}$/);
    expect(await state()).toEqual({ ...off, is_on: true, since: anyDate, recovery_codes_left: 10 });
    expect([await isValid(call, mine), await isValid(call, other), await isValid(call, account.token)]).toEqual([
      true,
      false,
      true,
    ]);
  });

  it('a second factor is asked for at a login with the right password alone, and each code of it works once', async () => {
    const { account, app, used } = await aProtectedAccount(call);
    expect(outcome(await logIn(call, account))).toEqual(required);
    expect(outcome(await logIn(call, { ...account, password: 'incorrect horse' }))).toEqual(refusals.wrongLogin);
    const next = codeOf(app, 1);
    expect(outcome(await logIn(call, { ...account, password: 'incorrect horse' }, next))).toEqual(refusals.wrongLogin);
    expect(outcome(await logIn(call, account, aWrongCode(app)))).toEqual(wrongAtLogin);
    expect(outcome(await logIn(call, account, used))).toEqual(wrongAtLogin);
    expect((await logIn(call, account, `${next.slice(0, 3)} ${next.slice(3)}`)).status).toBe(201);
    expect(outcome(await logIn(call, account, next))).toEqual(wrongAtLogin);
  });

  it('a second factor is replaced by a recovery code, in any case and grouping, once each', async () => {
    const { account, session, recovery } = await aProtectedAccount(call);
    const [first = '', second = ''] = recovery;
    expect((await logIn(call, account, first)).status).toBe(201);
    expect(outcome(await logIn(call, account, first))).toEqual(wrongAtLogin);
    expect((await logIn(call, account, second.replaceAll('-', ' ').toUpperCase())).status).toBe(201);
    expect((await call('GET', path, { token: session })).body).toMatchObject({ recovery_codes_left: 8 });
  });

  it.each([['12345'], ['1234567'], [''], [123456], [{ $gt: '' }], ['abcd-efgh-ijkl'], ['١٢٣٤٥٦']])(
    'a login refuses %j as a code before it looks at the password',
    async (second_factor) => {
      const account = await anAccount();
      const refusal = refusals.invalid('second_factor', 'be six digits or the 16 characters of a recovery code');
      expect(outcome(await logIn(call, account, second_factor))).toEqual(refusal);
      expect((await logIn(call, account, '123456')).status).toBe(201);
    },
  );

  it('a second factor is turned off by the password and a code, and only after that another one can be set up', async () => {
    const { account, session: token, app, recovery } = await aProtectedAccount(call);
    const current_password = account.password;
    const end = (body: object) => call('DELETE', path, { token, body });
    expect(outcome(await call('POST', path, { token, body: { current_password } }))).toEqual(
      refusals.conflict('The account has a second factor already.'),
    );
    expect(outcome(await end({ current_password }))).toEqual(refusals.missing('code'));
    expect(outcome(await end({ code: recovery[0] }))).toEqual(refusals.missing('current_password'));
    expect(outcome(await end({ code: recovery[0], current_password: 'incorrect horse' }))).toEqual(
      refusals.denied('The current password is incorrect.'),
    );
    expect(outcome(await end({ code: aWrongCode(app), current_password }))).toEqual(wrongCode);
    expect(outcome(await end({ code: codeOf(app, 1), current_password }))).toEqual({ status: 204, body: '' });
    expect(outcome(await end({ code: recovery[0], current_password }))).toEqual(isOff);
    expect((await logIn(call, account)).status).toBe(201);
    const again = await turnOn(call, { ...account, token });
    expect(outcome(await logIn(call, account, recovery[1]))).toEqual(wrongAtLogin);
    expect((await logIn(call, account, again.recovery[1])).status).toBe(201);
  });

  it('a second factor has new recovery codes by the password and a code; the earlier ones end', async () => {
    const { account, session: token, app, recovery } = await aProtectedAccount(call);
    const renew = (body: object) => call('PUT', path, { token, body });
    expect(outcome(await renew({ code: codeOf(app, 1) }))).toEqual(refusals.missing('current_password'));
    expect(outcome(await renew({ code: aWrongCode(app), current_password: account.password }))).toEqual(wrongCode);
    const { status, body } = await renew({ code: codeOf(app, 1), current_password: account.password });
    const [code] = (body as { recovery_codes: string[] }).recovery_codes;
    expect(status).toBe(200);
    expect(outcome(await logIn(call, account, recovery[0]))).toEqual(wrongAtLogin);
    expect((await logIn(call, account, code)).status).toBe(201);
  });

  it('a second factor that was begun is confirmed within an hour; beginning again forgets it', async () => {
    const account = await anAccount();
    const begin = async () =>
      anApp(
        (
          (await call('POST', path, { token: account.token, body: { current_password: account.password } })).body as {
            uri: string;
          }
        ).uri,
      );
    const confirm = (code: string) => call('PUT', path, { token: account.token, body: { code } });
    const notBegun = refusals.conflict('The set-up of the second factor was not started in the last hour.');
    expect(outcome(await confirm('123456'))).toEqual(notBegun);
    const [earlier, app] = [await begin(), await begin()];
    expect(outcome(await confirm(codeOf(earlier)))).toEqual(wrongCode);
    const filter = { _id: new ObjectId(account.id) };
    await users.updateOne(filter, { $set: { 'pending_second_factor.expires_at': new Date(Date.now() - 1_000) } });
    expect(outcome(await confirm(codeOf(app)))).toEqual(notBegun);
    expect((await confirm(codeOf(await begin()))).status).toBe(200);
  });

  it('a second factor is begun and changed by no token with scopes', async () => {
    const account = await anAccount();
    const { token } = await createToken(new ObjectId(account.id), 'scoped', { scopes: ['account'] });
    const refusal = refusals.denied('A token without scopes is required.');
    for (const [method, body] of [
      ['POST', { current_password: account.password }],
      ['PUT', { code: '123456' }],
      ['DELETE', { code: '123456', current_password: account.password }],
    ] as const)
      expect(outcome(await call(method, path, { token, body }))).toEqual(refusal);
    expect((await call('GET', path, { token })).status).toBe(200);
  });

  it("an administrator resets another user's second factor with their own password, which ends that user's sessions", async () => {
    const { account, session } = await aProtectedAccount(call);
    const admin = await anAdmin();
    const reset = (token: string, current_password?: string, user = account.id) =>
      call('DELETE', `${path}?user=${user}`, { token, body: { ...(current_password && { current_password }) } });
    expect(outcome(await reset((await anAccount()).token, 'correct horse'))).toEqual(refusals.denied());
    expect(outcome(await reset(admin.token))).toEqual(refusals.missing('current_password'));
    expect(outcome(await reset(admin.token, 'incorrect horse'))).toEqual(refusals.denied('The current password is incorrect.'));
    expect(outcome(await reset(admin.token, admin.password, '0'.repeat(24)))).toEqual(refusals.noSuch('user'));
    expect(await isValid(call, session)).toBe(true);
    expect(outcome(await reset(admin.token, admin.password))).toEqual({ status: 204, body: '' });
    expect(outcome(await reset(admin.token, admin.password))).toEqual(isOff);
    expect(await isValid(call, session)).toBe(false);
    expect((await logIn(call, account)).status).toBe(201);
    // By an administrator's own id, it is the own one, which takes a code.
    expect(outcome(await reset(admin.token, admin.password, admin.id))).toEqual(refusals.missing('code'));
  });

  it('a second factor is in no answer that shows the account', async () => {
    const { account, session } = await aProtectedAccount(call);
    const { token } = await anAdmin();
    for (const [address, by] of [
      ['/api/users/me', session],
      [`/api/users/${account.id}`, token],
      [`/api/users?username=${account.username}`, token],
    ] as const) {
      const shown = JSON.stringify((await call('GET', address, { token: by })).body);
      expect(shown).toContain(account.username);
      expect(shown).not.toMatch(/second_factor|secret|recovery/);
    }
  });
});

describe('two who use one code at the same moment', () => {
  // Two processes: this one, and another.
  const both = [inProcess];
  let end = () => {};
  beforeAll(async () => {
    const other = await callThrough(1, {});
    both.push(other.call);
    end = other.end;
  });
  afterAll(() => end());

  it.each(['a code of the app', 'a recovery code'])('one of two concurrent uses of %s signs in, 20 times', async (kind) => {
    const all = await Promise.all(Array.from({ length: 20 }, () => aProtectedAccount(inProcess)));
    for (const { account, app, recovery } of all) {
      const code = kind === 'a recovery code' ? recovery[0] : codeOf(app, 1);
      const replies = await Promise.all(both.map((call) => logIn(call, account, code)));
      expect(replies.map(({ status }) => status).sort()).toEqual([201, 401]);
      expect(outcome(replies.find(({ status }) => status === 401) as (typeof replies)[number])).toEqual(wrongAtLogin);
    }
  });

  it('one of ten who use one code at the same moment in one process is signed in', async () => {
    const { account, app } = await aProtectedAccount(inProcess);
    const replies = await Promise.all(Array.from({ length: 10 }, () => logIn(inProcess, account, codeOf(app, 1))));
    expect(replies.filter(({ status }) => status === 201)).toHaveLength(1);
  });

  it('a second factor never accepts an earlier code, even in a process that cached the account', async () => {
    const { account, app } = await aProtectedAccount(inProcess);
    const read = await accounts.findOne({ _id: new ObjectId(account.id) });
    const second_factor = { ...(read?.second_factor as SecondFactorDocument), last_step: 0 };
    const late = { _id: new ObjectId(account.id), second_factor };
    // Made once: another 30 seconds may begin.
    const [present, next] = [codeOf(app), codeOf(app, 1)];
    expect((await logIn(inProcess, account, next)).status).toBe(201);
    expect(await useSecondFactor(late, present)).toBe(false);
    expect(await useSecondFactor(late, next)).toBe(false);
    expect(outcome(await logIn(inProcess, account, next))).toEqual(wrongAtLogin);
  });

  it('a code that two use at the same moment turns the second factor on once', async () => {
    const account = await anAccount();
    const body = { current_password: account.password };
    const app = anApp(((await inProcess('POST', path, { token: account.token, body })).body as { uri: string }).uri);
    const confirm = (call: Call) => call('PUT', path, { token: account.token, body: { code: codeOf(app) } });
    const statuses = (await Promise.all(both.map(confirm))).map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    // The other was late, or so late that it asks for new recovery codes, which takes the password.
    expect([400, 409]).toContain(statuses[1]);
  });
});

describe('ways around a second factor', () => {
  type Protected = Awaited<ReturnType<typeof aProtectedAccount>>;
  const logsInWithout = async ({ account }: Protected, more: object = {}, headers?: Record<string, string>) =>
    outcome(
      await inProcess('POST', '/api/sessions', {
        body: { username: account.username, password: account.password, ...more },
        source: anAddress(),
        ...(headers && { headers }),
      }),
    );
  const asNobody = async (method: string, address: string, sent: SentRequest = {}) =>
    (await inProcess(method, address, { source: anAddress(), ...sent })).status;

  it.each<[string, (its: Protected) => Promise<unknown>, unknown]>([
    ['a login for a token', (its) => logsInWithout(its), required],
    ['a login for a cookie', (its) => logsInWithout(its, { cookie: true }, { 'sec-fetch-site': 'same-origin' }), required],
    ['a login by e-mail address', (its) => logsInWithout(its, { username: its.account.email }), required],
    [
      'a sign-up of the same name',
      ({ account: { username, email, password } }) => asNobody('POST', '/api/users', { body: { username, email, password } }),
      409,
    ],
    [
      'a sign-up by invitation',
      ({ account: { username, email, password } }) =>
        asNobody('POST', '/api/users', { body: { username, email, password, invitation: 'a'.repeat(32) } }),
      404,
    ],
    [
      'the setup of a first administrator',
      ({ account: { username, email, password } }) =>
        asNobody('POST', '/api/setup', { body: { username, email, password, code: 'a'.repeat(32) } }),
      403,
    ],
    [
      'a named token',
      ({ account: { password } }) => asNobody('POST', '/api/tokens', { body: { name: 'mine', current_password: password } }),
      401,
    ],
    [
      'a new passkey',
      ({ account: { password } }) => asNobody('POST', '/api/passkeys', { body: { current_password: password } }),
      401,
    ],
    [
      'a passkey of another account, which says that it is this one’s',
      async ({ account }) => {
        const { passkey } = await addPasskey(inProcess, await anAccount());
        const userHandle = Buffer.from(account.id, 'hex').toString('base64url');
        return (await signInWith(inProcess, passkey, { userHandle })).status;
      },
      401,
    ],
    [
      'a passkey that was made without anybody signed in',
      async ({ account }) => {
        const userHandle = Buffer.from(account.id, 'hex').toString('base64url');
        const { passkey } = make({ challenge: 'a'.repeat(43), user_handle: userHandle });
        return (await signInWith(inProcess, passkey)).status;
      },
      401,
    ],
    ['a ticket', () => asNobody('POST', '/api/tickets', { body: {} }), 401],
    [
      'a new password',
      ({ account: { password } }) =>
        asNobody('PATCH', '/api/users/me', { body: { password: 'another horse', current_password: password } }),
      401,
    ],
    [
      'turning it off',
      ({ account: { password }, app }) =>
        asNobody('DELETE', path, { body: { current_password: password, code: codeOf(app, 1) } }),
      401,
    ],
  ])('there is no way around a second factor: %s', async (_way, take, refusal) => {
    await anAdmin(); // setup is over
    await createSetupCode();
    const its = await aProtectedAccount(inProcess);
    expect(await take(its)).toEqual(refusal);
  });

  it.each<[string, (account: Account) => Promise<string>]>([
    [
      'an e-mail',
      async ({ email }) => {
        expect(await asNobody('POST', '/api/codes', { body: { email, purpose: 'password' } })).toBe(204);
        return mailsTo(email).at(-1)?.code ?? '';
      },
    ],
    [
      'an administrator',
      async ({ id }) => {
        const { token } = await anAdmin();
        const { body } = await inProcess('POST', `/api/users/${id}/codes`, { token, body: {} });
        return (body as { code: string }).code;
      },
    ],
  ])('a code by %s sets a password, ends all sessions and tokens, and signs nobody in', async (_by, codeBy) => {
    const { account, session, recovery } = await aProtectedAccount(inProcess);
    const named = (await createToken(new ObjectId(account.id), 'named')).token;
    const code = await codeBy(account);
    const reply = await inProcess('PUT', '/api/password', { body: { code, password: 'another horse' } });
    expect({ ...outcome(reply), cookie: reply.headers['set-cookie'] }).toEqual({ status: 204, body: '', cookie: undefined });
    for (const token of [session, named, account.token]) expect(await isValid(inProcess, token)).toBe(false);
    const changed = { ...account, password: 'another horse' };
    expect(outcome(await logIn(inProcess, changed))).toEqual(required);
    expect((await logIn(inProcess, changed, recovery[0])).status).toBe(201);
  });

  it('a login that began before the second factor was turned on ends with it', async () => {
    const account = await anAccount();
    const early = Promise.all(Array.from({ length: 10 }, () => logIn(inProcess, account)));
    await turnOn(inProcess, account);
    const tokens = (await early).filter(({ status }) => status === 201).map(tokenIn);
    expect(await Promise.all(tokens.map((token) => isValid(inProcess, token)))).toEqual(tokens.map(() => false));
  });

  it('a deleted account leaves nothing of its second factor', async () => {
    const { account, session: token, recovery } = await aProtectedAccount(inProcess);
    const body = { current_password: account.password, second_factor: recovery[0] };
    expect((await inProcess('DELETE', '/api/users/me', { token, body })).status).toBe(204);
    const left = await users.findOne({ _id: new ObjectId(account.id) });
    expect(Object.keys(left ?? {})).not.toEqual(expect.arrayContaining(['second_factor']));
  });
});

describe('guesses of codes', () => {
  it('guesses of codes that are missing cost nothing, and do not make the address one of the owner’s', async () => {
    const { account, app, recovery } = await aProtectedAccount(inProcess);
    const source = anAddress();
    for (let count = 0; count < 8; count++) expect(outcome(await logIn(inProcess, account, undefined, source))).toEqual(required);
    for (let count = 0; count < 10; count++) await logIn(inProcess, account, aWrongCode(app));
    expect((await logIn(inProcess, account, recovery[0], source)).status).toBe(429);
  });

  it('guesses of codes are 5 from one address in 15 minutes, as those of passwords are', async () => {
    const { account, app, recovery } = await aProtectedAccount(inProcess);
    const source = anAddress();
    for (let count = 0; count < 5; count++)
      expect(outcome(await logIn(inProcess, account, aWrongCode(app), source))).toEqual(wrongAtLogin);
    expect((await logIn(inProcess, account, recovery[0], source)).status).toBe(429);
    expect((await logIn(inProcess, account, recovery[0])).status).toBe(201);
  });

  it('guesses of codes are 10 from all addresses, but for those of the owner, who goes on', async () => {
    const { account, app, recovery } = await aProtectedAccount(inProcess);
    const home = anAddress();
    expect((await logIn(inProcess, account, codeOf(app, 1), home)).status).toBe(201);
    for (let count = 0; count < 10; count++)
      expect(outcome(await logIn(inProcess, account, aWrongCode(app)))).toEqual(wrongAtLogin);
    const refused = await logIn(inProcess, account, recovery[0]);
    expect({ status: refused.status, after: Number(refused.headers['retry-after']) }).toEqual({
      status: 429,
      after: expect.toSatisfy((seconds: number) => seconds > 800 && seconds <= 900),
    });
    // Without a code, the answer still says that one is required, which reveals nothing new.
    expect(outcome(await logIn(inProcess, account))).toEqual(required);
    expect((await logIn(inProcess, account, recovery[0], home)).status).toBe(201);
  });

  it('guesses of codes are 50 from all addresses in a day', async () => {
    const { account, app, recovery } = await aProtectedAccount(inProcess);
    const limits = database.collection<{ _id: string }>('login_limits');
    const key = `account ${createHash('sha256').update(account.id).digest('base64')} codes in ${86_400_000}`;
    await logIn(inProcess, account, aWrongCode(app));
    const attempts = Array.from({ length: 49 }, () => ({ id: new ObjectId(), at: new Date(), is_pending: false }));
    const first = await limits.findOne({ _id: key });
    expect(first).toMatchObject({ attempts: [{ is_pending: false }] });
    await limits.updateOne({ _id: key }, { $set: { attempts } });
    expect(outcome(await logIn(inProcess, account, aWrongCode(app)))).toEqual(wrongAtLogin);
    const refused = await logIn(inProcess, account, recovery[0]);
    expect([refused.status, Number(refused.headers['retry-after']) > 86_000]).toEqual([429, true]);
  });

  it('guesses of codes of someone who is signed in are 5 in 15 minutes', async () => {
    const { account, session: token, app, recovery } = await aProtectedAccount(inProcess);
    const end = (code: string | undefined) =>
      inProcess('DELETE', path, { token, body: { code, current_password: account.password } });
    for (let count = 0; count < 5; count++) expect(outcome(await end(aWrongCode(app)))).toEqual(wrongCode);
    expect((await end(recovery[0])).status).toBe(429);
  });
});

it('a command resets a lost second factor and ends the sessions of the account', async () => {
  const { account, session } = await aProtectedAccount(inProcess);
  const reset = (name: string) => command(['user', '2fa-reset', name]);
  expect(await reset(account.username)).toEqual({
    code: 0,
    stdout: `Turned off the second factor of ${account.username}, whose sessions have ended.\n`,
    stderr: '',
  });
  expect(await isValid(inProcess, session)).toBe(false);
  expect((await logIn(inProcess, account)).status).toBe(201);
  const again = await reset(account.username);
  expect(again).toMatchObject({ code: 1, stderr: expect.stringContaining('The account does not have a second factor.') });
  expect(await reset(aName())).toMatchObject({ code: 1, stderr: expect.stringContaining('No such user') });
});
