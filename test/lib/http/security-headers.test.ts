import { expect, it } from 'vitest';
import { useConfig } from '../../support/config.ts';
import { inProcess as call } from '../../support/transports.ts';

useConfig({ HSTS: 'subdomains' });

it('with HSTS=subdomains the header makes browsers use HTTPS for all subdomains', async () => {
  const { headers } = await call('GET', '/api/rooms');
  expect(headers['strict-transport-security']).toBe('max-age=31536000; includeSubDomains');
});
