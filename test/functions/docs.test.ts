import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openBrowser } from '../../tools/harness/browser.ts';
import { anAdmin } from '../support/accounts.ts';
import { inProcess as call } from '../support/transports.ts';

const baseUrl = inject('baseUrl');

describe.each(['/docs', '/docs/api/json'])('%s', (path) => {
  it('is a public page, which may use its own script and style and nothing else', async () => {
    const { status, headers, body } = await call('GET', path, { headers: { accept: 'text/html' } });
    expect({ status, type: headers['content-type'] }).toEqual({ status: 200, type: 'text/html; charset=utf-8' });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src '(none|sha256-.{44})'; style-src 'sha256-.{44}';/,
    );
    expect(body).not.toMatch(/(src|href)="(https?:)?\/\//);
  });

  it('is read-only', async () => {
    const { status, headers } = await call('POST', path, { body: {} });
    expect({ status, allow: headers.allow }).toEqual({ status: 405, allow: 'GET, OPTIONS' });
  });
});

it('the 406 error links to a page that exists', async () => {
  const { token } = await anAdmin();
  const { body } = await call('GET', '/api/rooms', { token, headers: { accept: 'text/html' } });
  const { href } = (body as { link: { href: string } }).link;
  expect(await call('GET', href)).toMatchObject({ status: 200, body: expect.stringContaining('406 Media type not acceptable') });
});

it('whoever opens the address of the API, which has nothing itself, finds its documentation', async () => {
  const [found, docs] = await Promise.all([call('GET', '/api'), call('GET', '/docs')]);
  expect({ status: found.status, body: found.body }).toEqual({ status: 200, body: docs.body });
  expect((await call('POST', '/api', { body: {} })).status).toBe(405);
  expect((await call('OPTIONS', '/api')).status).toBe(204);
});

describe('in a browser', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await openBrowser();
  });
  afterAll(() => browser.close());

  it.each([
    ['/docs', 'on a desktop', 1280],
    ['/docs', 'on a phone', 360],
    ['/docs/api/json', 'on a desktop', 1280],
    ['/docs/api/json', 'on a phone', 360],
  ])('%s %s fits the width, without errors', async (path, _where, width) => {
    const { page, problems } = await open(browser, path, width);
    for (const details of await page.locator('details > summary').all()) await details.click();
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(problems).toEqual([]);
  });

  it('/docs makes a call with a pasted token', async () => {
    const { token } = await anAdmin();
    const { page, problems } = await open(browser, '/docs', 360);
    await page.fill('#token', token);
    await page.click('#postRooms > summary');
    await page.fill('#postRooms textarea', '{"name": "Made in a browser <b>"}');
    await page.click('#postRooms button');
    const output = page.locator('#postRooms output');
    await output.getByText('201').waitFor();
    expect(await output.textContent()).toContain('"name": "Made in a browser <b>"');
    expect(problems).toEqual([]);
  });

  it('/docs shows the error of a call without a token', async () => {
    const { page } = await open(browser, '/docs', 1280);
    await page.click('#getRooms > summary');
    await page.click('#getRooms button');
    await page.locator('#getRooms output').getByText('401').waitFor();
    expect(await page.locator('#getRooms output').textContent()).toContain('Please provide an auth token or login.');
  });
});

async function open(browser: Browser, path: string, width: number): Promise<{ page: Page; problems: string[] }> {
  const page = await browser.newPage({ viewport: { width, height: 800 } });
  const problems: string[] = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => request.url().startsWith(baseUrl) || problems.push(`asked for ${request.url()}`));
  await page.goto(`${baseUrl}${path}`);
  return { page, problems };
}
