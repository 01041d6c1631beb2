import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { call, say, signIn, signOut, storedIn, visit } from './support.ts';

const listed = (page: Page) => page.locator('.rooms section li:not(.muted)').count();

/** Begins a conversation on the page. */
async function begin(page: Page, { username }: Account): Promise<void> {
  await page.getByRole('button', { name: 'New message' }).click();
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type(username);
  await page.keyboard.press('Enter');
  await page.getByPlaceholder(`Message ${username}`).waitFor();
}

describe('a conversation', () => {
  it('a conversation is listed for the others only once something was said in it', async () => {
    const [one, other] = [await anAccount(), await anAccount()];
    const hers = await visit();
    const his = await visit({ as: other });
    await signIn(hers.page, one);
    await begin(hers.page, other);
    expect(await listed(hers.page)).toBe(1);
    await his.page.waitForTimeout(4_000);
    expect(await listed(his.page)).toBe(0);
    // Both started it, and it is one conversation.
    await begin(his.page, one);
    expect(await listed(his.page)).toBe(1);
    await his.page.getByRole('link', { name: 'All rooms' }).click();
    await expect.poll(() => listed(his.page)).toBe(0);
    await say(hers.page, 'Hello');
    await his.page.locator('.rooms').getByRole('link', { name: one.username }).waitFor();
    await Promise.all([hers.context.close(), his.context.close()]);
  });

  it('a conversation is hidden until something new is said in it, also after a reload', async () => {
    const [one, other] = [await anAccount(), await anAccount()];
    const { page, context, problems } = await visit({ as: one });
    await begin(page, other);
    await say(page, 'Hello');
    await page.locator('li.message:not(.pending)').waitFor();
    const room = page.url().split('/').at(-1) ?? '';
    await page.locator('.room-pane').getByRole('link', { name: 'About this room' }).click();
    await page.getByRole('button', { name: 'Hide this conversation' }).click();
    await expect.poll(() => listed(page)).toBe(0);
    await page.reload();
    await page.locator('.rooms li.muted').waitFor();
    // It is still found.
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: other.username }).waitFor();
    await page.keyboard.press('Escape');
    await aMessage(other, room, { text: 'Are you there?' }, call);
    await page.locator('.rooms').getByRole('link', { name: other.username }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('signing out', () => {
  it('signing out asks for a confirmation only while a draft or a message is unsent', async () => {
    const [one, other] = [await anAccount(), await anAccount()];
    const { page, context } = await visit({ as: one });
    await begin(page, other);
    await page.locator('.room-pane textarea').fill('to be said');
    await signOut(page);
    const dialog = page.getByRole('dialog', { name: 'Sign out? 1 draft will be deleted from this browser.' });
    await dialog.waitFor();
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await page.locator('.room-pane textarea').inputValue()).toBe('to be said');
    await context.setOffline(true);
    await page.locator('.room-pane textarea').press('Enter');
    await page.locator('.room-pane li.pending .state.waiting').waitFor();
    await page.locator('.room-pane textarea').fill('and more');
    await signOut(page);
    await page.getByRole('dialog', { name: 'Sign out? 1 unsent message and 1 draft will be deleted' }).waitFor();
    await page.keyboard.press('Escape');
    await context.setOffline(false);
    // The message counts as unsent until its answer is there; the room may show it earlier.
    await expect.poll(() => storedIn(page, 'outbox', one)).toEqual([]);
    await page.locator('.room-pane textarea').fill('');
    await signOut(page);
    await page.getByRole('button', { name: 'Sign in', exact: true }).waitFor();
    await context.close();
  });
});
