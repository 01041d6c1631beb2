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

it('two people talk with names after two links, at most six clicks, and three fields each', async () => {
  const link = /https:\/\/chat\.example\.org(\/setup#[a-z0-9]{32})\n/.exec(service.output())?.[1] ?? '';
  const hers = await (await browser()).newContext({
    serviceWorkers: 'block',
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const herEffort = await countEffort(hers);
  const { page } = await openPage(hers, `${service.url}${link}`);
  await signUp(page, 'Ann Lee');
  // The first room is open, with what to do first just above the field for a message.
  const welcome = page.locator('.room-pane .welcome');
  await welcome.getByRole('heading', { name: 'Welcome to General' }).waitFor();
  const fieldTop = async () => (await page.locator('.room-pane .composer').boundingBox())?.y ?? 0;
  const { y = 0, height = 0 } = (await welcome.boundingBox()) ?? {};
  expect((await fieldTop()) - y - height).toBeLessThan(40);
  await welcome.getByRole('button', { name: 'Copy invite link' }).click();
  const copied = () => page.evaluate<string>('navigator.clipboard.readText()');
  await expect.poll(copied).toContain('/join#');
  const invitation = new URL(await copied());

  const his = await (await browser()).newContext({ serviceWorkers: 'block' });
  const hisEffort = await countEffort(his);
  const guest = await openPage(his, `${service.url}${invitation.pathname}${invitation.hash}`);
  await signUp(guest.page, 'Bob Stone');
  await say(guest.page, 'Hello, Ann!');
  const seenByAnn = page.locator('.room-pane li.message', { hasText: 'Hello, Ann!' });
  await seenByAnn.getByText('Bob Stone').waitFor();
  await say(page, 'Hello, Bob!');
  await guest.page.locator('.room-pane li.message', { hasText: 'Hello, Bob!' }).getByText('Ann Lee').waitFor();
  expect(herEffort.clicks + hisEffort.clicks).toBe(3);
  for (const { fields } of [herEffort, hisEffort]) expect([...fields].sort()).toEqual(['email', 'name', 'password']);
  await Promise.all([hers.close(), his.close()]);
});

const signUp = async (page: Page, name: string) => {
  await page.getByLabel('Your name').fill(name);
  await page.getByLabel('E-mail address').fill(`${name.split(' ')[0]}@example.org`);
  await page.getByLabel('Password').fill('correct horse');
  await page.getByRole('button', { name: 'Create account' }).click();
};
