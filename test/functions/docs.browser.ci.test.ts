import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAdmin } from '../support/accounts.ts';
import { browser } from '../support/browser.ts';
import { offlineUrl } from '../support/services.ts';

const baseUrl = await offlineUrl();
const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

describe('the documentation in a browser', () => {
  it.each([
    ['/docs', 'on a desktop', 1280],
    ['/docs', 'on a phone', 360],
    ['/docs/api/json', 'on a desktop', 1280],
    ['/docs/api/json', 'on a phone', 360],
  ])('a page of the documentation fits the width, without errors: %s %s', async (path, _where, width) => {
    const { page, problems } = await open(path, width);
    await page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true");
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    expect(problems).toEqual([]);
  });

  it('/docs makes a call with a pasted token', async () => {
    const { token } = await anAdmin();
    const { page, problems } = await open('/docs', 360);
    await page.fill('#token', token);
    await page.click('#postRooms > summary');
    await page.fill('#postRooms textarea', '{"name": "Made in a browser <b>"}');
    await page.click('#postRooms button');
    const output = page.locator('#postRooms output');
    await output.getByText('201').waitFor();
    expect(await output.textContent()).toContain('"name": "Made in a browser <b>"');
    expect(problems).toEqual([]);
  });

  it('/docs opens the operation that a link of its overview or the address names', async () => {
    const { page, problems } = await open('/docs', 1280);
    const isOpen = (id: string) => page.locator(`details#${id}[open]`).waitFor();
    await page.locator('nav a[href="#putPassword"]').click();
    await isOpen('putPassword');
    const direct = await open('/docs#getHealth', 1280);
    await direct.page.locator('details#getHealth[open]').waitFor();
    expect([...problems, ...direct.problems]).toEqual([]);
  });

  it('/docs uses the token of a login on its page', async () => {
    const { username, password, id } = await anAdmin();
    const { page } = await open('/docs#postSessions', 1280);
    await page.fill('#postSessions textarea', JSON.stringify({ username, password }));
    await page.click('#postSessions button');
    await page.locator('#postSessions output').getByText('201').waitFor();
    expect(await page.inputValue('#token')).toMatch(/^[a-z0-9]{32}$/);
    await page.locator('nav a[href="#getUser"]').click();
    await page.fill('#getUser input[name=user]', 'me');
    await page.click('#getUser button');
    await page.locator('#getUser output').getByText('200').waitFor();
    expect(await page.locator('#getUser output').textContent()).toContain(id);
  });

  it('/docs has its headings in order, a label for each field, and a link past its overview', async () => {
    const { page } = await open('/docs', 1280);
    await page.evaluate(axe);
    const rules = ['heading-order', 'page-has-heading-one', 'skip-link', 'bypass', 'label', 'landmark-one-main'];
    const { violations } = (await page.evaluate(`axe.run({ runOnly: ${JSON.stringify(rules)} })`)) as { violations: unknown[] };
    expect(violations).toEqual([]);
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await page.evaluate('document.activeElement.id')).toBe('operations');
  });

  it('/docs shows the error of a call without a token', async () => {
    const { page } = await open('/docs', 1280);
    await page.click('#getRooms > summary');
    await page.click('#getRooms button');
    await page.locator('#getRooms output').getByText('401').waitFor();
    expect(await page.locator('#getRooms output').textContent()).toContain('Please provide an auth token or login.');
  });
});

async function open(path: string, width: number): Promise<{ page: Page; problems: string[] }> {
  const page = await (await browser()).newPage({ viewport: { width, height: 800 } });
  const problems: string[] = [];
  page.on('console', (message) => ['error', 'warning'].includes(message.type()) && problems.push(message.text()));
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('request', (request) => request.url().startsWith(baseUrl) || problems.push(`asked for ${request.url()}`));
  await page.goto(`${baseUrl}${path}`);
  return { page, problems };
}
