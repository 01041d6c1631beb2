import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, visit } from './support.ts';

describe('a status', () => {
  it("a status is set and cleared from one's own card, and shown to others beside the name", async () => {
    const [me, zoe] = [await anAccount(), await anAccount({ name: 'Zoe Example' })];
    const room = await aRoom({ name: 'Notes', owner: me, members: [zoe] });
    const { body } = await call('POST', '/api/conversations', { token: zoe.token, body: { users: [me.username] } });
    await aMessage(zoe, (body as { _id: { $oid: string } })._id.$oid, { text: 'hello' }, call);

    const own = await visit({ path: '/', as: zoe });
    const mine = own.page.locator('.sidebar footer .person');
    // The page opens a room, whose field takes the focus.
    await own.page.locator('.composer textarea:focus').waitFor();
    await mine.focus();
    await own.page.keyboard.press('Enter');
    // The first button of the card has the focus.
    await own.page.getByRole('dialog').getByRole('button', { name: 'Set a status' }).waitFor();
    await own.page.keyboard.press('Enter');
    const dialog = own.page.getByRole('dialog', { name: 'Status' });
    await dialog.getByRole('button', { name: 'On holiday' }).click();
    await dialog.getByLabel('What’s your status?').fill('On holiday in Åre');
    await dialog.getByLabel('Until').selectOption('Tonight');
    await dialog.getByRole('button', { name: 'Set status' }).click();
    await mine.getByRole('img', { name: 'On holiday in Åre' }).waitFor();
    // The dialog gives the focus back when it is gone.
    await expect.poll(() => own.page.evaluate("document.activeElement.matches('footer .person')")).toBe(true);

    const { page, problems, context } = await visit({ path: `/rooms/${room.id}?panel=members`, as: me });
    const mark = { name: 'On holiday in Åre' };
    await page.locator('.sidebar a.room', { hasText: 'Zoe' }).getByRole('img', mark).waitFor();
    const member = page.locator('li.member', { hasText: 'Zoe' });
    expect(await member.getByRole('img', mark).textContent()).toBe('🌴');
    await member.locator('.name .person').click();
    const card = page.getByRole('dialog', { name: 'Zoe Example' });
    expect(await card.locator('.said').textContent()).toMatch(/^🌴 On holiday in Åre until .*12:00/);
    await page.keyboard.press('Escape');

    // Another, which ends while the page is open.
    const status = { text: 'Back soon', until: new Date(Date.now() + 8_000).toISOString() };
    await call('PATCH', '/api/users/me', { token: zoe.token, body: { status } });
    await member.locator('.name .person').click();
    await card.getByText('Back soon').waitFor();
    await page.keyboard.press('Escape');
    await member.getByRole('img').waitFor({ state: 'detached' });
    await member.locator('.name .person').click();
    await card.waitFor();
    expect(await card.locator('.said').count()).toBe(0);

    await own.page.keyboard.press('Enter');
    await own.page.getByRole('button', { name: 'Change status' }).click();
    await dialog.getByRole('button', { name: 'Clear status' }).click();
    await dialog.waitFor({ state: 'detached' });
    expect(await mine.getByRole('img').count()).toBe(0);
    const { body: shown } = await call('GET', '/api/users/me', { token: zoe.token });
    expect(shown).not.toHaveProperty('status');
    expect([problems, own.problems]).toEqual([[], []]);
    await Promise.all([context.close(), own.context.close()]);
  });

  it('the emoji of a status can be removed, and the page asks before it discards that', async () => {
    const me = await anAccount();
    await call('PATCH', '/api/users/me', { token: me.token, body: { status: { emoji: '🌴', text: 'On holiday' } } });
    const { page, problems, context } = await visit({ path: '/directory', as: me });
    const dialog = page.getByRole('dialog', { name: 'Status' });
    const openStatus = async () => {
      await page.locator('.sidebar footer .person').click();
      await page.getByRole('button', { name: 'Change status' }).click();
      await dialog.waitFor();
    };
    await openStatus();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await openStatus();
    expect(await dialog.locator('input[name=emoji]').isVisible()).toBe(false);
    // A preset is not something typed.
    await dialog.locator('form > .row button').first().click();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await openStatus();
    await dialog.getByRole('button', { name: 'Remove the emoji' }).click();
    expect(await page.evaluate("document.activeElement.matches('.status-emoji')")).toBe(true);
    await page.keyboard.press('Escape');
    await dialog.getByText('Discard what you typed?').waitFor();
    await page.keyboard.press('Enter');
    const released = Promise.withResolvers<void>();
    await page.route('**/api/users/me', async (route) => {
      await released.promise;
      await route.continue();
    });
    await dialog.getByRole('button', { name: 'Set status' }).click();
    await dialog.locator('.status-emoji').click();
    const list = page.getByRole('dialog', { name: 'Emoji' });
    await list.waitFor();
    released.resolve();
    // The list closes with the dialog that it is in, and is not in the next one.
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'New message' }).click();
    await page.getByRole('dialog').getByLabel('To:').waitFor();
    expect(await list.count()).toBe(0);
    const { body } = await call('GET', '/api/users/me', { token: me.token });
    expect((body as { status: object }).status).toEqual({ text: 'On holiday' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a status can be an emoji alone, chosen by touch in the list of emoji over the dialog', async () => {
    const me = await anAccount();
    const options = { hasTouch: true, isMobile: true };
    const { page, problems, context } = await visit({ width: 390, height: 780, options, as: me });
    await page.locator('.sidebar footer .person').tap();
    await page.getByRole('button', { name: 'Set a status' }).tap();
    const dialog = page.getByRole('dialog', { name: 'Status' });
    await dialog.locator('.status-emoji').tap();
    const list = page.getByRole('dialog', { name: 'Emoji' });
    await list.getByRole('searchbox', { name: 'Find an emoji' }).fill('rocket');
    await list.getByRole('button', { name: 'rocket', exact: true }).tap();
    await list.waitFor({ state: 'detached' });
    expect(await dialog.locator('.status-emoji').getAttribute('aria-label')).toBe('Emoji 🚀');
    await dialog.getByRole('button', { name: 'Set status' }).tap();
    await page.locator('.sidebar footer').getByRole('img', { name: '🚀' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
