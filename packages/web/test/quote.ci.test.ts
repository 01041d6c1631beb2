import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, serveUrl, visit } from './support.ts';

const messageOf = (page: Page, text: string) => page.locator('.room-pane li.message', { hasText: text });
const field = (page: Page) => page.locator('.room-pane .composer textarea');

/** Chooses from the menu of a message, by keyboard. */
async function choose(page: Page, text: string, item: string): Promise<void> {
  await messageOf(page, text).focus();
  await messageOf(page, text).getByRole('button', { name: 'More actions' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('menuitem', { name: item }).focus();
  await page.keyboard.press('Enter');
}

describe('a quote', () => {
  it('a quote goes by keyboard below what was typed, with the caret after it; undo takes it back, and its link leads to the message', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me] });
    const { seq } = await aMessage(other, room.id, { text: `two\nlines for @${me.username}` }, call);
    const address = `${serveUrl}/rooms/${room.id}/${seq}`;
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: me });
    await field(page).fill('Yes:');
    await choose(page, 'two', 'Quote');
    const quoted = `[${other.username}](${address}):\n> two\n> lines for \\@${me.username}\n`;
    await expect.poll(() => field(page).inputValue()).toBe(`Yes:\n${quoted}`);
    await page.keyboard.press('Control+z');
    await expect.poll(() => field(page).inputValue()).toBe('Yes:');
    await page.keyboard.press('Control+Shift+z');
    await page.keyboard.type('I agree');
    await page.keyboard.press('Enter');
    const sent = messageOf(page, 'I agree');
    await sent.locator('blockquote', { hasText: `lines for @${me.username}` }).waitFor();
    await sent.getByRole('link', { name: other.username }).click();
    await page.locator('li.message.pointed', { hasText: 'two' }).waitFor();
    expect([new URL(page.url()).pathname, problems]).toEqual([`/rooms/${room.id}/${seq}`, []]);
    await context.close();
  });
});

describe('a forwarded message', () => {
  it('a forwarded message goes to the room that was chosen, with a comment, and leaves the draft there; from a closed room the page asks first', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const closed = await aRoom({ owner: other, members: [me], name: 'Closed', is_open: false });
    const target = await aRoom({ owner: other, members: [me], name: 'Target' });
    await aMessage(other, closed.id, { text: 'the plan' }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${target.id}`, as: me });
    await field(page).fill('a draft');
    await page.locator('.rooms a', { hasText: 'Closed' }).click();
    await choose(page, 'the plan', 'Forward');
    await page.getByRole('dialog', { name: /This room is private/ }).waitFor();
    // Cancel is the first answer.
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByRole('combobox', { name: 'Room or person' }).waitFor();
    await page.keyboard.type('tar');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Forward to Target' }).getByText('the plan').waitFor();
    await page.keyboard.type('Look');
    // Escape loses no comment: the question comes first, and going on is its first answer.
    await page.keyboard.press('Escape');
    await page.locator('.dialog-ask').waitFor();
    await page.keyboard.press('Enter');
    await page.locator('dialog textarea:focus').waitFor();
    await page.keyboard.press('Tab');
    await page.getByRole('button', { name: 'Send' }).and(page.locator('dialog *')).press('Enter');
    await page.getByText('Forwarded to Target.').first().waitFor();
    const texts = async () =>
      ((await call('GET', `/api/messages?room=${target.id}`, { token: me.token })).body as { text: string }[]).map(
        ({ text }) => text,
      );
    await expect.poll(texts).toEqual([expect.stringMatching(/^Look\n\n\[.*\]\(.*\):\n> the plan$/)]);
    await page.locator('.rooms a', { hasText: 'Target' }).click();
    expect(await field(page).inputValue()).toBe('a draft');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a message is forwarded from an open room without a question, by finger on a phone', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me], name: 'Open' });
    await aMessage(other, room.id, { text: 'the news' }, call);
    const options = { hasTouch: true };
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, width: 390, height: 780, options, as: me });
    // Until the rooms are known, the page would ask.
    await page.locator('.rooms a', { hasText: 'Open' }).waitFor({ state: 'attached' });
    await messageOf(page, 'the news').locator('.text').tap();
    await messageOf(page, 'the news').getByRole('button', { name: 'More actions' }).tap();
    await page.getByRole('menuitem', { name: 'Forward' }).tap();
    await page.getByRole('option', { name: 'Open' }).tap();
    await page.getByRole('dialog').getByRole('button', { name: 'Send' }).tap();
    await messageOf(page, 'the news').nth(1).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
