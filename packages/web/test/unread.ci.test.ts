import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, memberId, succeed } from '../../../test/support/rooms.ts';
import { call, serveUrl, signIn, visit } from './support.ts';

const phone = { width: 390, height: 780, options: { hasTouch: true } };

/** How many messages are unread, by room. */
const unreadOf = async ({ token }: Account) =>
  ((await call('GET', '/api/members?user=me&limit=200', { token })).body as { unread: number }[]).map(({ unread }) => unread);

const isLineInView = (page: Page) =>
  page.evaluate<boolean>(`(() => {
    const row = document.querySelector('.new-line')?.getBoundingClientRect();
    const box = document.querySelector('#messages').getBoundingClientRect();
    return row !== undefined && row.top > box.top && row.bottom < box.bottom;
  })()`);

describe('marking all rooms as read', () => {
  it('marking all rooms as read is done by keyboard from the menu of the service, after a question if there are many', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const rooms = await Promise.all(Array.from({ length: 21 }, () => aRoom({ owner: other, members: [me] })));
    for (const { id } of rooms) await aMessage(other, id, { text: 'new' }, call);
    const { page, context, problems } = await visit({ path: '/directory', as: me });
    await page.locator('.room.unread').nth(20).waitFor();
    await page.locator('.brand').focus();
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog', { name: 'Mark 21 rooms as read?' }).waitFor();
    await page.keyboard.press('Escape');
    expect(await page.locator('.room.unread').count()).toBe(21);
    await page.keyboard.press('Enter');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.locator('.room.unread').first().waitFor({ state: 'detached' });
    await expect.poll(() => unreadOf(me)).toEqual(rooms.map(() => 0));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('marking all rooms as read marks the threads that one follows as read, too', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner: me, members: [other] });
    const root = await aMessage(me, id, { text: 'root' }, call);
    await aMessage(other, id, { text: 'reply', thread: root._id.$oid }, call);
    const { page, context } = await visit({ path: '/directory', as: me });
    const count = page
      .locator('.rooms')
      .getByRole('link', { name: /^Threads/ })
      .getByText('1', { exact: true });
    await count.waitFor();
    // The page hears of another reply late.
    const released = Promise.withResolvers<void>();
    await page.route('**/api/members?*', (route) => released.promise.then(() => route.continue()));
    await aMessage(other, id, { text: 'another', thread: root._id.$oid }, call);
    await page.locator('.sidebar header button').click();
    await page.getByRole('menuitem', { name: 'Mark all as read' }).click();
    await page.waitForTimeout(500);
    released.resolve();
    await count.waitFor({ state: 'detached', timeout: 10_000 });
    expect((await call('GET', '/api/threads?unread=true', { token: me.token })).body).toEqual([]);
    await context.close();
  });

  it('marking a few rooms as read asks nothing, on a phone', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me] });
    await aMessage(other, room.id, { text: 'new' }, call);
    const { page, context, problems } = await visit(phone);
    await signIn(page, me);
    await page.locator('.room.unread').waitFor();
    const menu = page.locator('.sidebar header').getByRole('button', { name: 'More' });
    expect((await menu.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await menu.tap();
    await page.getByRole('menuitem', { name: 'Mark all as read' }).tap();
    await expect.poll(() => unreadOf(me)).toEqual([0]);
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('the bar above the messages', () => {
  /** A room with `count` unread messages. */
  async function unreadRoom(count: number) {
    const [me, other, another] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoom({ owner: other, members: [me, another] });
    for (let at = 0; at < 3; at++) await aMessage(other, room.id, { text: `known ${at}` }, call);
    const path = `/api/members/${await memberId(room, me)}`;
    const seqs: number[] = [];
    const last = (await aMessage(other, room.id, { text: 'read up to here' }, call)).seq;
    await call('PATCH', path, { token: me.token, body: { last_read: last } });
    // The burst of one account is limited.
    for (let at = 0; at < count; at++)
      seqs.push((await aMessage(at % 2 ? other : another, room.id, { text: `new ${at}\n\nof several\n\nlines` }, call)).seq);
    return { me, other, room, path: `/rooms/${room.id}/${seqs.at(-1)}` };
  }

  it('the bar above the messages says how many are new when their line is out of view, and leads there by keyboard', async () => {
    const { me, path } = await unreadRoom(71);
    const { page, context, problems } = await visit({ path, as: me });
    await page.locator('li.message.pointed', { hasText: 'new 70' }).waitFor();
    const bar = page.locator('.new-above');
    await bar.getByText('71 new messages').waitFor();
    expect(await isLineInView(page)).toBe(false);
    await bar.getByRole('button', { name: '71 new messages' }).focus();
    await page.keyboard.press('Enter');
    await expect.poll(() => isLineInView(page)).toBe(true);
    await bar.waitFor({ state: 'detached' });
    // A reader who has seen the line needs no button to it.
    await page.getByRole('button', { name: 'Jump to the newest messages' }).click();
    await page.getByText('new 70').waitFor();
    expect([await bar.count(), problems]).toEqual([0, []]);
    await context.close();
  });

  it('the bar above the messages is not shown when the room opens at the line', async () => {
    const { me, room } = await unreadRoom(20);
    const { page, context } = await visit({ path: `/rooms/${room.id}`, as: me });
    await expect.poll(() => isLineInView(page)).toBe(true);
    await page.waitForTimeout(300);
    expect(await page.locator('.new-above').count()).toBe(0);
    await context.close();
  });

  it('a room opens at its first unread message although the cards below it are drawn late', async () => {
    const me = await anAccount();
    const room = await aRoom({ members: [me] });
    const made = await succeed(call('POST', `${room.path}/webhooks`, { token: room.owner.token, body: { name: 'Alarms' } }));
    const { secret } = made.body as { secret: string };
    const fields = [{ title: 'Region', value: 'Frankfurt' }];
    for (let at = 0; at < 8; at++) {
      const attachments = [{ title: `Latency ${at}`, text: 'above 900 ms', fields, footer: 'v12' }];
      await succeed(call('POST', `/api/webhooks/${secret}`, { body: { text: 'Look', attachments } }));
    }
    const { page, context } = await visit({ path: '/directory', as: me });
    await page.route('**/assets/cards-*.js', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 500));
      await route.continue();
    });
    await page.goto(`${serveUrl}/rooms/${room.id}`);
    await page.locator('.message-card').first().waitFor();
    // The page marks the messages that it shows as read after a second.
    await page.waitForTimeout(1_500);
    expect([await isLineInView(page), await unreadOf(me)]).toEqual([true, [8]]);
    await context.close();
  });

  it('a folded message grows downwards from its own place, also shortly after a jump to the message below it', async () => {
    const me = await anAccount();
    const room = await aRoom({ owner: me });
    const long = Array.from({ length: 300 }, (_, at) => `line ${at}`).join('\n');
    const sent = [];
    for (const text of ['first', 'second', long, 'target', ...Array.from({ length: 20 }, (_, at) => `later ${at}`)])
      sent.push(await aMessage(me, room.id, { text }, call));
    const { page, context } = await visit({ path: `/rooms/${room.id}/${sent[3]?.seq}`, as: me });
    await page.locator('li.message.pointed').waitFor();
    const row = page.locator('li.message', { hasText: 'line 0' });
    const box = async () => (await row.boundingBox()) ?? { y: 0, height: 0 };
    const before = await box();
    await row.getByRole('button', { name: 'Show all' }).click();
    await expect.poll(async () => (await box()).height).toBeGreaterThan(4_000);
    expect(Math.abs((await box()).y - before.y)).toBeLessThan(2);
    await context.close();
  });

  it('the bar above the messages marks the room as read by its other button, by finger on a phone', async () => {
    const { me, path } = await unreadRoom(40);
    const { page, context, problems } = await visit({
      path: path.replace(/\d+$/, (seq) => `${Number(seq) - 10}`),
      ...phone,
      as: me,
    });
    const bar = page.locator('.new-above');
    await bar.getByText('40 new messages').waitFor();
    expect(await unreadOf(me)).toEqual([40]);
    for (const button of await bar.getByRole('button').all())
      expect((await button.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await bar.getByRole('button', { name: 'Mark as read' }).tap();
    await bar.waitFor({ state: 'detached' });
    await expect.poll(() => unreadOf(me)).toEqual([0]);
    expect(problems).toEqual([]);
    await context.close();
  });
});
