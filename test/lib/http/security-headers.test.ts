import { expect, it } from 'vitest';

process.env.HSTS = 'subdomains';
const { inProcess: call } = await import('../../support/transports.ts');

it('with HSTS=subdomains browsers are told to use HTTPS for all subdomains', async () => {
  const { headers } = await call('GET', '/api/rooms');
  expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
});
