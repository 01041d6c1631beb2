import { ObjectId } from 'mongodb';
import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { messages } from '../../../lib/collections/rooms/messages.ts';
import { createChatClient } from '../../../packages/client/src/index.ts';
import { anAccount } from '../../../test/support/accounts.ts';
import { aBot } from '../../../test/support/bots.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoomOf } from '../../../test/support/rooms.ts';
import { holdAnswer } from '../../../tools/harness/browser.ts';
import { call, serveUrl, visit } from './support.ts';

/** The time after which the page marks visible messages as read. */
const readAfterMs = 1_000;

const distanceToEnd = (page: Page) =>
  page.locator('#messages').evaluate((box) => Math.round(box.scrollHeight - box.scrollTop - box.clientHeight));

/** Makes a stream silent for longer than a minute. */
const interrupt = (id: string) =>
  messages.updateOne({ _id: new ObjectId(id) }, [
    { $set: { 'streaming.stored_at': { $add: ['$streaming.stored_at', -61_000] } } },
  ]);

it('an answer that streams grows in its place, keeps the reader at the end, and is announced once', async () => {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  const room = await aRoomOf([ann, bot]);
  for (let count = 0; count < 20; count++) await aMessage(ann, room, { text: `Message ${count}` });
  const { page, context, problems } = await visit({ path: `/rooms/${room}`, as: ann });
  await page.locator('li.message', { hasText: 'Message 19' }).waitFor();
  await page.evaluate(() => {
    const said: string[] = [];
    Object.assign(window, { said });
    for (const region of document.querySelectorAll('[aria-live]'))
      new MutationObserver(() => said.push(region.textContent ?? '')).observe(region, {
        childList: true,
        subtree: true,
        characterData: true,
      });
  });
  const answer = createChatClient({ baseUrl: serveUrl, token: bot.token }).stream({ room });
  await answer.message;
  const row = page.locator('.room-pane li.message').last();
  await expect.poll(() => row.locator('[aria-busy=true]').count()).toBe(1);
  for (let line = 1; line <= 30; line++) {
    await answer.write(`Line ${line}\n\n`);
    await expect.poll(async () => await row.textContent()).toContain(`Line ${line}`);
    await expect.poll(() => distanceToEnd(page)).toBeLessThan(2);
  }
  expect(await row.textContent()).toContain('writing…');
  await answer.end();
  await expect.poll(() => row.locator('[aria-busy=true]').count()).toBe(0);
  expect(await row.textContent()).not.toContain('writing…');
  // The text is not folded under its reader's eyes.
  expect(await row.locator('.folded').count()).toBe(0);
  await expect.poll(() => distanceToEnd(page)).toBeLessThan(2);
  const heard = () =>
    page.evaluate(() => (window as unknown as { said: string[] }).said.filter((text) => text.includes('Line 1')));
  await expect.poll(async () => (await heard()).length).toBe(1);
  expect(problems).toEqual([]);
  await context.close();
});

it('a page that missed the frames of a stream reads its text', async () => {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  const room = await aRoomOf([ann, bot]);
  const answer = createChatClient({ baseUrl: serveUrl, token: bot.token }).stream({ room });
  await answer.message;
  const { page, context, problems } = await visit({ as: ann });
  await context.routeWebSocket(/./, (socket) => socket.close());
  await page.goto(`${serveUrl}/rooms/${room}`);
  const row = page.locator('.room-pane li.message').last();
  for (const line of ['Line 1', 'Line 2']) {
    await answer.write(`${line}\n\n`);
    await expect.poll(() => row.textContent()).toContain(line);
  }
  await answer.end();
  expect(problems).toEqual([]);
  await context.close();
});

it('a complete answer does not stream again when an earlier request for it is answered late', async () => {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  const room = await aRoomOf([ann, bot]);
  const answer = createChatClient({ baseUrl: serveUrl, token: bot.token }).stream({ room });
  const { _id } = await answer.message;
  const { page, context, problems } = await visit({ path: '/directory', as: ann });
  const { answered, release } = await holdAnswer(page, `**/api/messages/${_id.$oid}`);
  await page.goto(`${serveUrl}/rooms/${room}`);
  const busy = page.locator('.room-pane li.message').last().locator('[aria-busy=true]');
  await busy.waitFor();
  // The page reads a message that is silent.
  await answered;
  await answer.write('Done');
  await answer.end();
  await busy.waitFor({ state: 'detached' });
  await release();
  await page.waitForTimeout(500);
  expect([await busy.count(), problems]).toEqual([0, []]);
  await context.close();
});

it('an interrupted answer says so, and a thread shows the activity of a bot', async () => {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  const room = await aRoomOf([ann, bot]);
  const { _id } = await aMessage(ann, room, { text: 'Do the tests pass?' });
  const { page, context, problems } = await visit({ path: `/rooms/${room}?thread=${_id.$oid}`, as: ann });
  await page.locator('.thread-content li.message').waitFor();
  const body = { activity: 'Running tests…' };
  const act = () => call('PATCH', `/api/threads/${_id.$oid}`, { token: bot.token, body });
  const line = `${bot.username}: Running tests…`;
  await expect
    .poll(async () => {
      await act();
      return page.locator('.typing').allTextContents();
    })
    .toEqual([line, line]);
  const started = await call('POST', '/api/messages', {
    token: bot.token,
    body: { room, thread: _id, text: 'Yes, all of', is_streaming: true },
  });
  await expect.poll(() => page.locator('.typing').allTextContents()).toEqual(['', '']);
  await interrupt((started.body as { _id: { $oid: string } })._id.$oid);
  await expect.poll(() => page.locator('.thread-content li.message').last().textContent()).toContain('(interrupted)');
  expect(problems).toEqual([]);
  await context.close();
});

it('a reply that streams is unread until it is complete, also for a reader who looks at it', async () => {
  const [ann, bot] = await Promise.all([anAccount(), aBot()]);
  const room = await aRoomOf([ann, bot]);
  const { _id } = await aMessage(ann, room, { text: 'Do the tests pass?' }, call);
  // The author of a message follows its thread from the first reply on.
  await aMessage(bot, room, { text: 'I will look', thread: _id.$oid }, call);
  const { page, context } = await visit({ path: `/rooms/${room}?thread=${_id.$oid}`, as: ann });
  await page.locator('.thread-content li.message', { hasText: 'I will look' }).waitFor();
  const answer = createChatClient({ baseUrl: serveUrl, token: bot.token }).stream({ room, thread: _id.$oid });
  await answer.write('Yes, all of');
  await page.locator('.thread-content li.message', { hasText: 'Yes, all of' }).waitFor();
  const unread = async () => (await call('GET', '/api/threads?unread=true', { token: ann.token })).body as object[];
  await page.waitForTimeout(3 * readAfterMs);
  expect(await unread()).toHaveLength(1);
  await answer.end();
  await expect.poll(unread).toEqual([]);
  await context.close();
});

it('a reply that streams notifies once, when it is complete, and does not hide a message beside it', async () => {
  const [ann, bob, bot] = await Promise.all([anAccount(), anAccount(), aBot()]);
  const room = await aRoomOf([ann, bob, bot]);
  const { _id } = await aMessage(ann, room, { text: 'Do the tests pass?' }, call);
  const { page, context } = await visit({ path: '/', as: ann });
  await page.addInitScript(`
    localStorage.setItem('chat-notify', 'on');
    localStorage.setItem('chat-notify-of', 'all');
    window.notified = [];
    window.Notification = class {
      static permission = 'granted';
      constructor(title, { body }) { window.notified.push(body); }
      close() {}
    };
    document.hasFocus = () => false;`);
  await page.goto(`${serveUrl}/directory`);
  await page.locator('.rooms a').first().waitFor();
  // By now it shows notifications.
  await page.waitForTimeout(2_500);
  const answer = createChatClient({ baseUrl: serveUrl, token: bot.token }).stream({ room, thread: _id.$oid });
  await Promise.all([answer.write('Yes, all of'), aMessage(bob, room, { text: 'I am here' }, call)]);
  const notified = () => page.evaluate('window.notified');
  await expect.poll(notified).toEqual(['I am here']);
  await answer.write(' them');
  await page.waitForTimeout(3_000);
  await answer.end();
  await expect.poll(notified).toEqual(['I am here', 'Yes, all of them']);
  await context.close();
});
