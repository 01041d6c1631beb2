import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, aRoomOf } from '../../../test/support/rooms.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import { call, signIn, visit } from './support.ts';

let people: Account[];
let long: string;
beforeAll(async () => {
  people = await Promise.all([anAccount(), anAccount(), anAccount(), anAccount()]);
  long = await aRoomOf(people, { name: 'Long' });
  for (let at = 0; at < 30; at++)
    for (const person of people) await aMessage(person, long, { text: `message ${at} of ${person.username}` });
});

/** A device with a narrow screen, which is touched. */
const phone = { width: 390, height: 780, options: { hasTouch: true, isMobile: true } };

const me = () => people[0] as Account;

/** An expression for the message at the top of the visible part, and its position. */
const place = `(() => {
  const box = document.querySelector('#messages');
  const top = box.getBoundingClientRect().top;
  const row = [...box.querySelectorAll('li[data-seq]')].find((row) => row.getBoundingClientRect().bottom > top + 1);
  return { seq: Number(row.dataset.seq), top: Math.round(row.getBoundingClientRect().top - top) };
})()`;

const placeIn = (page: Page) => page.evaluate<{ seq: number; top: number }>(place);

/** Waits until nothing moves. Returns the top visible message, or undefined if no room is open. */
async function settled(page: Page) {
  let last: unknown;
  await expect
    .poll(
      async () => {
        const now = await placeIn(page).catch(() => undefined);
        const isSame = JSON.stringify(now) === JSON.stringify(last);
        last = now;
        return isSame;
      },
      { interval: 500 },
    )
    .toBe(true);
  return last;
}

/** Scrolls up to the middle of the room, and waits until nothing moves. */
async function readOn(page: Page) {
  await page.locator('.room-pane li.message').nth(10).waitFor();
  await settled(page);
  await page.evaluate("document.querySelector('#messages').scrollTop -= 1400");
  return settled(page);
}

describe('the reading position', () => {
  it.each([
    ['another room', async (page: Page) => page.locator('.rooms section a:not([aria-current])').first().click()],
    ['the settings', async (page: Page) => page.getByRole('link', { name: 'Settings' }).click()],
    // Without scrolling to the link first, as a real click in the test would.
    ['a message of the same room', async (page: Page) => page.locator('.room-pane .meta a').first().dispatchEvent('click')],
  ])('the reading position is restored on the way back from %s', async (_where, leave) => {
    await aRoom({ owner: me(), name: 'Other' });
    const { page, context, problems } = await visit({ path: `/rooms/${long}`, as: me() });
    const before = await readOn(page);
    const here = page.url();
    await leave(page);
    await page.waitForURL((now) => now.href !== here);
    await settled(page);
    await page.goBack();
    await expect.poll(() => placeIn(page).catch(() => undefined)).toEqual(before);
    // And stays there.
    await page.waitForTimeout(500);
    expect([await placeIn(page), problems]).toEqual([before, []]);
    await context.close();
  });

  it('the reading position is kept if somebody scrolls at once in a room that this browser has stored', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}`, as: me() });
    await page.locator('.room-pane li.message').nth(10).waitFor();
    await settled(page);
    await page.waitForTimeout(500);
    // As soon as the messages are there.
    await context.addInitScript(`new MutationObserver((_, observer) => {
      const box = document.querySelector('#messages');
      if (!box || box.scrollTop === 0) return;
      observer.disconnect();
      box.scrollTop -= 1400;
      window.scrolledTo = ${place};
    }).observe(document, { childList: true, subtree: true })`);
    await page.reload();
    const scrolledTo = () => page.evaluate<{ seq: number } | undefined>('window.scrolledTo');
    await expect.poll(scrolledTo).toBeDefined();
    await page.getByRole('link', { name: 'Members' }).waitFor();
    await settled(page);
    expect((await placeIn(page)).seq).toBe((await scrolledTo())?.seq);
    await context.close();
  });

  it('the reading position is restored on a phone when the panel over it is closed', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}`, ...phone, as: me() });
    const before = await readOn(page);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.locator('.members li').first().waitFor();
    await page.waitForTimeout(300);
    await page.goBack();
    await expect.poll(() => placeIn(page).catch(() => undefined)).toEqual(before);
    await context.close();
  });
});

describe('a narrow screen', () => {
  it.each([
    ['a phone', 390],
    ['a tablet', 1_000],
  ])('a result of a search leads to its message, and the way back to the results: %s', async (_what, width) => {
    const needle = `needle${Math.random().toString(36).slice(2)}`;
    await aMessage(me(), long, { text: `a ${needle} in the hay` }, call);
    for (let at = 0; at < 15; at++) await aMessage(people[1] as Account, long, { text: `straw ${at}` }, call);
    const { page, context } = await visit({ path: `/rooms/${long}?panel=search`, width, height: 780, as: me() });
    await page.getByRole('searchbox', { name: 'Search messages' }).fill(needle);
    await page.keyboard.press('Enter');
    await page.locator('.results a', { hasText: needle }).click();
    const found = page.locator('.room-pane li.message.pointed', { hasText: needle });
    await found.waitFor();
    expect(await page.locator('.side').count()).toBe(0);
    await page.goBack();
    await page.locator('.side').getByRole('searchbox').waitFor();
    await context.close();
  });

  it('a date leads to its messages on a narrow screen', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}?panel=search`, ...phone, as: me() });
    await page.locator('.side').getByRole('button', { name: 'Date' }).click();
    await page.getByRole('menuitem', { name: 'Jump to a date…' }).click();
    await page.locator('input[name=date]').fill(new Date().toISOString().slice(0, 10));
    await page.getByRole('button', { name: 'Go', exact: true }).click();
    await page.locator('.room-pane li.message.pointed').waitFor();
    await page.getByRole('link', { name: 'Search in this room' }).click();
    await page.locator('.side').getByRole('searchbox').waitFor();
    await context.close();
  });

  it('a pinned message is shown in its place on a narrow screen', async () => {
    const room = await aRoom({ owner: me() });
    const { _id } = await aMessage(me(), room.id, { text: 'the plan' }, call);
    await call('PUT', `/api/messages/${_id.$oid}/pin`, { token: me().token, body: {} });
    const { page, context } = await visit({ path: `/rooms/${room.id}?panel=pins`, ...phone, as: me() });
    await page.locator('.results a').click();
    await page.locator('.room-pane li.message.pointed', { hasText: 'the plan' }).waitFor();
    await context.close();
  });
});

describe('a long list of rooms', () => {
  it('a long list of rooms shows the room that is open, however it was chosen', async () => {
    const owner = await anAccount();
    const first = await aRoom({ owner, name: 'The oldest' });
    for (let at = 0; at < 30; at++) await aRoom({ owner, name: `Room ${at}` });
    const { page, context } = await visit({ path: `/rooms/${first.id}`, as: owner });
    const current = page.locator('.rooms a[aria-current]');
    const isInView = () =>
      page.evaluate<boolean>(`(() => {
        const link = document.querySelector('.rooms a[aria-current]');
        const [row, list] = [link, link.closest('.rooms')].map((element) => element.getBoundingClientRect());
        return row.top > list.top - 1 && row.bottom < list.bottom + 1;
      })()`);
    await expect.poll(isInView).toBe(true);
    await page.keyboard.press('Control+k');
    await page.getByRole('option', { name: 'Room 29' }).click();
    await current.getByText('Room 29').waitFor();
    await expect.poll(isInView).toBe(true);
    await page.goBack();
    await current.getByText('The oldest').waitFor();
    await expect.poll(isInView).toBe(true);
    await context.close();
  });
});

describe('the actions of messages', () => {
  it('the actions of messages are shown for one message, even if another one has the focus', async () => {
    const { page, context } = await visit({ path: `/rooms/${long}`, as: me() });
    const rows = page.locator('.room-pane li.message');
    await rows.nth(20).waitFor();
    await rows.last().focus();
    await rows.nth(-3).hover();
    await page.locator('.room-pane li.message:nth-last-child(3) .actions').waitFor();
    expect(await page.locator('.actions').count()).toBe(1);
    await page.mouse.move(5, 5);
    await page.locator('.room-pane li.message:last-child .actions').waitFor();
    expect(await page.locator('.actions').count()).toBe(1);
    await context.close();
  });

  it('the actions of messages are not shown on a phone that has touched no message', async () => {
    const { page, context } = await visit(phone);
    await signIn(page, me());
    await page.locator('.rooms a', { hasText: 'Long' }).tap();
    await page.locator('.room-pane li.message').nth(20).waitFor();
    await page.waitForTimeout(500);
    expect(await page.locator('.actions').count()).toBe(0);
    await page.locator('.room-pane li.message .text').last().tap();
    await page.locator('.room-pane li.message:last-child .actions').waitFor();
    await context.close();
  });
});

describe('the time of a message', () => {
  it.each(['en-US', 'de-DE', 'ja-JP', 'ar-EG', 'ko-KR', 'bg-BG'])('the time of a message covers no text: %s', async (locale) => {
    const { owner, id } = await aRoom();
    for (const text of ['one', 'two']) await aMessage(owner, id, { text }, call);
    const { page, context } = await visit({ path: `/rooms/${id}`, options: { locale }, as: owner });
    await page.locator('.margin-time').waitFor();
    const [time, text] = await page.evaluate<[DOMRect, DOMRect]>(`(() => {
      const range = document.createRange();
      range.selectNodeContents(document.querySelector('.margin-time'));
      const text = document.querySelector('.grouped .text');
      return [range.getBoundingClientRect().toJSON(), text.getBoundingClientRect().toJSON()];
    })()`);
    const isRtl = locale.startsWith('ar');
    expect(isRtl ? text.right : time.right).toBeLessThanOrEqual(isRtl ? time.left : text.left);
    await context.close();
  });
});

describe('the address of a room', () => {
  it('the address of a room lets visitors join an open room, and tells them how to get into another', async () => {
    const [owner, visitor] = [await anAccount(), await anAccount()];
    const [open, closed] = [await aRoom({ owner, name: 'Kitchen' }), await aRoom({ owner, name: 'Cellar', is_open: false })];
    const message = await aMessage(owner, open.id, { text: 'Who is hungry?' }, call);
    const { page, context } = await visit({ path: `/rooms/${closed.id}`, as: visitor });
    await page.getByRole('heading', { name: 'Cellar', exact: true }).waitFor();
    await page.getByText('Ask one of its owners').waitFor();
    await goWithin(page, `/rooms/${open.id}/${message.seq}`);
    await page.getByRole('button', { name: 'Join this room' }).focus();
    await page.keyboard.press('Enter');
    await page.locator('.room-pane li.message', { hasText: 'Who is hungry?' }).waitFor();
    await context.close();
  });
});

describe('going back', () => {
  it('going back closes menus and dialogs, and asks before typed text is lost', async () => {
    const owner = me();
    const other = await aRoomOf([owner], { name: 'Elsewhere' });
    const { page, context, problems } = await visit({ path: `/rooms/${other}`, as: owner });
    const menu = page.getByRole('menu');
    const dialog = page.getByRole('dialog');
    const open = async () => {
      await page.locator(`.rooms a[href="/rooms/${long}"]`).click();
      await page.getByRole('heading', { name: 'Long', exact: true }).waitFor();
    };
    await open();
    await page.locator('.room-pane li.message').last().hover();
    await page.locator('.room-pane li.message').last().getByRole('button', { name: 'More actions' }).click();
    await menu.waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Elsewhere', exact: true }).waitFor();
    await menu.waitFor({ state: 'detached' });
    await open();
    await page.keyboard.press('Control+k');
    await dialog.waitFor();
    await page.goBack();
    await page.getByRole('heading', { name: 'Elsewhere', exact: true }).waitFor();
    await dialog.waitFor({ state: 'detached' });
    await open();
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.getByLabel('To:').fill('ann');
    await page.goBack();
    await dialog.getByRole('button', { name: 'Keep writing' }).click();
    expect(await dialog.getByLabel('To:').inputValue()).toBe('ann');
    expect(problems).toEqual([]);
    await context.close();
  });
});

it('a menu is closed by Escape wherever the focus is, as by the way back of a phone, and nothing else is', async () => {
  const { page, context, problems } = await visit({ path: `/rooms/${long}?panel=members`, as: me() });
  const menu = page.getByRole('menu');
  await page.locator('.room-pane li.message').last().hover();
  await page.locator('.room-pane li.message').last().getByRole('button', { name: 'More actions' }).click();
  await menu.waitFor();
  await page.evaluate('document.activeElement.blur()');
  await page.keyboard.press('Escape');
  await menu.waitFor({ state: 'detached' });
  expect([new URL(page.url()).search, problems]).toEqual(['?panel=members', []]);
  await context.close();
});
