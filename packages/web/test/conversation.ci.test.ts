import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, succeed } from '../../../test/support/rooms.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import { call, serveUrl, signIn, visit } from './support.ts';

const composer = (page: Page) => page.locator('.room-pane .composer textarea');
const row = (page: Page, hasText: string) => page.locator('.room-pane li.message', { hasText });

let me: Account;
let kenji: Account;
let outsider: Account;
let room: Awaited<ReturnType<typeof aRoom>>;
let closed: Awaited<ReturnType<typeof aRoom>>;

beforeAll(async () => {
  [me, kenji, outsider] = [await anAccount(), await anAccount(), await anAccount()];
  for (const [account, name] of [
    [kenji, 'Kenji Tanaka'],
    [outsider, 'Grace Kim'],
  ] as const)
    await succeed(call('PATCH', '/api/users/me', { token: account.token, body: { name } }));
  room = await aRoom({ owner: me, members: [kenji], name: 'Design system' });
  closed = await aRoom({ owner: me, members: [kenji], name: 'Numbers', is_open: false });
  // They share a room, so that each can find the other.
  await aRoom({ owner: me, members: [outsider], name: 'Hall' });
});

describe('a conversation', () => {
  it('a conversation shows names, rooms, addresses and emoji as people read them', async () => {
    const long = 'https://design.example.org/northwind/projects/2027/invoices-v4?utm_source=chat';
    const texts = [
      `@${kenji.username} see #design system, ${long} and ${serveUrl}/rooms/${closed.id}`,
      '🎉',
      `thank you @${me.username}`,
    ];
    for (const text of texts) await aMessage(text.includes(me.username) ? kenji : me, room.id, { text }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: me });
    const first = row(page, 'see #design system');
    await first.waitFor();
    expect(await first.locator('.mention').textContent()).toBe('@Kenji Tanaka');
    expect(await first.locator('.mention').getAttribute('title')).toBe(`@${kenji.username}`);
    expect(await first.locator('.text a').allTextContents()).toEqual([
      '#design system',
      'design.example.org/…/invoices-v4…',
      '#Numbers',
    ]);
    expect(await first.locator('.text a').nth(1).getAttribute('title')).toBe(long);
    await row(page, '🎉').locator('.text.jumbo').waitFor();
    const mine = row(page, 'thank you');
    expect(await mine.evaluate((element) => element.classList.contains('mentions-me'))).toBe(true);
    // Amber, and not the colour of links.
    const colorOf = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await colorOf('.mention.me')).toBe('rgb(251, 230, 176)');
    await first.locator('.text a').last().click();
    await page.getByRole('heading', { name: 'Numbers', level: 1 }).waitFor({ state: 'attached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a conversation shows what programs send in Slack’s shape as cards, under their name and that of the webhook', async () => {
    const made = await succeed(call('POST', `${room.path}/webhooks`, { token: me.token, body: { name: 'Alarms' } }));
    const { secret } = made.body as { secret: string };
    const fields = [{ title: 'p95', value: '*2.4 s*', short: true }];
    const attachments = [{ color: 'danger', title: 'Latency', title_link: 'https://a.example/d', fields, footer: 'v12' }];
    const body = { username: 'Grafana', icon_emoji: ':rotating_light:', text: 'Look', attachments };
    await succeed(call('POST', `/api/webhooks/${secret}`, { body }));
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: me });
    const message = row(page, 'Latency');
    const card = message.locator('.message-card');
    await card.waitFor();
    expect(await message.locator('.meta').textContent()).toContain('Grafana botvia Alarms');
    expect(await card.getByRole('link', { name: 'Latency' }).getAttribute('href')).toBe('https://a.example/d');
    expect([await card.locator('dt').textContent(), await card.locator('dd strong').textContent()]).toEqual(['p95', '2.4 s']);
    expect(await card.evaluate((element) => getComputedStyle(element, '::before').backgroundColor)).toBe('rgb(224, 30, 90)');
    await expect.poll(() => message.locator('.of-emoji').textContent()).toBe('🚨');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a conversation says who can read it, by a lock and in the field for messages', async () => {
    const { page, context } = await visit({ path: `/rooms/${closed.id}`, as: me });
    const marks = async (name: string) =>
      page
        .locator('.rooms li', { hasText: name })
        .locator('a > svg')
        .evaluate((icon) => icon.innerHTML);
    await expect.poll(() => composer(page).getAttribute('placeholder')).toBe('Message Numbers · only its 2 members can read it');
    expect(await marks('Numbers')).not.toBe(await marks('Hall'));
    expect(await page.locator('.bar .name > svg').evaluate((icon) => icon.innerHTML)).toBe(await marks('Numbers'));
    await goWithin(page, `/rooms/${room.id}`);
    await expect
      .poll(() => composer(page).getAttribute('placeholder'))
      .toBe('Message Design system · anyone at Chat can read it');
    // The lock goes when the room is opened to everyone.
    await succeed(call('PATCH', closed.path, { token: me.token, body: { is_open: true } }));
    await expect.poll(() => marks('Numbers')).toBe(await marks('Hall'));
    await succeed(call('PATCH', closed.path, { token: me.token, body: { is_open: false } }));
    await context.close();
  });

  it('a conversation completes a full name with its blanks, and offers to add somebody who is not in the room', async () => {
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: me });
    await composer(page).pressSequentially('hello @kenji t');
    await page.getByRole('option', { name: 'Kenji Tanaka', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe(`hello @${kenji.username} `);
    await composer(page).fill('');
    await composer(page).pressSequentially('see #desi');
    await page.getByRole('option', { name: 'Design system', selected: true }).waitFor();
    await page.keyboard.press('Enter');
    expect(await composer(page).inputValue()).toBe('see #Design system ');
    await composer(page).fill('');
    await composer(page).pressSequentially('ask @grace');
    await page.getByRole('option', { name: /Grace Kim.*not in this room/ }).click();
    expect(await composer(page).inputValue()).toBe(`ask @${outsider.username} `);
    await page.keyboard.press('Enter');
    await page.getByText('Grace Kim isn’t in this room and won’t see your message.').waitFor();
    await page.getByRole('button', { name: 'Add to the room' }).click();
    await page.locator('.toast', { hasText: 'Added Grace Kim.' }).waitFor();
    expect((await call('GET', room.path, { token: outsider.token })).status).toBe(200);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a conversation counts new messages while the user reads older ones', async () => {
    const { id } = await aRoom({ owner: me, members: [kenji], name: 'Long' });
    for (let at = 0; at < 40; at++) await aMessage(me, id, { text: `message ${at}` });
    const { page, context } = await visit({ path: `/rooms/${id}`, as: me });
    await page.getByText('message 39').waitFor();
    await page.locator('#messages').evaluate((box) => box.scrollBy(0, -600));
    await page.getByRole('button', { name: 'Jump to the newest messages' }).waitFor();
    for (const text of ['one', 'two', 'three']) await aMessage(kenji, id, { text: `news ${text}` }, call);
    await page.getByRole('button', { name: '3 new messages' }).click();
    await page.getByText('news three').waitFor();
    await expect.poll(() => page.locator('.to-end').count()).toBe(0);
    await context.close();
  });

  it('a conversation lets its reader leave the end while a message comes', async () => {
    const { id } = await aRoom({ owner: me, members: [kenji] });
    for (let at = 0; at < 40; at++) await aMessage(me, id, { text: `message ${at}` });
    const { page, context } = await visit({ path: `/rooms/${id}`, as: me });
    await page.getByText('message 39').waitFor();
    const box = page.locator('#messages');
    const topOf = () => box.evaluate(({ scrollTop }) => scrollTop);
    await expect.poll(topOf).toBeGreaterThan(400);
    // The browser reports no scroll before the message is drawn.
    await page.evaluate("addEventListener('scroll', (event) => event.stopPropagation(), { capture: true })");
    await box.evaluate((element) => element.scrollBy(0, -300));
    const before = await topOf();
    await aMessage(kenji, id, { text: 'good news' }, call);
    await page.locator('li.message', { hasText: 'good news' }).waitFor({ state: 'attached' });
    // The message counts as new if the page looked at its box between the scroll and the message.
    await page.getByRole('button', { name: /^(Jump to the newest messages|1 new message)$/ }).waitFor();
    expect(await topOf()).toBe(before);
    await context.close();
  });

  it('a conversation keeps the caret in its field after Send, also on a phone, whose keyboard stays', async () => {
    for (const options of [{}, { hasTouch: true, isMobile: true }]) {
      const { page, context } = await visit({ path: `/rooms/${room.id}`, width: 390, height: 844, options, as: me });
      await composer(page).click();
      await page.keyboard.type('hello');
      const send = page.locator('.room-pane').getByRole('button', { name: 'Send', exact: true });
      await (options.hasTouch ? send.tap() : send.click());
      await expect.poll(() => composer(page).inputValue()).toBe('');
      await page.locator('.room-pane .composer textarea:focus').waitFor();
      await context.close();
    }
  });

  it('a conversation can be copied if the browser does not allow it, and says if the service is unreachable', async () => {
    await aMessage(me, room.id, { text: 'to be copied' }, call);
    const { page, context } = await visit({ path: `/rooms/${room.id}` });
    await page.addInitScript("navigator.clipboard.writeText = () => Promise.reject(new DOMException('no', 'NotAllowedError'))");
    await signIn(page, me);
    await page.reload();
    await row(page, 'to be copied').press('Enter');
    await page.getByRole('menuitem', { name: 'Copy text' }).click();
    expect(await page.getByRole('dialog').locator('textarea').inputValue()).toBe('to be copied');
    await page.keyboard.press('Escape');
    await page.route('**/api/**', (route) => route.fulfill({ status: 503, body: '' }));
    await composer(page).fill('is anybody there');
    await page.keyboard.press('Enter');
    await page.locator('.banner', { hasText: 'Can’t reach Chat. Retrying…' }).waitFor();
    await row(page, 'is anybody there').getByText('Can’t reach Chat.').waitFor();
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
});
