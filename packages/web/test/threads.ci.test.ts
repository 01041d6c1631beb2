import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { goWithin, holdAnswer } from '../../../tools/harness/browser.ts';
import { call, press, serveUrl, signIn, storedIn, textsOf, visit } from './support.ts';

/** The address of a request for replies, as the page sends it. */
const repliesUrl = '**/api/messages?*thread=*';

/** The address of a request for replies, for two of them at most. */
function forTwo(route: Route): { url: string } {
  const url = new URL(route.request().url());
  url.searchParams.set('limit', '2');
  return { url: url.href };
}

/** The texts of the replies in the open thread. */
const repliesOf = (page: Page) => textsOf(page, '.side ol:not(.root)');

describe('a thread', () => {
  it('replies leave the room for a thread, and the room shows their authors, number and time', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [other] });
    const root = await aMessage(owner, id, { text: 'Who brings the cake?' }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${id}`, as: owner });
    await press(page.locator('.room-pane li.message'), 'r');
    const side = page.locator('.side');
    await side.locator('.editor').waitFor();
    const [editor, send] = [await side.locator('.editor').boundingBox(), await side.locator('.send').boundingBox()];
    expect((send?.x ?? 0) + (send?.width ?? 0)).toBeLessThanOrEqual((editor?.x ?? 0) + (editor?.width ?? 0));
    await side.locator('textarea').fill('I do.');
    await side.locator('textarea').press('Enter');
    await side.locator('li.message:not(.pending)', { hasText: 'I do.' }).waitFor();
    await side.getByLabel('Also send to the room').check();
    await side.locator('textarea').fill('And tea.');
    await side.locator('textarea').press('Enter');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'And tea.' }).waitFor();
    expect(await side.getByLabel('Also send to the room').isChecked()).toBe(false);
    await aMessage(other, id, { text: 'Thank you!', thread: root._id.$oid }, call);
    await side.locator('li.message', { hasText: 'Thank you!' }).waitFor();
    const summary = page.locator('.room-pane a.replies');
    await expect.poll(() => summary.textContent()).toMatch(/3 replies.*last /);
    expect(await summary.locator('.avatar').count()).toBe(2);
    expect(await textsOf(page)).toEqual(['Who brings the cake?', 'And tea.']);
    // Stored with its number of replies, a moment after that is shown.
    const replied = async () =>
      (await storedIn<{ reply_count: number }>(page, 'messages', owner)).some(({ reply_count }) => reply_count === 3);
    await expect.poll(replied).toBe(true);
    await page.reload();
    await expect.poll(() => textsOf(page)).toEqual(['Who brings the cake?', 'And tea.']);
    expect(await summary.textContent()).toMatch(/3 replies.*last /);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a thread of a conversation can be replied to in the conversation as well', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { body } = await call('POST', '/api/conversations', { token: other.token, body: { users: [me.username] } });
    const { $oid: id } = (body as { _id: { $oid: string } })._id;
    const root = await aMessage(other, id, { text: 'Lunch?' }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${id}?thread=${root._id.$oid}`, as: me });
    const side = page.locator('.side');
    await side.getByLabel('Also send to the conversation').check();
    await side.locator('textarea').fill('At noon.');
    await side.locator('textarea').press('Enter');
    await expect.poll(() => textsOf(page)).toEqual(['Lunch?', 'At noon.']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a thread has a reply that came after its own load and before the place from which the page follows the room', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [other] });
    const thread = (await aMessage(owner, id, { text: 'root' }, call))._id.$oid;
    await aMessage(other, id, { text: 'before', thread }, call);
    const { page, context, problems } = await visit({ path: '/directory', as: owner });
    const isSaid = Promise.withResolvers<void>();
    await page.route(`**/api/events?room=${id}`, (route) => isSaid.promise.then(() => route.continue()));
    await page.goto(`${serveUrl}/rooms/${id}?thread=${thread}`);
    const side = page.locator('.thread-content');
    await side.locator('li.message', { hasText: 'before' }).waitFor();
    await aMessage(other, id, { text: 'between', thread }, call);
    isSaid.resolve();
    await side.locator('li.message', { hasText: 'between' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a thread whose newest replies are loaded skips none when an earlier one changes', async () => {
    const owner = await anAccount();
    const { id } = await aRoom({ owner });
    const thread = (await aMessage(owner, id, { text: 'root' }, call))._id.$oid;
    const first = await aMessage(owner, id, { text: 'one', thread, is_in_room: true }, call);
    for (const text of ['two', 'three', 'four']) await aMessage(owner, id, { text, thread }, call);
    const { page, context, problems } = await visit({ path: '/directory', as: owner });
    await page.route(repliesUrl, (route) => route.continue(forTwo(route)));
    await page.goto(`${serveUrl}/rooms/${id}?thread=${thread}`);
    await expect.poll(() => repliesOf(page)).toEqual(['three', 'four']);
    await expect.poll(() => textsOf(page)).toEqual(['root', 'one']);
    await call('PATCH', `/api/messages/${first._id.$oid}`, { token: owner.token, body: { text: 'uno' } });
    await expect.poll(() => textsOf(page)).toEqual(['root', 'uno']);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => repliesOf(page)).toEqual(['uno', 'two', 'three', 'four']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a thread loads no more than its newest replies if they come before its first message', async () => {
    const owner = await anAccount();
    const { id } = await aRoom({ owner });
    const thread = (await aMessage(owner, id, { text: 'root' }, call))._id.$oid;
    for (const text of ['one', 'two', 'three', 'four']) await aMessage(owner, id, { text, thread }, call);
    const { page, context, problems } = await visit({ path: '/directory', as: owner });
    await page.route(repliesUrl, (route) => route.continue(forTwo(route)));
    // Replies come before the first message only if the thread is open before the room is read.
    const feed = await holdAnswer(page, `**/api/events?room=${id}`);
    const { answered, release } = await holdAnswer(page, `**/api/threads/${thread}`);
    await page.goto(`${serveUrl}/rooms/${id}?thread=${thread}`);
    await answered;
    await feed.release();
    await expect.poll(() => repliesOf(page)).toEqual(['three', 'four']);
    let earlier = 0;
    page.on('request', (request) => request.url().includes('before=') && earlier++);
    await release();
    expect(earlier).toBe(0);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => repliesOf(page)).toEqual(['one', 'two', 'three', 'four']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it.each([
    ['first message', (thread: string) => `**/api/threads/${thread}`],
    ['replies', () => repliesUrl],
  ])('an edit that comes while a thread loads its %s is shown in the thread', async (_what, url) => {
    const owner = await anAccount();
    const { id } = await aRoom({ owner });
    const thread = (await aMessage(owner, id, { text: 'root' }, call))._id.$oid;
    const reply = (await aMessage(owner, id, { text: 'reply', thread, is_in_room: true }, call))._id.$oid;
    const { page, context, problems } = await visit({ path: `/rooms/${id}`, as: owner });
    await expect.poll(() => textsOf(page)).toEqual(['root', 'reply']);
    const { answered, release } = await holdAnswer(page, url(thread));
    await goWithin(page, `/rooms/${id}?thread=${thread}`);
    await answered;
    for (const message of [thread, reply])
      await call('PATCH', `/api/messages/${message}`, { token: owner.token, body: { text: `${message} is edited` } });
    await expect.poll(() => textsOf(page)).toEqual([`${thread} is edited`, `${reply} is edited`]);
    await release();
    await expect.poll(() => repliesOf(page)).toEqual([`${reply} is edited`]);
    expect(await textsOf(page, '.side ol.root')).toEqual([`${thread} is edited`]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a thread that missed more replies than it reads at a time skips none, although newer ones come meanwhile', async () => {
    const owner = await anAccount();
    const { id } = await aRoom({ owner });
    const thread = (await aMessage(owner, id, { text: 'root' }, call))._id.$oid;
    await aMessage(owner, id, { text: 'one', thread }, call);
    const { page, context, problems } = await visit({ path: '/directory', as: owner });
    const isSaid = Promise.withResolvers<void>();
    await page.route(`**/api/events?room=${id}`, (route) => isSaid.promise.then(() => route.continue()));
    await page.route(repliesUrl, (route) => route.continue(forTwo(route)));
    await page.goto(`${serveUrl}/rooms/${id}?thread=${thread}`);
    await expect.poll(() => repliesOf(page)).toEqual(['one']);
    for (const text of ['two', 'three', 'four']) await aMessage(owner, id, { text, thread }, call);
    const { answered, release } = await holdAnswer(page, repliesUrl, forTwo);
    isSaid.resolve();
    await answered;
    await aMessage(owner, id, { text: 'five', thread, is_in_room: true }, call);
    await expect.poll(() => textsOf(page)).toEqual(['root', 'five']);
    await release();
    await expect.poll(() => repliesOf(page)).toEqual(['three', 'four', 'five']);
    await page.getByRole('button', { name: 'Show more' }).click();
    await expect.poll(() => repliesOf(page)).toEqual(['one', 'two', 'three', 'four', 'five']);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a followed thread shows unread replies until it is opened, and can be followed by choice', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [other] });
    const root = await aMessage(owner, id, { text: 'root' }, call);
    const thread = root._id.$oid;
    for (const text of ['one', 'two']) await aMessage(other, id, { text, thread }, call);
    const { page, context } = await visit({ path: `/rooms/${id}?thread=${thread}`, as: owner });
    const unread = async () => ((await call('GET', '/api/threads?unread=true', { token: owner.token })).body as object[]).length;
    await page.locator('.side .new-line').waitFor();
    await expect.poll(unread).toBe(0);
    const follow = page.getByRole('button', { name: 'Follow this thread' });
    expect(await follow.getAttribute('aria-pressed')).toBe('true');
    await follow.click();
    await expect.poll(() => follow.getAttribute('aria-pressed')).toBe('false');
    await aMessage(other, id, { text: 'three', thread }, call);
    expect(await unread()).toBe(0);
    await context.close();
  });

  it('a thread that was read without the service learning of it is read by the next look at it', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [other] });
    const { _id } = await aMessage(owner, id, { text: 'root' }, call);
    await aMessage(other, id, { text: 'one', thread: _id.$oid }, call);
    const { page, context } = await visit({ path: `/rooms/${id}?thread=${_id.$oid}` });
    const lost = Promise.withResolvers<void>();
    let isLost = false;
    await page.route(
      (url) => url.pathname === `/api/threads/${_id.$oid}`,
      async (route) => {
        if (route.request().method() !== 'PATCH' || isLost) return route.fallback();
        isLost = true;
        await route.abort();
        lost.resolve();
      },
    );
    await signIn(page, owner);
    await lost.promise;
    const unread = async () => ((await call('GET', '/api/threads?unread=true', { token: owner.token })).body as object[]).length;
    expect(await unread()).toBe(1);
    await page.evaluate("dispatchEvent(new Event('focus'))");
    await expect.poll(unread).toBe(0);
    await context.close();
  });

  it('a thread that has news is counted above the rooms, in whichever room it is, and is in a list there', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const [here, there] = [
      await aRoom({ owner: me, members: [other], name: 'Here' }),
      await aRoom({ owner: me, members: [other], name: 'There' }),
    ];
    const root = await aMessage(me, there.id, { text: 'Lunch?' }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${here.id}`, as: me });
    await page.locator('.room-pane .beginning').waitFor();
    await aMessage(other, there.id, { text: 'At noon', thread: root._id.$oid }, call);
    const row = page.locator('.rooms').getByRole('link', { name: /^Threads/ });
    await row.getByText('1', { exact: true }).waitFor();
    expect(await page.locator('.rooms a.room.unread').count()).toBe(0);
    await row.focus();
    // Nobody looks at the page, so nothing is read.
    await page.evaluate('document.hasFocus = () => false');
    await page.keyboard.press('Enter');
    const card = page.getByRole('article', { name: 'Thread in There' });
    await card.getByText('1 unread reply').waitFor();
    await page.evaluate("delete document.hasFocus; dispatchEvent(new Event('focus'))");
    await card.locator('li.message', { hasText: 'At noon' }).waitFor();
    // Opening the thread marks it as read, and it keeps its place.
    await row.getByText('1', { exact: true }).waitFor({ state: 'detached' });
    await card.locator('header a').focus();
    await page.keyboard.press('Enter');
    await page.locator('.side li.message', { hasText: 'At noon' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the threads with unread replies are read and answered on one page, in whichever rooms they are', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const rooms = await Promise.all(['Here', 'There'].map((name) => aRoom({ owner: me, members: [other], name })));
    const roots = await Promise.all(
      Array.from({ length: 10 }, async (_, at) => {
        const { id } = rooms[at % 2] as (typeof rooms)[0];
        const { _id } = await aMessage(me, id, { text: `question ${at}` });
        for (let reply = 0; reply < 3; reply++) await aMessage(other, id, { text: `answer ${reply} to ${at}`, thread: _id.$oid });
        return { room: id, thread: _id.$oid };
      }),
    );
    const { page, context, problems } = await visit({ path: '/?panel=threads', as: me });
    const cards = page.getByRole('article');
    await expect.poll(() => cards.count()).toBe(10);
    const unread = async () => ((await call('GET', '/api/threads?unread=true', { token: me.token })).body as object[]).length;
    // Each card has a field, and shows a message sent from there.
    const first = cards.first();
    await first.getByText('New', { exact: true }).waitFor();
    expect(await first.locator('li.message').count()).toBe(4);
    await first.locator('textarea').fill('Thank you');
    await first.locator('textarea').press('Enter');
    await first.locator('li.message:not(.pending)', { hasText: 'Thank you' }).waitFor();
    // The others are read by looking at them.
    for (let at = 1; at < 10; at++) {
      await cards.nth(at).locator('.composer').scrollIntoViewIfNeeded();
      await expect
        .poll(() =>
          cards
            .nth(at)
            .getByText(/unread repl/)
            .count(),
        )
        .toBe(0);
    }
    expect([await cards.count(), page.url().endsWith('/?panel=threads'), problems]).toEqual([10, true, []]);
    await expect.poll(unread).toBe(0);
    // All at once, without being looked at.
    await page.evaluate('document.hasFocus = () => false');
    for (const { room, thread } of roots.slice(0, 3)) await aMessage(other, room, { text: 'one more', thread }, call);
    await expect.poll(() => cards.filter({ hasText: 'one more' }).count()).toBe(3);
    await page.locator('.threads').evaluate((box) => box.scrollTo(0, 0));
    await page.getByRole('button', { name: 'Mark all as read' }).click();
    await expect.poll(unread).toBe(0);
    await page.getByRole('button', { name: 'Mark all as read' }).waitFor({ state: 'detached' });
    await context.close();
  });

  it('a reply that comes while the threads are loaded is on their page, and a slow thread does not hold it back', async () => {
    const [me, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner: me, members: [other] });
    const [slow, late] = [await aMessage(me, id, { text: 'slow' }, call), await aMessage(me, id, { text: 'late' }, call)];
    await aMessage(other, id, { text: 'reply', thread: slow._id.$oid }, call);
    const { page, context } = await visit({ path: '/directory', as: me });
    const { answered, release } = await holdAnswer(page, '**/api/threads?unread=true*');
    await page.route(`**/api/messages?*thread=${slow._id.$oid}*`, () => {});
    await page
      .locator('.rooms')
      .getByRole('link', { name: /^Threads/ })
      .click();
    await answered;
    await aMessage(other, id, { text: 'reply', thread: late._id.$oid }, call);
    // The page looks for new replies a second after it has heard of a change.
    const count = page
      .locator('.rooms')
      .getByRole('link', { name: /^Threads/ })
      .getByText('2', { exact: true });
    await count.waitFor({ state: 'attached' });
    await page.waitForTimeout(2_000);
    await release();
    await page.getByRole('article').filter({ hasText: 'late' }).waitFor();
    expect(await page.getByRole('article').count()).toBe(2);
    await context.close();
  });

  it('a thread is opened by the address of a reply, also of one that is far back', async () => {
    const [owner] = [await anAccount()];
    const { id } = await aRoom({ owner });
    const root = await aMessage(owner, id, { text: 'root' }, call);
    const thread = root._id.$oid;
    const first = await aMessage(owner, id, { text: 'the first of many', thread }, call);
    for (let count = 0; count < 110; count++) await aMessage(owner, id, { text: `reply ${count}`, thread }, call);
    const { page, context } = await visit({ path: `/rooms/${id}?thread=${thread}&reply=${first.seq}`, as: owner });
    const reply = page.locator('.side li.message', { hasText: 'the first of many' });
    await reply.waitFor();
    await expect.poll(() => reply.evaluate((row) => row.matches('.pointed'))).toBe(true);
    await context.close();
  });

  it('a thread opens at the first new reply, and stays where it is read while more come', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const { id } = await aRoom({ owner, members: [other] });
    const root = await aMessage(owner, id, { text: 'root' }, call);
    const thread = root._id.$oid;
    const reply = (text: string) => aMessage(other, id, { text, thread }, call);
    for (let at = 0; at < 110; at++) await reply(`read ${at}`);
    const { seq } = await reply('the last that was read');
    await call('PATCH', `/api/threads/${thread}`, { token: owner.token, body: { last_read: seq } });
    for (let at = 0; at < 40; at++) await reply(`new ${at}`);
    const { page, context } = await visit({ path: `/rooms/${id}?thread=${thread}`, as: owner });
    const box = page.locator('.thread-content');
    const top = (selector: string) =>
      page.evaluate(`document.querySelector('${selector}').getBoundingClientRect().top -
        document.querySelector('.thread-content').getBoundingClientRect().top`) as Promise<number>;
    await page.locator('.side .new-line').waitFor();
    await expect.poll(() => top('.side .new-line')).toBeGreaterThan(0);
    expect(await top('.side .new-line')).toBeLessThan(400);
    const before = await top('.side .new-line');
    await reply('one more');
    await page.locator('.side li.message', { hasText: 'one more' }).waitFor();
    expect(Math.abs((await top('.side .new-line')) - before)).toBeLessThan(1);
    // A reply out of view stays unread.
    const unread = async () => ((await call('GET', '/api/threads?unread=true', { token: owner.token })).body as object[]).length;
    await page.waitForTimeout(1_500);
    expect(await unread()).toBe(1);
    // Also while earlier ones come above.
    await box.evaluate((element) => element.scrollTo(0, 0));
    const first = await page.locator('.side ol:not(.root) li.message').first().getAttribute('data-seq');
    const place = await top(`.side li[data-seq="${first}"]`);
    await page.getByRole('button', { name: 'Show more' }).click();
    await page.locator('.side li.message', { hasText: 'read 0' }).waitFor();
    expect(Math.abs((await top(`.side li[data-seq="${first}"]`)) - place)).toBeLessThan(40);
    // A reader at the end stays there.
    await box.evaluate((element) => element.scrollTo(0, element.scrollHeight));
    await page.waitForTimeout(100);
    await reply('the very last');
    await page.locator('.side li.message', { hasText: 'the very last' }).waitFor();
    await expect
      .poll(() => box.evaluate((element) => element.scrollHeight - element.scrollTop - element.clientHeight))
      .toBeLessThan(40);
    await expect.poll(unread).toBe(0);
    await context.close();
  });

  it('a thread that is closed by its button gives the focus back to the composer of the room', async () => {
    const [owner] = [await anAccount()];
    const { id } = await aRoom({ owner });
    const root = await aMessage(owner, id, { text: 'root' }, call);
    const { page, context } = await visit({ path: `/rooms/${id}?thread=${root._id.$oid}`, as: owner });
    await page.locator('.side textarea:focus').waitFor();
    await page.locator('.side header').getByRole('link', { name: 'Close' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.room-pane .composer textarea:focus').waitFor();
    await context.close();
  });

  it('a thread of hundreds of replies leaves the room that it is in as it is', async () => {
    const [owner] = [await anAccount()];
    const { id } = await aRoom({ owner });
    await aMessage(owner, id, { text: 'before' }, call);
    const root = await aMessage(owner, id, { text: 'root' }, call);
    // In parts: the service refuses requests that have to wait for too many others.
    for (let sent = 0; sent < 400; sent += 40) {
      const replies = Array.from({ length: 40 }, (_, at) => ({ text: `reply ${sent + at}`, thread: root._id.$oid }));
      await Promise.all(replies.map((reply) => aMessage(owner, id, reply, call)));
    }
    await aMessage(owner, id, { text: 'after' }, call);
    const { page, context } = await visit({ path: `/rooms/${id}`, as: owner });
    await expect.poll(() => textsOf(page)).toEqual(['before', 'root', 'after']);
    await page.locator('.room-pane .beginning').waitFor();
    await context.close();
  });
});
