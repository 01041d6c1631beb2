import { expect, it } from 'vitest';
import { anAccount, anAdmin } from '../support/accounts.ts';
import { useConfig } from '../support/config.ts';
import { refusals } from '../support/error-bodies.ts';
import { outcome } from '../support/responses.ts';
import { aRoom } from '../support/rooms.ts';
import { inProcess as call } from '../support/transports.ts';

useConfig({ SMTP_URL: '', PUBLIC_URL: '' });

it('without a mail server nobody gets an e-mail, clients learn of it, and administrators can still make codes', async () => {
  const [{ id, email }, { token }] = [await anAccount(), await anAdmin()];
  expect((await call('GET', '/api/health')).body).toMatchObject({ sends_email: false, email_confirmation: 'off' });
  for (const purpose of ['password', 'address'])
    expect(outcome(await call('POST', '/api/codes', { body: { email, purpose } }))).toEqual(
      refusals.denied('The service does not send e-mail.'),
    );
  const room = await aRoom();
  const invite = (body: object) => call('POST', `${room.path}/invitations`, { token: room.owner.token, body });
  expect(outcome(await invite({ email }))).toEqual(refusals.denied('The service does not send e-mail.'));
  expect((await invite({})).status).toBe(201);
  expect(await call('POST', `/api/users/${id}/codes`, { token, body: {} })).toMatchObject({ status: 201, body: { link: null } });
});
