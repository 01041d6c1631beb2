import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, succeed } from '../../../test/support/rooms.ts';
import { call, serveUrl, signIn, visit, waitForConnection } from './support.ts';

const saved = (page: Page) => page.locator('.rooms').getByRole('link', { name: /^Saved/ });
const results = (page: Page) => page.locator('.results li');

type Reminder = { message: { text: string }; remind_at: { $date: string } };

/** The reminders of somebody, as any device of theirs finds them. */
const remindersOf = async ({ token }: Account) =>
  (await succeed(call('GET', '/api/saved?reminders=true', { token }))).body as Reminder[];

/** Somebody at a room with two messages, whose page notes of what it notifies instead. */
async function inARoom({ path = '', isLookedAt = true, ...settings }: Record<string, unknown> = {}) {
  const [me, other] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner: other, members: [me], name: 'Plans' });
  const first = await aMessage(other, room.id, { text: 'the invoice' }, call);
  await aMessage(other, room.id, { text: 'nothing much' }, call);
  const { page, context, problems } = await visit({ path: `/rooms/${room.id}${path}`, ...settings });
  await page.addInitScript(`
    window.notified = [];
    window.Notification = class {
      static permission = 'granted';
      constructor(title, { body }) { window.notified.push([title, body]); window.last = this; }
      close() {}
    };
    localStorage.setItem('chat-notify', 'on');
    document.hasFocus = () => ${isLookedAt};`);
  await page.goto(`${serveUrl}/rooms/${room.id}`);
  const isConnected = waitForConnection(page);
  await signIn(page, me);
  await isConnected;
  /** Sets a reminder on another device, which this one learns about. */
  const remindSoon = async () => {
    const body = { remind_at: new Date(Date.now() + 2_000).toISOString() };
    await succeed(call('PUT', `/api/messages/${first._id.$oid}/save`, { token: me.token, body }));
  };
  return { me, other, room, page, context, problems, first, remindSoon };
}

describe('a reminder', () => {
  it('a reminder is set by keyboard from the menu of a message, shown in the list, set to another time, and taken away', async () => {
    const { page, context, problems, me } = await inARoom();
    const message = page.locator('.room-pane li.message', { hasText: 'the invoice' });
    const open = async () => {
      await message.focus();
      await message.getByRole('button', { name: 'More actions' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: 'Remind me' }).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('dialog', { name: 'Remind me' }).waitFor();
    };
    await open();
    await page.getByRole('button', { name: /^In 20 minutes/ }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: 'Reminder set' }).waitFor();
    await message.getByTitle('Saved').waitFor();
    const [set] = await remindersOf(me);
    const minutes = (Date.parse(set?.remind_at.$date ?? '') - Date.now()) / 60_000;
    expect(minutes).toBeGreaterThan(15);
    expect(minutes).toBeLessThanOrEqual(20);
    await saved(page).click();
    await results(page)
      .getByText(/^Reminder: /)
      .waitFor();
    await open();
    await page.getByRole('button', { name: 'At another time' }).click();
    await page.getByLabel('At another time').fill('2046-03-02T09:30');
    await page.keyboard.press('Enter');
    await results(page)
      .getByText(/^Reminder: .*2046/)
      .waitFor();
    // The dialog may be open before the page knows of the reminder.
    const isOpen = Promise.withResolvers<void>();
    await page.route('**/api/saved?reminders=true*', (route) => isOpen.promise.then(() => route.continue()));
    await page.reload();
    await open();
    const none = page.getByRole('button', { name: /^No reminder/ });
    expect(await none.count()).toBe(0);
    isOpen.resolve();
    await none.click();
    await page.locator('.toast', { hasText: 'Reminder removed' }).waitFor();
    await results(page)
      .getByText(/^Reminder: /)
      .waitFor({ state: 'detached' });
    expect([await remindersOf(me), await results(page).count(), problems]).toEqual([[], 1, []]);
    await context.close();
  });

  it('a due reminder is shown in the open room and counted until its message is opened, on all devices', async () => {
    const { page, context, problems, me, other, first, remindSoon } = await inARoom();
    await remindSoon();
    await page.locator('.toast', { hasText: `Reminder: ${other.username} in Plans: the invoice` }).waitFor();
    await saved(page).locator('.count', { hasText: '1' }).waitFor();
    await page.reload();
    await saved(page).getByText('1 reminder').waitFor({ state: 'attached' });
    expect(await page.evaluate('window.notified')).toEqual([]);
    await saved(page).click();
    await results(page).locator('.unread .note', { hasText: 'Reminder: ' }).waitFor();
    await results(page).getByText('the invoice').click();
    await page.waitForURL((url) => url.pathname.endsWith(`/${first.seq}`));
    await saved(page).locator('.count').waitFor({ state: 'detached' });
    await expect.poll(() => remindersOf(me)).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a reminder is a notification if nobody looks at the page, and leads to the message', async () => {
    const { page, context, other, first, remindSoon } = await inARoom({ isLookedAt: false });
    await remindSoon();
    await expect.poll(() => page.evaluate('window.notified')).toEqual([[`Reminder: ${other.username} in Plans`, 'the invoice']]);
    await saved(page).locator('.count', { hasText: '1' }).waitFor();
    await page.evaluate('window.last.onclick()');
    await page.waitForURL((url) => url.pathname.endsWith(`/${first.seq}`));
    await saved(page).locator('.count').waitFor({ state: 'detached' });
    await context.close();
  });

  it('a reminder is set, shown and done on all devices at the same time, also after one had no connection', async () => {
    const { page, context, problems, me, other, room, first } = await inARoom();
    const elsewhere = await visit({ path: `/rooms/${room.id}` });
    const isConnected = waitForConnection(elsewhere.page);
    await signIn(elsewhere.page, me);
    await isConnected;
    const mark = (on: Page) => on.locator('.room-pane li.message', { hasText: 'the invoice' }).getByTitle('Saved');
    const remind = (remind_at: Date | null) =>
      succeed(call('PUT', `/api/messages/${first._id.$oid}/save`, { token: me.token, body: { remind_at } }));
    // Nobody comes back to either page, and reminders are asked for every 15 minutes only.
    await remind(new Date(Date.now() + 3_600_000));
    for (const one of [page, elsewhere.page]) await mark(one).waitFor();
    await remind(new Date(Date.now() + 2_000));
    const toast = (on: Page) => on.locator('.toast', { hasText: `Reminder: ${other.username} in Plans: the invoice` });
    await Promise.all([page, elsewhere.page].map((one) => toast(one).waitFor()));
    for (const one of [page, elsewhere.page]) await saved(one).locator('.count', { hasText: '1' }).waitFor();
    await saved(page).click();
    await results(page).getByText('the invoice').click();
    for (const one of [page, elsewhere.page]) await saved(one).locator('.count').waitFor({ state: 'detached' });
    await elsewhere.context.setOffline(true);
    await elsewhere.page.locator('.banner').waitFor();
    await remind(new Date(Date.now() + 3_000));
    await saved(page).locator('.count', { hasText: '1' }).waitFor();
    await elsewhere.context.setOffline(false);
    await saved(elsewhere.page).locator('.count', { hasText: '1' }).waitFor();
    await succeed(call('DELETE', `/api/messages/${first._id.$oid}/save`, { token: me.token }));
    for (const one of [page, elsewhere.page]) {
      await saved(one).locator('.count').waitFor({ state: 'detached' });
      await mark(one).waitFor({ state: 'detached' });
    }
    expect([problems, elsewhere.problems]).toEqual([[], []]);
    await Promise.all([context.close(), elsewhere.context.close()]);
  });

  it('a reminder is shown even if another device set it before this device connected', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me], name: 'Plans' });
    const { _id } = await aMessage(other, room.id, { text: 'the invoice' }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}` });
    const isSet = Promise.withResolvers<void>();
    await page.route('**/api/tickets', async (route) => {
      await isSet.promise;
      await route.continue();
    });
    const isAsked = page.waitForResponse((response) => response.url().includes('reminders=true'));
    await signIn(page, me);
    await (await isAsked).finished();
    const body = { remind_at: new Date(Date.now() + 3_000).toISOString() };
    await succeed(call('PUT', `/api/messages/${_id.$oid}/save`, { token: me.token, body }));
    isSet.resolve();
    await saved(page).locator('.count', { hasText: '1' }).waitFor({ timeout: 15_000 });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a reminder goes with its message from the list, and from the number', async () => {
    const { page, context, me, remindSoon } = await inARoom();
    await remindSoon();
    await saved(page).locator('.count', { hasText: '1' }).waitFor();
    await saved(page).click();
    await results(page).getByRole('button', { name: 'Remove from saved' }).click();
    await saved(page).locator('.count').waitFor({ state: 'detached' });
    await expect.poll(() => remindersOf(me)).toEqual([]);
    await context.close();
  });

  it('a reminder is set by finger on a phone', async () => {
    const options = { hasTouch: true, isMobile: true };
    const { page, context, problems, me } = await inARoom({ width: 390, height: 780, options });
    await page.locator('.room-pane li.message').first().locator('.text').tap();
    await page.getByRole('button', { name: 'More actions' }).tap();
    await page.getByRole('menuitem', { name: 'Remind me' }).tap();
    const tomorrow = page.getByRole('button', { name: /^Tomorrow/ });
    expect((await tomorrow.boundingBox())?.height).toBeGreaterThanOrEqual(48);
    await tomorrow.tap();
    await expect.poll(async () => (await remindersOf(me)).map(({ message }) => message.text)).toEqual(['the invoice']);
    expect(problems).toEqual([]);
    await context.close();
  });
});
