import type { Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { browser } from '../../../test/support/browser.ts';
import { useOwnDatabase } from '../../../test/support/config.ts';
import { aService } from '../../../test/support/services.ts';
import { commands, type Service } from '../../../tools/harness/service.ts';
import { countEffort, openPage, say } from './support.ts';

useOwnDatabase();

let service: Service;
beforeAll(async () => {
  service = await aService({}, commands.start);
});
afterAll(() => service.stop());

it('the page lets two people talk after two links, at most six clicks, and two fields each', async () => {
  const link = /https:\/\/chat\.example\.org(\/setup#[a-z0-9]{32})\n/.exec(service.output())?.[1] ?? '';
  const hers = await (await browser()).newContext({
    serviceWorkers: 'block',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const herEffort = await countEffort(hers);
  const { page } = await openPage(hers, `${service.url}${link}`);
  await fillAccount(page, 'ann');
  await page.getByRole('button', { name: 'Create administrator' }).click();
  await page.getByRole('heading', { name: 'General' }).waitFor();
  await page.getByRole('link', { name: 'Members', exact: true }).click();
  await page.getByRole('button', { name: 'Create a link' }).click();
  await page.getByLabel('Invitation link').waitFor();
  await page.getByRole('button', { name: 'Copy' }).click();
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(copied).toContain('/join#');
  const invitation = new URL(await copied());

  const his = await (await browser()).newContext({ serviceWorkers: 'block' });
  const hisEffort = await countEffort(his);
  const guest = await openPage(his, `${service.url}${invitation.pathname}${invitation.hash}`);
  await fillAccount(guest.page, 'bob');
  await guest.page.getByRole('button', { name: 'Create account' }).click();
  await say(guest.page, 'Hello, Ann!');
  await page.locator('.room-pane li.message', { hasText: 'Hello, Ann!' }).waitFor();
  await say(page, 'Hello, Bob!');
  await guest.page.locator('.room-pane li.message', { hasText: 'Hello, Bob!' }).waitFor();
  expect(herEffort.clicks + hisEffort.clicks).toBeLessThanOrEqual(6);
  for (const { fields } of [herEffort, hisEffort]) expect([...fields].sort()).toEqual(['email', 'password']);
  await Promise.all([hers.close(), his.close()]);
});

const fillAccount = async (page: Page, name: string) => {
  await page.getByLabel('E-mail address').fill(`${name}@example.org`);
  await page.getByLabel('Password').fill('correct horse');
  expect(await page.getByLabel('Username').inputValue()).toBe(name);
};
