import { describe, expect, it } from 'vitest';
import { aName, anAccount, anAdmin } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { mailsTo } from '../support/mail.ts';
import { outcome } from '../support/responses.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ EMAIL_CONFIRMATION: 'required' });

const required = refusals.denied('A code that was sent to the e-mail address is required.');
const noSuchCode = refusals.noSuch('code');
const anEmail = () => `${aName()}@example.org`;
const ask = (email: string) => call('POST', '/api/codes', { body: { email, purpose: 'address' } });
const signUp = (email: string, code?: string, more: { token?: string } = {}) =>
  call('POST', '/api/users', { ...more, body: { username: aName(), email, password: 'correct horse', ...(code && { code }) } });

async function aCode(email: string): Promise<string> {
  expect(outcome(await ask(email))).toEqual({ status: 204, body: '' });
  return mailsTo(email).at(-1)?.code ?? '';
}

describe('accounts whose addresses must be confirmed', () => {
  it('a sign-up needs the code that was sent to its address, and uses it', async () => {
    const email = anEmail();
    const code = await aCode(email);
    expect(mailsTo(email)[0]?.text).toContain(
      `\nhttps://chat.example.org/signup#code=${code}&email=${encodeURIComponent(email)}\n`,
    );
    expect(outcome(await signUp(email))).toEqual(required);
    expect(outcome(await signUp(email, 'a'.repeat(32)))).toEqual(noSuchCode);
    expect(outcome(await signUp(anEmail(), code))).toEqual(noSuchCode);
    expect(outcome(await signUp(email.replace('user', 'USER'), code))).toEqual(noSuchCode);
    expect(await signUp(email, code)).toMatchObject({ status: 201, body: { user: { email } } });
    expect(outcome(await signUp(email, code))).toEqual(noSuchCode);
  });

  it('a sign-up that is refused leaves the code valid', async () => {
    const [email, { username }] = [anEmail(), await anAccount()];
    const body = { username, email, password: 'correct horse', code: await aCode(email) };
    expect((await call('POST', '/api/users', { body })).status).toBe(409);
    expect((await call('POST', '/api/users', { body: { ...body, username: aName() } })).status).toBe(201);
  });

  it('an address that has an account gets an e-mail that says so, and the same answer', async () => {
    const { email } = await anAccount();
    expect(outcome(await ask(email))).toEqual({ status: 204, body: '' });
    expect(mailsTo(email)).toEqual([
      {
        subject: 'Your e-mail address for Chat',
        text: expect.stringContaining('An account with this address already exists'),
        code: undefined,
      },
    ]);
  });

  it('a code for a password confirms no address', async () => {
    const user = await anAccount();
    await call('POST', '/api/codes', { body: { email: user.email, purpose: 'password' } });
    const code = mailsTo(user.email)[0]?.code;
    const body = { email: user.email, current_password: user.password, code };
    expect(outcome(await call('PATCH', '/api/users/me', { token: user.token, body }))).toEqual(noSuchCode);
  });

  it('a change of the address needs a code where addresses are confirmed, and a new password does not', async () => {
    const [user, email] = [await anAccount(), anEmail()];
    const change = (more: object) =>
      call('PATCH', '/api/users/me', { token: user.token, body: { current_password: user.password, ...more } });
    expect(outcome(await change({ email }))).toEqual(required);
    expect(await change({ email, code: await aCode(email) })).toMatchObject({ status: 200, body: { email } });
    expect((await change({ password: 'another horse' })).status).toBe(200);
  });

  it('administrators need no code where addresses must be confirmed', async () => {
    const { token } = await anAdmin();
    expect((await signUp(anEmail(), undefined, { token })).status).toBe(201);
  });

  it('clients learn from the health of the service that addresses must be confirmed', async () => {
    expect((await call('GET', '/api/health')).body).toMatchObject({ sends_email: true, email_confirmation: 'required' });
  });
});
