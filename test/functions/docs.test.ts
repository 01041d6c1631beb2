import { describe, expect, it } from 'vitest';
import { anAdmin } from '../support/accounts.ts';
import { inProcess as call } from '../support/transports.ts';

describe.each(['/docs', '/docs/api/json'])('%s', (path) => {
  it(`${path} is a public page whose policy allows only its own script and style`, async () => {
    const { status, headers, body } = await call('GET', path, { headers: { accept: 'text/html' } });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src '(none|sha256-.{44})'; style-src 'sha256-.{44}';/,
    );
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it(`${path} is read-only`, async () => {
    const { status, headers } = await call('POST', path, { body: {} });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, HEAD, OPTIONS' });
  });
});

it('the 406 error links to a page that exists', async () => {
  const { token } = await anAdmin();
  const { body } = await call('GET', '/api/rooms', { token, headers: { accept: 'text/html' } });
  const { href } = (body as { link: { href: string } }).link;
  expect(await call('GET', href)).toMatchObject({ status: 200, body: expect.stringContaining('406 Media type not acceptable') });
});

it('the address /api redirects to the documentation', async () => {
  const [found, docs] = await Promise.all([call('GET', '/api'), call('GET', '/docs')]);
  expect({ status: found.status, body: found.body }).toEqual({ status: 200, body: docs.body });
  expect((await call('POST', '/api', { body: {} })).status).toBe(405);
  expect((await call('OPTIONS', '/api')).status).toBe(204);
});
