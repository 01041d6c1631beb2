import { afterAll, describe, expect, it } from 'vitest';
import { startMailServer } from '../../../tools/harness/mail-server.ts';
import { aName, anAccount } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';
import { invalid } from '../../support/error-bodies.ts';
import { outcome } from '../../support/responses.ts';
import { aRoom } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

const refuse = (code: number) => Object.assign(new Error('no'), { responseCode: code });
const logins: unknown[] = [];
const received: string[][] = [];
const server = await startMailServer((to) => void received.push(to), {
  authOptional: false,
  allowInsecureAuth: true,
  onAuth: ({ username, password }, _session, done) => {
    logins.push({ username, password });
    done(null, { user: username });
  },
  onRcptTo: ({ address }, _session, done) =>
    done(address.startsWith('gone') ? refuse(550) : address.startsWith('later') ? refuse(451) : null),
});
afterAll(() => server.close());

useConfig({
  SMTP_URL: server.url.replace('//', '//chat:s%40cret@'),
  MAIL_FROM: 'Chat <chat@example.org>',
  PUBLIC_URL: 'https://chat.example.org',
});

const ask = (email: string) => inProcess('POST', '/api/codes', { body: { email, purpose: 'password' } });

describe('an e-mail', () => {
  it('an e-mail goes to one address alone, with the login of SMTP_URL', async () => {
    const email = `${aName()}'s+tag@example.org`;
    expect((await ask(email)).status).toBe(204);
    expect(received.at(-1)).toEqual([email]);
    expect(logins.at(-1)).toEqual({ username: 'chat', password: 's@cret' });
    expect((await ask(`${aName()},everyone@example.org`)).status).toBe(400);
    expect(received.at(-1)).toEqual([email]);
  });

  it('an e-mail to an address that the mail server refuses is answered with 400', async () => {
    expect(outcome(await ask('gone@example.org'))).toEqual({
      status: 400,
      body: invalid('email', 'be an address that accepts e-mail'),
    });
  });

  it.each([
    ['gone@example.org', 400],
    ['later@example.org', 503],
  ])('an e-mail with an invitation that is not sent leaves none behind: %s', async (email, status) => {
    const { path, owner } = await aRoom({ owner: await anAccount() });
    const { token } = owner;
    expect((await inProcess('POST', `${path}/invitations`, { token, body: { email } })).status).toBe(status);
    expect((await inProcess('GET', `${path}/invitations`, { token })).body).toEqual([]);
  });

  it('an e-mail that the mail server refuses temporarily is answered with 503', async () => {
    expect(await ask('later@example.org')).toMatchObject({
      status: 503,
      body: { description: 'The e-mail could not be sent.' },
    });
  });
});
