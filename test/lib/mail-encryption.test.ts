import { afterAll, expect, it } from 'vitest';
import { startMailServer } from '../../tools/harness/mail-server.ts';

const received: string[][] = [];
const server = await startMailServer((to) => void received.push(to), { hideSTARTTLS: false });
afterAll(() => server.close());
Object.assign(process.env, { SMTP_URL: server.url, MAIL_FROM: 'chat@example.org', PUBLIC_URL: 'https://chat.example.org' });
const { inProcess } = await import('../support/transports.ts');

it('no e-mail is sent to a mail server with an untrusted certificate', async () => {
  const { status } = await inProcess('POST', '/api/codes', { body: { email: 'ann@example.org', purpose: 'password' } });
  expect({ status, received }).toEqual({ status: 503, received: [] });
});
