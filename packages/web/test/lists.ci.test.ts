import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, aRoomOf } from '../../../test/support/rooms.ts';
import { holdAnswer, interceptRequests } from '../../../tools/harness/browser.ts';
import { objections } from './axe.ts';
import { call, openPage, serveUrl, signIn, storedIn, visit, waitForConnection } from './support.ts';

const phone = { width: 390, height: 780, options: { hasTouch: true } };
const rowOf = (page: Page, name: string) => page.locator('.rooms').getByRole('link', { name: new RegExp(`^${name}`) });
const countUrl = '**/api/notifications*';
const results = (page: Page) => page.locator('.results li');

/** Presses Tab until something has the focus. */
async function tabTo(page: Page, selector: string): Promise<void> {
  for (let at = 0; at < 60 && (await page.locator(`${selector}:focus`).count()) === 0; at++) await page.keyboard.press('Tab');
  await page.locator(`${selector}:focus`).waitFor();
}

describe('the notifications', () => {
  it('the notifications of all rooms stand beside the open one, newest first; by keyboard, each leads to its message', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const [here, there] = [
      await aRoom({ owner: other, members: [me], name: 'Here' }),
      await aRoom({ owner: other, members: [me], name: 'There' }),
    ];
    await aMessage(other, here.id, { text: `first for @${me.username}` }, call);
    await aMessage(other, there.id, { text: `second for @${me.username}` }, call);
    await aMessage(other, there.id, { text: 'for everyone' }, call);
    const mine = await aMessage(me, there.id, { text: 'said by me' }, call);
    await call('PUT', `/api/messages/${mine._id.$oid}/reactions/owl`, { token: other.token, body: {} });
    const { page, context, problems } = await visit({ path: `/rooms/${here.id}`, as: me });
    // The room that is open is read, and sending has read the other: a reaction, and the two
    // additions to rooms.
    await rowOf(page, 'Notifications').getByText('3', { exact: true }).waitFor();
    await expect.poll(() => page.title()).toMatch(/^\(3\) /);
    // The page counts the reading before the service does.
    const { token } = me;
    await expect.poll(async () => (await call('GET', '/api/notifications', { token })).headers['x-unread-count']).toBe('3');
    await rowOf(page, 'Notifications').focus();
    await page.keyboard.press('Enter');
    await results(page).nth(4).waitFor();
    expect(await results(page).locator('.note').allTextContents()).toEqual([
      'New: reacted with owl',
      'mentioned you',
      'mentioned you',
      'New: added you to this room',
      'New: added you to this room',
    ]);
    expect(await objections(page)).toEqual([]);
    // Opening the list marks them as read on all devices, but they stay marked as new while it is
    // open.
    await rowOf(page, 'Notifications').getByText('3', { exact: true }).waitFor({ state: 'detached' });
    await expect.poll(() => page.title()).not.toMatch(/^\(/);
    expect(await results(page).locator('a.unread').count()).toBe(3);
    await page.getByLabel('Mentions only').focus();
    await page.keyboard.press('Space');
    await expect
      .poll(() => results(page).locator('.excerpt').allInnerTexts())
      .toEqual([`second for @${me.username}`, `first for @${me.username}`]);
    await tabTo(page, '.results li:first-child a');
    await page.keyboard.press('Enter');
    await page.locator('li.message.pointed', { hasText: 'second for' }).waitFor();
    expect(new URL(page.url()).pathname.startsWith(`/rooms/${there.id}/`)).toBe(true);
    // The list is still beside the room, with new messages.
    await aMessage(other, here.id, { text: `third for @${me.username}` }, call);
    await results(page).getByText('third for').waitFor();
    expect(await results(page).count()).toBe(3);
    await page.keyboard.press('Escape');
    await results(page).first().waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the number of notifications includes one that came while they were counted', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner: me, members: [other], name: 'There' });
    const { page, context } = await visit({ path: '/directory', as: me });
    const { answered, release } = await holdAnswer(page, countUrl);
    await page.reload();
    await answered;
    await aMessage(other, id, { text: `for @${me.username}` }, call);
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    await release();
    expect(await page.title()).toMatch(/^\(1\) /);
    await context.close();
  });

  it('the number of notifications does not include twice one that was counted before the list of rooms had it', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner: me, members: [other], name: 'There' });
    const { page, context } = await visit({ path: '/directory', as: me });
    const [asked, sent, counted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const askLater = async (route: Route) => {
      asked.resolve();
      await sent.promise;
      await route.continue();
    };
    await interceptRequests(page, countUrl, askLater, 1);
    await page.reload();
    await asked.promise;
    await page.route('**/api/members?user=me*', (route) => counted.promise.then(() => route.continue()));
    await aMessage(other, id, { text: `for @${me.username}` }, call);
    sent.resolve();
    await expect.poll(() => page.title()).toMatch(/^\(1\) /);
    counted.resolve();
    await rowOf(page, 'There').getByText('1 unread message').waitFor({ state: 'attached' });
    expect(await page.title()).toMatch(/^\(1\) /);
    await context.close();
  });

  it('on a phone, notifications are a page, which closes when a message is opened and returns afterwards', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const id = await aRoomOf([other, me], { name: 'Here' });
    const { page, context, problems } = await visit(phone);
    await signIn(page, me);
    await rowOf(page, 'Notifications').click();
    await page.getByText('No notifications yet.').waitFor();
    await aMessage(other, id, { text: `for @${me.username}` }, call);
    await results(page).getByText(`for @${me.username}`).tap();
    await page.locator('li.message.pointed').waitFor();
    expect(await results(page).count()).toBe(0);
    await page.goBack();
    await results(page).waitFor();
    await page.getByRole('link', { name: 'Back to the rooms' }).click();
    const { height } = (await rowOf(page, 'Notifications').boundingBox()) ?? { height: 0 };
    expect(height).toBeGreaterThanOrEqual(44);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('the drafts', () => {
  it('drafts in other places have a row, which leads to each draft by keyboard, and each can be deleted', async () => {
    const owner = await anAccount();
    const [alpha, beta] = [await aRoom({ owner, name: 'Alpha' }), await aRoom({ owner, name: 'beta' })];
    const { page, context, problems } = await visit({ path: `/rooms/${alpha.id}`, as: owner });
    const field = page.locator('.room-pane .composer textarea');
    await field.fill('**First** words of alpha');
    // A draft in the open editor does not wait.
    expect(await rowOf(page, 'Drafts').count()).toBe(0);
    await page.locator('.rooms a', { hasText: 'beta' }).click();
    await rowOf(page, 'Drafts').getByText('1', { exact: true }).waitFor();
    await rowOf(page, 'Drafts').focus();
    await page.keyboard.press('Enter');
    await results(page).getByText('First words of alpha').waitFor();
    await tabTo(page, '.results a');
    await page.keyboard.press('Enter');
    await page.waitForURL((url) => url.pathname === `/rooms/${alpha.id}` && url.search === '');
    await page.locator('.room-pane .composer textarea:focus').waitFor();
    expect(await field.inputValue()).toBe('**First** words of alpha');
    await page.locator('.rooms a', { hasText: 'beta' }).click();
    await field.fill('of beta');
    await page.getByRole('link', { name: 'All rooms' }).click();
    await rowOf(page, 'Drafts').getByText('2', { exact: true }).waitFor();
    await rowOf(page, 'Drafts').click();
    await page.getByRole('button', { name: 'Discard the draft in Alpha' }).click();
    await page.getByRole('button', { name: 'Cancel' }).click();
    expect(await results(page).count()).toBe(2);
    await page.getByRole('button', { name: 'Discard the draft in Alpha' }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await rowOf(page, 'Drafts').getByText('1', { exact: true }).waitFor();
    await page.reload();
    await expect.poll(() => results(page).locator('.excerpt').allInnerTexts()).toEqual(['of beta']);
    // The page goes before the database gets to the draft.
    await page.evaluate(`(async () => {
      const [{ name }] = await indexedDB.databases();
      const opened = indexedDB.open(name);
      await new Promise((resolve) => { opened.onsuccess = resolve; });
      const drafts = opened.result.transaction('drafts', 'readwrite').objectStore('drafts');
      const holdOn = () => { drafts.count().onsuccess = holdOn; };
      holdOn();
    })()`);
    // Two drafts in one room have different labels.
    await page.getByRole('button', { name: 'Discard the draft in beta: of beta', exact: true }).click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await page.getByText('No drafts.').waitFor();
    expect(await rowOf(page, 'Drafts').count()).toBe(0);
    await page.goto(`${new URL(page.url()).origin}/rooms/${beta.id}`);
    await field.waitFor();
    expect([await field.inputValue(), problems]).toEqual(['', []]);
    await context.close();
  });

  it('the drafts are listed on a phone, and thrown away in every tab', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner, name: 'Alpha' });
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, ...phone, as: owner });
    await page.locator('.room-pane .composer textarea').fill('to be said');
    await expect.poll(() => storedIn(page, 'drafts', owner)).toHaveLength(1);
    const other = await openPage(context, `${serveUrl}/rooms/${room.id}`);
    await expect.poll(() => other.page.locator('.room-pane .composer textarea').inputValue()).toBe('to be said');
    await page.getByRole('link', { name: 'Back to the rooms' }).click();
    await rowOf(page, 'Drafts').click();
    const button = page.getByRole('button', { name: 'Discard the draft in Alpha' });
    expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await button.click();
    await page.getByRole('button', { name: 'Discard', exact: true }).click();
    await expect.poll(() => other.page.locator('.room-pane .composer textarea').inputValue()).toBe('');
    expect([...problems, ...other.problems]).toEqual([]);
    await context.close();
  });
});

describe('saved messages', () => {
  it('a message is saved by keyboard from its menu, then has a mark, and stands in a list that leads to it', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me], name: 'Alpha' });
    await aMessage(other, room.id, { text: 'worth keeping' }, call);
    await aMessage(other, room.id, { text: 'nothing much' }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}` });
    // With a new connection, the page reads the list again.
    const isConnected = waitForConnection(page);
    await signIn(page, me);
    await isConnected;
    const message = page.locator('.room-pane li.message', { hasText: 'worth keeping' });
    await message.focus();
    await message.getByRole('button', { name: 'More actions' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('menuitem', { name: 'Save' }).focus();
    await page.keyboard.press('Enter');
    await message.getByTitle('Saved').waitFor();
    await rowOf(page, 'Saved').focus();
    await page.keyboard.press('Enter');
    await results(page).getByText('worth keeping').waitFor();
    // Messages saved in the meantime come first.
    const second = page.locator('.room-pane li.message', { hasText: 'nothing much' });
    await second.hover();
    await second.getByRole('button', { name: 'More actions' }).click();
    await page.getByRole('menuitem', { name: 'Save' }).click();
    await expect.poll(() => results(page).locator('.excerpt').allInnerTexts()).toEqual(['nothing much', 'worth keeping']);
    // A message removed by mistake can be saved again until the list is loaded again.
    const isRemoved = page.waitForResponse((response) => response.request().method() === 'DELETE');
    await results(page).first().getByRole('button', { name: 'Remove from saved' }).click();
    await second.getByTitle('Saved').waitFor({ state: 'detached' });
    await results(page).first().getByRole('button', { name: 'Save', exact: true }).waitFor();
    await isRemoved;
    await page.reload();
    await expect.poll(() => results(page).locator('.excerpt').allInnerTexts()).toEqual(['worth keeping']);
    await message.getByTitle('Saved').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('saved messages are known to another device, a phone, once it has opened the list', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me], name: 'Alpha' });
    const { _id } = await aMessage(other, room.id, { text: 'worth keeping' }, call);
    const { page, context, problems } = await visit(phone);
    await signIn(page, me);
    await rowOf(page, 'Saved').tap();
    await page.getByText('No saved messages.').waitFor();
    await page.getByRole('link', { name: 'Back to the rooms' }).tap();
    await call('PUT', `/api/messages/${_id.$oid}/save`, { token: me.token, body: {} });
    await rowOf(page, 'Saved').tap();
    const remove = page.getByRole('button', { name: 'Remove from saved' });
    expect(((await remove.boundingBox()) ?? { height: 0 }).height).toBeGreaterThanOrEqual(44);
    await results(page).getByText('worth keeping').tap();
    await page.locator('li.message.pointed').getByTitle('Saved').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
