import { expect, it } from 'vitest';

Object.assign(process.env, { SMTP_URL: '', PUBLIC_URL: '' });
const { anAccount, anAdmin } = await import('../support/accounts.ts');
const { refusals } = await import('../support/error-bodies.ts');
const { outcome } = await import('../support/responses.ts');
const { aRoom } = await import('../support/rooms.ts');
const { inProcess: call } = await import('../support/transports.ts');

it('without a mail server nobody gets an e-mail, clients learn of it, and administrators can still make codes', async () => {
  const [{ id, email }, { token }] = [await anAccount(), await anAdmin()];
  expect((await call('GET', '/api/health')).body).toMatchObject({ sends_email: false, email_confirmation: 'off' });
  for (const purpose of ['password', 'address'])
    expect(outcome(await call('POST', '/api/codes', { body: { email, purpose } }))).toEqual(
      refusals.denied('The service sends no e-mail.'),
    );
  const room = await aRoom();
  const invite = (body: object) => call('POST', `${room.path}/invitations`, { token: room.owner.token, body });
  expect(outcome(await invite({ email }))).toEqual(refusals.denied('The service sends no e-mail.'));
  expect((await invite({})).status).toBe(201);
  expect(await call('POST', `/api/users/${id}/codes`, { token, body: {} })).toMatchObject({ status: 201, body: { link: null } });
});
