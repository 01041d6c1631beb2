import { afterAll, expect, it } from 'vitest';
import { startMailServer } from '../../../tools/harness/mail-server.ts';
import { aName, anAddress } from '../../support/accounts.ts';
import { useConfig } from '../../support/config.ts';
import { aRoom } from '../../support/rooms.ts';
import { inProcess } from '../../support/transports.ts';

const received: string[][] = [];
const server = await startMailServer((to) => void received.push(to), { hideSTARTTLS: false });
afterAll(() => server.close());
useConfig({ RATE_LIMITS: 'on', WRITE_BURST: '1000' });
useConfig({ SMTP_URL: server.url, MAIL_FROM: 'chat@example.org', PUBLIC_URL: 'https://chat.example.org' });

it('no e-mail is sent to a mail server with an untrusted certificate', async () => {
  const { status } = await inProcess('POST', '/api/codes', { body: { email: 'ann@example.org', purpose: 'password' } });
  expect({ status, received }).toEqual({ status: 503, received: [] });
});

it('no invitation counts that is not sent because of an untrusted certificate', async () => {
  const { path, owner } = await aRoom();
  const body = { email: `${aName()}@example.org` };
  const statuses = [];
  for (let at = 0; at < 3; at++)
    statuses.push((await inProcess('POST', `${path}/invitations`, { token: owner.token, body, source: anAddress() })).status);
  expect({ statuses, received }).toEqual({ statuses: [503, 503, 503], received: [] });
});
