import { ObjectId } from 'mongodb';
import { describe, expect, it } from 'vitest';
import { codes } from '../../lib/collections/accounts/codes.ts';
import { type Account, aName, anAccount, anAddress, anAdmin, aSession, logIn } from '../support/accounts.ts';
import { refusals } from '../support/error-bodies.ts';
import { mailsTo } from '../support/mail.ts';
import { callThrough } from '../support/processes.ts';
import { anyDate, anyToken, outcome } from '../support/responses.ts';
import { admin } from '../support/run-command.ts';
import { type Call, inProcess, transports } from '../support/transports.ts';

const done = { status: 204, body: '' };
const requestPassword = (call: Call, email: string) =>
  call('POST', '/api/codes', { body: { email, purpose: 'password' }, source: anAddress() });
const setPassword = (call: Call, code: unknown, password = 'another horse') =>
  call('PUT', '/api/password', { body: { code, password } });
const noSuchCode = refusals.noSuch('code');

async function aCode(call: Call, { email }: Account): Promise<string> {
  expect(outcome(await requestPassword(call, email))).toEqual(done);
  return mailsTo(email).at(-1)?.code ?? '';
}

describe.each(transports())('a forgotten password, %s', (_transport, call) => {
  it('a forgotten password is replaced by an e-mailed link that works once and ends all sessions and named tokens', async () => {
    const user = await anAccount();
    const session = await aSession(call, user);
    expect(outcome(await requestPassword(call, user.email.toUpperCase()))).toEqual(done);
    const [mail] = mailsTo(user.email);
    expect(mail).toEqual({
      subject: 'A new password for Chat',
      text: expect.stringMatching(/your account user-\w+\.\n[\s\S]*\nhttps:\/\/chat\.example\.org\/password#[a-z0-9]{32}\n/),
      code: anyToken,
    });
    expect(outcome(await setPassword(call, mail?.code))).toEqual(done);
    for (const token of [user.token, session]) expect((await call('GET', '/api/users/me', { token })).status).toBe(401);
    expect((await logIn(call, user.username, user.password)).status).toBe(401);
    expect((await logIn(call, user.username, 'another horse')).status).toBe(201);
    expect(outcome(await setPassword(call, mail?.code))).toEqual(noSuchCode);
  });

  it('a forgotten password without an account gets the same answer, and an e-mail without a code', async () => {
    const [known, unknown] = [await anAccount(), `${aName()}@example.org`];
    const [one, other] = [await requestPassword(call, known.email), await requestPassword(call, unknown)];
    expect(outcome(other)).toEqual(outcome(one));
    expect(mailsTo(unknown)).toEqual([
      {
        subject: 'A new password for Chat',
        text: expect.stringContaining('No account with this address can be used.'),
        code: undefined,
      },
    ]);
  });

  it('a forgotten password is replaced by a code that an administrator makes', async () => {
    const [user, { token }] = [await anAccount(), await anAdmin()];
    const created = await call('POST', `/api/users/${user.id}/codes`, { token, body: {} });
    const { code } = created.body as { code: string };
    const body = { code: anyToken, link: `https://chat.example.org/password#${code}`, expires_at: anyDate };
    expect(outcome(created)).toEqual({ status: 201, body });
    expect(outcome(await setPassword(call, code))).toEqual(done);
    expect((await logIn(call, user.username, 'another horse')).status).toBe(201);
  });
});

describe('a code for a new password', () => {
  it('a code for a new password is stored as a hash, and expires after an hour', async () => {
    const user = await anAccount();
    const code = await aCode(inProcess, user);
    const mine = { 'account.user': new ObjectId(user.id) };
    const stored = await codes.findOne(mine);
    expect(JSON.stringify(stored)).not.toContain(code);
    const inAnHour = Date.now() + 3_600_000;
    expect(Math.abs((stored?.expires_at.getTime() ?? 0) - inAnHour)).toBeLessThan(600_000);
    await codes.updateOne(mine, { $set: { expires_at: new Date(Date.now() - 1_000) } });
    expect(outcome(await setPassword(inProcess, code))).toEqual(noSuchCode);
  });

  it('a code for a new password from a clock that was ahead does not last longer', async () => {
    const user = await anAccount();
    const code = await aCode(inProcess, user);
    await codes.updateOne({ 'account.user': new ObjectId(user.id) }, { $set: { expires_at: new Date(Date.now() + 86_400_000) } });
    expect(outcome(await setPassword(inProcess, code))).toEqual(noSuchCode);
  });

  it('a code for a new password stays valid when the new password is refused', async () => {
    const code = await aCode(inProcess, await anAccount());
    expect((await setPassword(inProcess, code, 'password1')).status).toBe(400);
    expect(outcome(await setPassword(inProcess, code))).toEqual(done);
  });

  it.each<[string, (user: Account) => Promise<unknown>]>([
    ['a change of the password', (user) => change(user, { password: 'a third horse' })],
    ['a change of the address', (user) => change(user, { email: `${aName()}@example.org` })],
    [
      'a change of the address and back',
      async (user) => {
        await change(user, { email: `${aName()}@example.org` });
        return change(user, { email: user.email });
      },
    ],
    [
      'the deletion of the account',
      ({ token, password }) => inProcess('DELETE', '/api/users/me', { token, body: { current_password: password } }),
    ],
    [
      'a deactivation',
      async ({ id }) => inProcess('PATCH', `/api/users/${id}`, { token: (await anAdmin()).token, body: { is_active: false } }),
    ],
    ['the use of another code', async (user) => setPassword(inProcess, await aCode(inProcess, user))],
  ])('a code for a new password is no longer valid after %s', async (_what, happen) => {
    const user = await anAccount();
    const code = await aCode(inProcess, user);
    expect(await happen(user)).toMatchObject({ status: expect.closeTo(202, -1) });
    expect(outcome(await setPassword(inProcess, code))).toEqual(noSuchCode);
  });

  it('a code for a new password is accepted for only one of ten concurrent uses', async () => {
    const { call, end } = await callThrough(2, {});
    // Each process reads the list of common passwords before its time counts.
    await Promise.all(Array.from({ length: 4 }, () => setPassword(call, 'a'.repeat(32))));
    const user = await anAccount();
    const code = await aCode(inProcess, user);
    const passwords = Array.from({ length: 10 }, (_, at) => `horse number ${at}`);
    const replies = await Promise.all(passwords.map((password) => setPassword(call, code, password)));
    await end();
    expect(replies.map(({ status }) => status).sort()).toEqual([204, ...Array(9).fill(404)]);
    const chosen = passwords[replies.findIndex(({ status }) => status === 204)] ?? '';
    expect((await logIn(inProcess, user.username, chosen)).status).toBe(201);
  });

  it('a code for a new password makes the address of its use a known one, so that guesses elsewhere do not lock the owner out', async () => {
    const [user, home] = [await anAccount(), anAddress()];
    const code = await aCode(inProcess, user);
    await inProcess('PUT', '/api/password', { body: { code, password: 'another horse' }, source: home });
    // In groups: a busy machine cannot check a hundred passwords within the time of a request, and
    // unchecked ones do not count.
    let statuses = [0];
    for (let group = 0; group < 30 && statuses.some((status) => status !== 429); group++) {
      const guesses = Array.from({ length: 10 }, () => logIn(inProcess, user.username, 'a guess'));
      statuses = (await Promise.all(guesses)).map(({ status }) => status);
    }
    expect((await logIn(inProcess, user.username, 'another horse')).status).toBe(429);
    expect((await logIn(inProcess, user.username, 'another horse', home)).status).toBe(201);
  });

  it('only full administrators create a code for a new password, and only for active accounts', async () => {
    const [user, { token }] = [await anAccount(), await anAdmin()];
    const make = (as: string) => inProcess('POST', `/api/users/${user.id}/codes`, { token: as, body: {} });
    const asked = { name: aName(), scopes: ['admin', 'account'], current_password: 'correct horse' };
    const scoped = await inProcess('POST', '/api/tokens', { token, body: asked });
    expect(outcome(await make((scoped.body as { token: string }).token))).toEqual(
      refusals.denied('A token without scopes is required.'),
    );
    expect(outcome(await make(user.token))).toEqual(refusals.denied());
    await inProcess('PATCH', `/api/users/${user.id}`, { token, body: { is_active: false } });
    expect(outcome(await make(token))).toEqual(refusals.noSuch('user'));
    expect(outcome(await requestPassword(inProcess, user.email))).toEqual(done);
    expect(mailsTo(user.email)).toMatchObject([{ code: undefined }]);
  });

  it('a code for a new password is printed by the command line', async () => {
    const user = await anAccount();
    const { code, stdout, stderr } = await admin(['user', 'code', user.username]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: expect.stringMatching(/^https:\/\/chat\.example\.org\/password#[a-z0-9]{32}\n$/),
      stderr: '',
    });
    expect(outcome(await setPassword(inProcess, stdout.trim().split('#')[1]))).toEqual(done);
  });
});

describe('the purpose of a code', () => {
  it('a code for an address sets no password', async () => {
    const email = `${aName()}@example.org`;
    await inProcess('POST', '/api/codes', { body: { email, purpose: 'address' } });
    expect(outcome(await setPassword(inProcess, mailsTo(email)[0]?.code))).toEqual(noSuchCode);
  });
});

const change = ({ token, password }: Account, body: object) =>
  inProcess('PATCH', '/api/users/me', { token, body: { ...body, current_password: password } });
