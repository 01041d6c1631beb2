import type { CDPSession, Locator, Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { drawn, goWithin } from '../../../tools/harness/browser.ts';
import { call, visit, waitForCode } from './support.ts';

const phone = { width: 390, height: 700, options: { hasTouch: true, isMobile: true } };

/** Somebody on a phone, in a room with more messages than it shows. */
async function onAPhone() {
  const [me, other] = [await anAccount(), await anAccount()];
  const name = 'Bartholomew Featherstonehaugh-Cholmondeley of Upper Marjoribanks';
  await call('PATCH', '/api/users/me', { token: other.token, body: { name } });
  const room = await aRoom({ owner: other, members: [me], name: 'Plans' });
  for (let at = 0; at < 20; at++) await aMessage(other, room.id, { text: `message ${at}\n\nwith more` }, call);
  const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, ...phone, as: me });
  await row(page, 'message 19').waitFor();
  // The code for long presses is loaded late.
  await waitForCode(page, 'long-press');
  await drawn(page);
  return { page, context, problems, me, other, room, finger: await context.newCDPSession(page) };
}

const row = (page: Page, text: string) => page.locator('.room-pane li.message', { hasText: text });
const menu = (page: Page) => page.getByRole('menu', { name: 'More actions' });

const touch = (finger: CDPSession, type: 'touchStart' | 'touchMove' | 'touchEnd', ...touchPoints: { x: number; y: number }[]) =>
  finger.send('Input.dispatchTouchEvent', { type, touchPoints });

async function middleOf(target: Locator): Promise<{ x: number; y: number }> {
  await target.scrollIntoViewIfNeeded();
  const { x, y, width, height } = (await target.boundingBox()) as { x: number; y: number; width: number; height: number };
  return { x: x + width / 2, y: y + height / 2 };
}

/** Presses until the menu is there, and lets go. */
async function pressLong({ page, finger }: { page: Page; finger: CDPSession }, target: Locator): Promise<void> {
  await touch(finger, 'touchStart', await middleOf(target));
  await menu(page).waitFor();
  await touch(finger, 'touchEnd');
}

describe('a long press on a message', () => {
  it('a long press on a message opens the menu of all its actions at the lower edge, in rows that a thumb hits, and selects nothing', async () => {
    const all = await onAPhone();
    const { page, context, problems } = all;
    // With the keyboard of the phone open, too.
    await page.locator('.room-pane .composer textarea').tap();
    await pressLong(all, row(page, 'message 19').locator('p').last());
    const items = await menu(page).getByRole('menuitem').all();
    for (const item of items) expect((await item.boundingBox())?.height).toBeGreaterThanOrEqual(48);
    const labels = await Promise.all(items.slice(3).map((item) => item.textContent()));
    expect(labels.map((label) => label?.trim())).toEqual([
      'React',
      'Reply in a thread',
      'Copy text',
      'Copy link',
      'Save',
      'Remind me',
      'Quote',
      'Forward',
      'Mark as unread from here',
    ]);
    const box = await menu(page).boundingBox();
    expect((box?.y ?? 0) + (box?.height ?? 0)).toBeGreaterThan(phone.height - 16);
    expect(await page.evaluate('getSelection().toString()')).toBe('');
    await menu(page).getByRole('menuitem').first().tap();
    await row(page, 'message 19').locator('.reaction[aria-pressed]').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a long press on a message shows the text to copy if the page may not copy it', async () => {
    const all = await onAPhone();
    const { page, context } = all;
    await page.evaluate("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
    await pressLong(all, row(page, 'message 18').locator('p').last());
    await page.getByRole('menuitem', { name: 'Copy text' }).tap();
    await page.getByRole('dialog').getByText('message 18').waitFor();
    await context.close();
  });

  it('a long press on a link in a message opens the menu, and a tap opens the link', async () => {
    const all = await onAPhone();
    const { page, context, other, room } = all;
    await aMessage(other, room.id, { text: `the [first one](${new URL(page.url()).origin}/rooms/${room.id}/1)` }, call);
    const link = row(page, 'first one').getByRole('link', { name: 'first one' });
    await link.waitFor();
    await pressLong(all, link);
    expect(new URL(page.url()).pathname).toBe(`/rooms/${room.id}`);
    await page.touchscreen.tap(200, 30);
    await menu(page).waitFor({ state: 'detached' });
    await link.tap();
    await page.waitForURL((url) => url.pathname === `/rooms/${room.id}/1`);
    await context.close();
  });

  it('a long press on a message does nothing while the finger scrolls', async () => {
    const { page, context, finger } = await onAPhone();
    const { x, y } = await middleOf(row(page, 'message 18'));
    // At once, as a finger that rests half a second presses.
    await Promise.all([touch(finger, 'touchStart', { x, y }), touch(finger, 'touchMove', { x, y: y + 20 })]);
    for (let moved = 40; moved <= 200; moved += 20) await touch(finger, 'touchMove', { x, y: y + moved });
    // Longer than a long press.
    await page.waitForTimeout(1_000);
    await touch(finger, 'touchEnd');
    expect(await menu(page).count()).toBe(0);
    await context.close();
  });
});

it('the button of a message covers no long name on a phone, and opens the same menu', async () => {
  const { page, context } = await onAPhone();
  await page.locator('.room-pane .messages').evaluate('(box) => { box.scrollTop = 0; }');
  const first = page.locator('.room-pane li.message').first();
  await first.locator('.text').first().tap();
  const button = first.getByRole('button', { name: 'More actions' });
  const [shown, name] = [await button.boundingBox(), await first.locator('.meta .author').boundingBox()];
  expect((name?.x ?? 0) + (name?.width ?? 0)).toBeLessThanOrEqual(shown?.x ?? 0);
  expect([shown?.width, shown?.height]).toEqual([44, 44]);
  await button.tap();
  await menu(page).getByRole('menuitem', { name: 'Reply in a thread' }).waitFor();
  await context.close();
});

it('the buttons of a phone are at least 44 pixels wide and high, also those of the header', async () => {
  const { page, context, room } = await onAPhone();
  /** The buttons of a place that a thumb may miss, by their names. */
  const small = (place: string) =>
    page
      .locator(place)
      .locator(':is(a, button):visible:not(.link)')
      .evaluateAll((all) =>
        all
          .map((button) => ({ button, box: button.getBoundingClientRect() }))
          .filter(({ box }) => box.width > 0 && (box.width < 44 || box.height < 44))
          .map(({ button, box }) => `${button.getAttribute('title') ?? button.textContent}: ${box.width} x ${box.height}`),
      );
  expect(await small('.room-pane .bar')).toEqual([]);
  for (const panel of ['members', 'search', 'details']) {
    await goWithin(page, `/rooms/${room.id}?panel=${panel}`);
    await page.locator('.side .bar :is(a, button)').first().waitFor();
    expect(await small('.side .bar')).toEqual([]);
  }
  await goWithin(page, '/settings/profile');
  await page.getByRole('button', { name: 'Change name' }).waitFor();
  expect(await small('main')).toEqual([]);
  await context.close();
});
