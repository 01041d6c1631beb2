import type { BrowserContext, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Member } from '../../../lib/members/members.ts';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, succeed } from '../../../test/support/rooms.ts';
import { call, openPage, serveUrl, signIn, visit } from './support.ts';

const fieldOf = (page: Page) => page.locator('.room-pane .composer textarea');
const textIn = (page: Page) => fieldOf(page).inputValue();

/** Waits until what was typed is stored, which begins 300 milliseconds after the last key. */
const stored = (page: Page) => page.waitForTimeout(1_000);

/** One more tab that shows a room. */
async function another(context: BrowserContext, room: string): Promise<Page> {
  const { page } = await openPage(context, `${serveUrl}/rooms/${room}`);
  await fieldOf(page).waitFor();
  return page;
}

/** Two tabs of one user, both in a room. */
async function twoTabs() {
  const [owner, other] = [await anAccount(), await anAccount()];
  const room = await aRoom({ owner, members: [other] });
  const { page: one, context, problems } = await visit({ path: `/rooms/${room.id}` });
  await signIn(one, owner);
  await fieldOf(one).waitFor();
  return { owner, other, room, one, second: await another(context, room.id), context, problems };
}

const textsIn = async (room: string, { token }: Account) =>
  ((await call('GET', `/api/messages?room=${room}`, { token })).body as { text: string }[]).map(({ text }) => text);

describe('the drafts of two tabs', () => {
  it('the drafts of two tabs in one room are both restored after both tabs were loaded again', async () => {
    const { one, second, context, problems } = await twoTabs();
    await fieldOf(one).fill('from the first');
    await fieldOf(second).fill('from the second');
    await stored(second);
    await one.reload();
    await expect.poll(() => textIn(one)).toBe('from the first');
    await second.reload();
    await expect.poll(() => textIn(second)).toBe('from the second');
    await one.reload();
    await expect.poll(() => textIn(one)).toBe('from the first');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the drafts of two closed tabs are both restored in the next tab', async () => {
    const { one, second, room, context } = await twoTabs();
    await fieldOf(one).fill('from the first');
    await fieldOf(second).fill('from the second');
    await stored(second);
    await Promise.all([one.close(), second.close()]);
    // The browser may hold the locks of closed tabs a moment longer.
    const { page: beside } = await openPage(context, `${serveUrl}/icon.svg`);
    await expect.poll(() => beside.evaluate('navigator.locks.query().then(({ held }) => held.length)')).toBe(0);
    const third = await another(context, room.id);
    await expect.poll(async () => (await textIn(third)).split('\n').toSorted()).toEqual(['from the first', 'from the second']);
    // And once only.
    await fieldOf(third).fill('');
    await stored(third);
    await third.reload();
    await fieldOf(third).waitFor();
    await third.waitForTimeout(500);
    expect(await textIn(third)).toBe('');
    await context.close();
  });

  it('the drafts of two tabs are deleted in both when a draft that both show is sent', async () => {
    const { owner, one, room, second, context } = await twoTabs();
    await second.close();
    await fieldOf(one).fill('once');
    await stored(one);
    const third = await another(context, room.id);
    await expect.poll(() => textIn(third)).toBe('once');
    await fieldOf(one).press('Enter');
    await expect.poll(() => textIn(third)).toBe('');
    await one.locator('li.message:not(.pending)').waitFor();
    await third.reload();
    await fieldOf(third).waitFor();
    await third.waitForTimeout(500);
    expect([await textIn(third), await textIn(one), await textsIn(room.id, owner)]).toEqual(['', '', ['once']]);
    await context.close();
  });

  it('the drafts of two tabs are deleted in both when the other tab sends the draft, even with more words', async () => {
    const { owner, one, room, second, context } = await twoTabs();
    await second.close();
    await fieldOf(one).fill('once');
    await stored(one);
    const third = await another(context, room.id);
    await expect.poll(() => textIn(third)).toBe('once');
    await third.keyboard.press('End');
    await third.keyboard.type(' and no more');
    await third.keyboard.press('Enter');
    await expect.poll(() => textIn(one)).toBe('');
    await third.locator('li.message:not(.pending)').waitFor();
    await one.reload();
    await fieldOf(one).waitFor();
    await one.waitForTimeout(500);
    expect([await textIn(one), await textsIn(room.id, owner)]).toEqual(['', ['once and no more']]);
    await context.close();
  });

  it('the draft of one tab stays when the other tab sends something else', async () => {
    const { one, second, context } = await twoTabs();
    await fieldOf(one).fill('a long thought');
    await fieldOf(second).fill('a short one');
    await stored(second);
    await fieldOf(second).press('Enter');
    await second.locator('li.message:not(.pending)').waitFor();
    expect(await textIn(one)).toBe('a long thought');
    await one.reload();
    await expect.poll(() => textIn(one)).toBe('a long thought');
    await context.close();
  });
});

describe('a tab without the focus', () => {
  /** Notes what the page notifies of, which is looked at or not. */
  const notifying = (isLookedAt: boolean) => `
    window.notified = [];
    window.Notification = class {
      static permission = 'granted';
      constructor(title, { body }) { window.notified.push([title, body]); }
      close() {}
    };
    localStorage.setItem('chat-notify', 'on');
    document.hasFocus = () => ${isLookedAt};`;

  it.concurrent.each([
    ['notifies of nothing while another tab has the focus', true, 0],
    ['notifies when no tab has the focus', false, 1],
  ])('a tab without the focus %s', async (_what, isLookedAt, count) => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Plans' });
    await aRoom({ owner, name: 'Elsewhere' });
    const { page: one, context } = await visit({ path: '/' });
    await signIn(one, owner);
    await one.addInitScript(notifying(isLookedAt));
    await one.goto(`${serveUrl}/rooms/${room.id}`);
    await fieldOf(one).waitFor();
    const second = await context.newPage();
    await second.addInitScript(notifying(false));
    await second.goto(`${serveUrl}/directory`);
    await second.locator('.rooms a', { hasText: 'Plans' }).waitFor();
    await second.waitForTimeout(2_000);
    await aMessage(other, room.id, { text: `now **@${owner.username}**` }, call);
    if (count > 0) await second.locator('.rooms a', { hasText: '1 unread message' }).waitFor();
    await one.locator('li.message', { hasText: 'now' }).waitFor();
    await second.waitForTimeout(4_000);
    const wanted = [`${other.username} in Plans`, `now @${owner.username}`];
    expect(await second.evaluate('window.notified')).toEqual(count === 0 ? [] : [wanted]);
    await context.close();
  });

  it('a tab without the focus notifies of mentions and conversations, with author and text, and of other messages only if that is chosen', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Plans' });
    const { body } = await call('POST', '/api/conversations', { token: other.token, body: { users: [owner.username] } });
    const { page, context } = await visit({ as: owner });
    await page.addInitScript(notifying(false));
    await page.goto(`${serveUrl}/directory`);
    await page.locator('.rooms a', { hasText: 'Plans' }).waitFor();
    const notified = () => page.evaluate('window.notified');
    await aMessage(other, room.id, { text: 'for everyone' }, call);
    await page.locator('.rooms a', { hasText: '1 unread message' }).waitFor();
    await aMessage(other, (body as { _id: { $oid: string } })._id.$oid, { text: 'for *you*' }, call);
    await expect.poll(notified).toEqual([[other.username, 'for you']]);
    await page.evaluate("localStorage.setItem('chat-notify-of', 'all')");
    await aMessage(other, room.id, { text: 'for everyone else' }, call);
    await expect.poll(notified).toEqual([
      [other.username, 'for you'],
      [`${other.username} in Plans`, 'for everyone else'],
    ]);
    await context.close();
  });

  it('a tab without the focus notifies of a mention that the list of rooms counts later than the message, once', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Plans' });
    const { page, context } = await visit({ as: owner });
    // The first list with the message does not count its mention yet.
    let isFirst = true;
    await page.route('**/api/members?user=me*', async (route) => {
      const response = await route.fetch();
      const list = (await response.json()) as (Member & { unread_mentions: number })[];
      const isCounted = list.some(({ unread_mentions }) => unread_mentions > 0);
      const json = isCounted && isFirst ? list.map((member) => ({ ...member, unread_mentions: 0 })) : list;
      if (isCounted) isFirst = false;
      await route.fulfill({ response, json });
    });
    await page.addInitScript(notifying(false));
    await page.goto(`${serveUrl}/directory`);
    const row = page.locator('.rooms a', { hasText: 'Plans' });
    await row.waitFor();
    await aMessage(other, room.id, { text: `for **@${owner.username}**` }, call);
    await expect.poll(() => isFirst).toBe(false);
    const notified = () => page.evaluate<string[]>('window.notified.map(([, body]) => body)');
    await expect.poll(notified).toEqual([`for @${owner.username}`]);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });

  it('a tab without the focus notifies as chosen for a room by keyboard on another tab or device', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Plans' });
    const { body } = await call('POST', '/api/conversations', { token: other.token, body: { users: [owner.username] } });
    const conversation = (body as { _id: { $oid: string } })._id.$oid;
    const { page: one, context } = await visit({ path: `/rooms/${room.id}?panel=details` });
    await signIn(one, owner);
    const choice = one.getByLabel('Notifications');
    await choice.waitFor();
    await one.evaluate('document.hasFocus = () => false');
    const { page } = await openPage(context, `${serveUrl}/directory`);
    await page.locator('.rooms a', { hasText: 'Plans' }).waitFor();
    await page.evaluate(notifying(false));
    const member = async (id: string) =>
      ((await call('GET', '/api/members?user=me', { token: owner.token })).body as Member[]).find(({ room }) => room.$oid === id);
    const chosen = async () => {
      const { is_muted, notify_of } = (await member(room.id)) as Member;
      return [is_muted, notify_of];
    };
    const notified = () => page.evaluate<[string, string][]>('window.notified.map(([, body]) => body)');

    await choice.focus();
    await one.keyboard.press('ArrowDown');
    await expect.poll(chosen).toEqual([false, 'all']);
    await aMessage(other, room.id, { text: 'for everyone' }, call);
    await expect.poll(notified).toEqual(['for everyone']);

    const ofConversation = `/api/members/${(await member(conversation))?._id.$oid}`;
    await succeed(call('PATCH', ofConversation, { token: owner.token, body: { notify_of: 'mentions' } }));
    await one.keyboard.press('ArrowDown');
    await expect.poll(chosen).toEqual([false, 'mentions']);
    await aMessage(other, room.id, { text: 'for nobody' }, call);
    await aMessage(other, conversation, { text: 'for you' }, call);
    const row = (name: string, unread: string) => page.locator('.rooms a', { hasText: name }).filter({ hasText: unread });
    await row('Plans', '2 unread messages').waitFor({ timeout: 20_000 });
    await row(other.username, '1 unread message').waitFor({ timeout: 20_000 });
    await aMessage(other, conversation, { text: `for @${owner.username}` }, call);
    await expect.poll(notified).toEqual(['for everyone', `for @${owner.username}`]);

    await one.keyboard.press('ArrowDown');
    await expect.poll(chosen).toEqual([true, 'mentions']);
    await page.getByRole('link', { name: 'Plans Muted' }).waitFor();
    await succeed(
      call('PATCH', `/api/members/${(await member(room.id))?._id.$oid}`, { token: owner.token, body: { is_muted: false } }),
    );
    await expect.poll(() => choice.inputValue()).toBe('mentions');
    await context.close();
  });

  it('a tab without the focus notifies of each reply in a thread that one follows, also while earlier ones are unread, and of no other', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Plans' });
    const thread = (await aMessage(owner, room.id, { text: 'Who brings the cake?' }, call))._id.$oid;
    const others = (await aMessage(other, room.id, { text: 'Mine' }, call))._id.$oid;
    const { page, context } = await visit({ as: owner });
    await page.addInitScript(notifying(false));
    await page.goto(`${serveUrl}/directory`);
    await page.locator('.rooms a', { hasText: 'Plans' }).waitFor();
    // Once it has asked for reminders, it notifies of news.
    const hasAsked = "performance.getEntriesByType('resource').some(({ name }) => name.includes('reminders=true'))";
    await expect.poll(() => page.evaluate(hasAsked)).toBe(true);
    const notified = () => page.evaluate('window.notified');
    const title = `${other.username} in a thread in Plans`;
    await aMessage(other, room.id, { text: 'I do', thread }, call);
    await expect.poll(notified).toEqual([[title, 'I do']]);
    await aMessage(other, room.id, { text: 'to myself', thread: others }, call);
    await aMessage(other, room.id, { text: 'and tea', thread }, call);
    await expect.poll(notified).toEqual([
      [title, 'I do'],
      [title, 'and tea'],
    ]);
    await context.close();
  });

  it('a tab without the focus notifies once of a message to @here, and not of a reaction to it', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Plans' });
    const { page, context } = await visit({ as: owner });
    await page.addInitScript(notifying(false));
    await page.goto(`${serveUrl}/directory`);
    await page.locator('.rooms a', { hasText: 'Plans' }).waitFor();
    const notified = async () => (await page.evaluate('window.notified')) as [string, string][];
    const texts = async () => (await notified()).map(([, text]) => text);
    // What is sent before the connection is there is in no push.
    let sent = 0;
    const sendOne = async () => {
      sent++;
      await aMessage(other, room.id, { text: '@here?' }, call);
      return texts();
    };
    await expect.poll(sendOne, { interval: 2_000, timeout: 30_000 }).toContain('@here?');
    const message = await aMessage(other, room.id, { text: '@here lunch' }, call);
    await expect.poll(notified).toContainEqual([`${other.username} in Plans`, '@here lunch']);
    const reaction = `/api/messages/${message._id.$oid}/reactions/${encodeURIComponent('👍')}`;
    await call('PUT', reaction, { token: other.token, body: {} });
    // By the time that one sees this, the reaction has come.
    await aMessage(other, room.id, { text: 'or dinner' }, call);
    await page.locator('.rooms a', { hasText: `${sent + 2} unread messages` }).waitFor();
    expect((await texts()).filter((text) => text !== '@here?')).toEqual(['@here lunch']);
    await context.close();
  });
});
