import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, visit } from './support.ts';

describe("a person's card", () => {
  it("a person's card opens at a name by keyboard, says who it is and which rooms are shared, and gives the focus back", async () => {
    const [me, zoe] = [await anAccount(), await anAccount({ name: 'Zoe Example' })];
    const room = await aRoom({ name: 'Notes', owner: me, members: [zoe] });
    const other = await aRoom({ name: 'Kitchen', owner: zoe, members: [me] });
    await aRoom({ name: 'Secret', owner: zoe });
    await aMessage(zoe, room.id, { text: 'hello' }, call);
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}`, as: me });
    const name = page.locator('li.message').getByRole('button', { name: 'Zoe Example' });
    const card = page.getByRole('dialog', { name: 'Zoe Example' });
    await name.focus();
    await page.keyboard.press('Enter');
    await card.getByText(`@${zoe.username}`).waitFor();
    const links = card.getByRole('link');
    await expect.poll(() => links.allTextContents()).toEqual([' Notes', ' Kitchen']);
    const focused = () => page.evaluate('document.activeElement.textContent.trim()');
    const seen: unknown[] = [];
    for (let step = 0; step < 4; step++) {
      seen.push(await focused());
      await page.keyboard.press('Tab');
    }
    expect(seen).toEqual(['Message', 'Notes', 'Kitchen', 'Message']);
    await page.keyboard.press('Escape');
    await card.waitFor({ state: 'detached' });
    expect(await focused()).toBe('Zoe Example');

    await page.keyboard.press('Enter');
    await links.last().click();
    await page.getByRole('heading', { name: 'Kitchen', exact: true }).waitFor();
    expect([await card.count(), page.url().includes(other.id)]).toEqual([0, true]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it("a person's card opens in the list of members by touch, at the lower edge of a phone, and leads to a conversation", async () => {
    const [me, zoe] = [await anAccount(), await anAccount({ name: 'Zoe Example' })];
    const room = await aRoom({ name: 'Notes', owner: me, members: [zoe] });
    const options = { hasTouch: true, isMobile: true };
    const path = `/rooms/${room.id}?panel=members`;
    const { page, problems, context } = await visit({ path, width: 390, height: 780, options, as: me });
    const card = page.getByRole('dialog', { name: 'Zoe Example' });
    const name = page.locator('li.member').getByRole('button', { name: /^Zoe Example/ });
    await name.tap();
    await card.getByText('Notes').waitFor();
    const { y = 0, height = 0 } = (await card.boundingBox()) ?? {};
    expect(Math.round(y + height)).toBe(780);
    await page.touchscreen.tap(200, 20);
    await card.waitFor({ state: 'detached' });
    await name.tap();
    await card.getByRole('button', { name: 'Message' }).tap();
    await page.getByPlaceholder('Message Zoe Example').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('after a tap closes the card of a person, the actions of its message stay for the next tap only', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: me, members: [other] });
    for (const text of ['hello', 'again']) await aMessage(other, room.id, { text }, call);
    // The card, at the lower edge, is not over the message.
    for (let at = 0; at < 12; at++) await aMessage(me, room.id, { text: `mine ${at}` }, call);
    const { page, context } = await visit({
      path: `/rooms/${room.id}`,
      width: 390,
      height: 780,
      options: { hasTouch: true, isMobile: true },
      as: me,
    });
    const author = page.locator('li.message').getByRole('button', { name: other.username });
    await author.first().tap();
    await page.getByRole('dialog').waitFor();
    await page.locator('.actions').getByRole('button', { name: 'More' }).tap();
    await page.getByRole('menuitem', { name: 'Copy link' }).waitFor();
    await page.locator('.room-pane .bar .name').tap();
    await page.getByRole('menu').waitFor({ state: 'detached' });
    await page.locator('.actions').waitFor({ state: 'detached' });
    await context.close();
  });

  it("one's own card leads to the account, and that of a deleted account does not open", async () => {
    const [me, gone] = [await anAccount(), await anAccount()];
    const room = await aRoom({ name: 'Notes', owner: me, members: [gone] });
    await aMessage(gone, room.id, { text: 'bye' }, call);
    await aMessage(me, room.id, { text: 'what?' }, call);
    await call('DELETE', '/api/users/me', { token: gone.token, body: { current_password: gone.password } });
    const { page, problems, context } = await visit({ path: `/rooms/${room.id}`, as: me });
    expect(await page.getByRole('button', { name: '(deleted)' }).isDisabled()).toBe(true);
    await page.locator('li.message').getByRole('button', { name: me.username }).click();
    await page.getByRole('dialog', { name: me.username }).getByRole('link', { name: 'My account' }).click();
    await page.getByRole('heading', { name: 'Settings' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
