import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { browser } from '../../../test/support/browser.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, signIn, visit } from './support.ts';

const phone = { width: 390, height: 780, options: { hasTouch: true } };
const rowOf = (page: Page, name: string) => page.locator('.rooms').getByRole('link', { name: new RegExp(`^${name}`) });
const results = (page: Page) => page.locator('.results li');

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let at = 0; at < 60 && (await page.locator(`${selector}:focus`).count()) === 0; at++) await page.keyboard.press('Tab');
  await page.locator(`${selector}:focus`).waitFor();
}

describe('the mentions', () => {
  it('of all rooms stand beside the open one, newest first; by keyboard, each leads to its message', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const [here, there] = [
      await aRoom({ owner: other, members: [me], name: 'Here' }),
      await aRoom({ owner: other, members: [me], name: 'There' }),
    ];
    await aMessage(other, here.id, { text: `first for @${me.username}` }, call);
    await aMessage(other, there.id, { text: `second for @${me.username}` }, call);
    await aMessage(other, there.id, { text: 'for everyone' }, call);
    const { page, context, problems } = await visit(browser, { path: `/rooms/${here.id}` });
    await signIn(page, me);
    await rowOf(page, 'Mentions').getByText('1', { exact: true }).waitFor();
    await rowOf(page, 'Mentions').focus();
    await page.keyboard.press('Enter');
    await results(page).nth(1).waitFor();
    expect(await results(page).locator('.excerpt').allInnerTexts()).toEqual([
      `second for @${me.username}`,
      `first for @${me.username}`,
    ]);
    await tabTo(page, '.results li:first-child a');
    await page.keyboard.press('Enter');
    await page.locator('li.message.pointed', { hasText: 'second for' }).waitFor();
    expect(new URL(page.url()).pathname.startsWith(`/rooms/${there.id}/`)).toBe(true);
    // The list is still beside the room, with what comes meanwhile.
    await aMessage(other, here.id, { text: `third for @${me.username}` }, call);
    await results(page).getByText('third for').waitFor();
    expect(await results(page).count()).toBe(3);
    await page.keyboard.press('Escape');
    await results(page).first().waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are a page of their own on a phone, which gives way to the message and comes back', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me], name: 'Here' });
    const { page, context, problems } = await visit(browser, phone);
    await signIn(page, me);
    await rowOf(page, 'Mentions').click();
    await page.getByText('Nobody has mentioned you yet.').waitFor();
    await aMessage(other, room.id, { text: `for @${me.username}` }, call);
    await results(page).click();
    await page.locator('li.message.pointed').waitFor();
    expect(await results(page).count()).toBe(0);
    await page.goBack();
    await results(page).waitFor();
    await page.getByRole('link', { name: 'Back to the rooms' }).click();
    const { height } = (await rowOf(page, 'Mentions').boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThanOrEqual(44);
    expect(problems).toEqual([]);
    await context.close();
  });
});
