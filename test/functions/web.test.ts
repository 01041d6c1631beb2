import { describe, expect, it } from 'vitest';
import { callWith } from '../support/config.ts';
import { inProcess as call } from '../support/transports.ts';

/** The settings in the page that a reply has. */
const settingsIn = (page: unknown): { mcp?: string } => {
  const [, content = ''] = /<meta name="chat" content="([^"]*)">/.exec(String(page)) ?? [];
  return JSON.parse(content.replaceAll('&quot;', '"').replaceAll('&amp;', '&'));
};

describe('the page', () => {
  it.each([
    ['on', undefined],
    ['read', 'read'],
    ['off', 'off'],
  ])('the page knows what agents may do if MCP is %s', async (MCP, mcp) => {
    const { status, body } = await callWith({ MCP })('GET', '/');
    expect([status, settingsIn(body).mcp]).toEqual([200, mcp]);
  });

  it('the page takes what an app shares without a service worker: the browser opens the page', async () => {
    const headers = { 'content-type': 'multipart/form-data; boundary=x' };
    const body = '--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nhello\r\n--x--\r\n';
    const { status, headers: sent, body: answer } = await call('POST', '/share', { headers, body });
    expect([status, sent.location, answer]).toEqual([303, '/share', '']);
    expect((await call('GET', '/share')).status).toBe(200);
    expect((await call('POST', '/login', { headers, body })).status).toBe(405);
  });
});
