import { describe, expect, it } from 'vitest';
import { noSuch } from '../support/error-bodies.ts';
import { inProcess as call } from '../support/transports.ts';

const browser = { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8' };

describe('a path that does not exist', () => {
  it.each(['/anything', '/rooms/', '/chat/login', '/apis'])('a path that does not exist shows the page: %s', async (path) => {
    const { status, headers, body } = await call('GET', path, { headers: browser });
    expect([status, headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toMatch(/default-src 'none'/);
    expect(body).toMatch(/^<!doctype html>/i);
  });

  it.each<[string, string, Record<string, string>]>([
    ['a path of the API, also to a browser', '/api/anything', browser],
    ['the path of the API with nothing after it', '/api/', browser],
    ['a program that accepts anything', '/anything', { accept: '*/*' }],
    ['a program that accepts JSON', '/anything', { accept: 'application/json' }],
    ['a program that says nothing', '/anything', {}],
    ['a script of an older page', '/assets/index-0.js', { accept: '*/*' }],
  ])('a path that does not exist answers in JSON for %s', async (_what, path, headers) => {
    expect(await call('GET', path, { headers })).toMatchObject({
      status: 404,
      body: noSuch('path'),
    });
  });

  it('a path that does not exist answers in JSON to all methods but GET', async () => {
    expect(await call('POST', '/anything', { headers: browser, body: {} })).toMatchObject({ status: 404, body: noSuch('path') });
  });
});
