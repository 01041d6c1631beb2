import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, openPage, say, serveUrl, signIn, visit } from './support.ts';

/** A signed-in user with an unread room, and another member of it. */
async function newcomer() {
  const other = await anAccount();
  const room = await aRoom({ members: [other] });
  await aMessage(room.owner, room.id, { text: 'said before' }, call);
  const { page, context } = await visit({ path: '/directory', as: room.owner });
  await page.locator('.rooms li').first().waitFor();
  return { room, other, page, context, asked: askedOf(page, room.id) };
}

/** The requests for a room's newest messages and its cursor, from now on. */
function askedOf(page: Page, room: string): string[] {
  const addresses = [`/api/messages?room=${room}&limit=50&is_in_room=true`, `/api/events?room=${room}`];
  const asked: string[] = [];
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (addresses.includes(`${pathname}${search}`)) asked.push(pathname);
  });
  return asked;
}

/**
 * Lets a page load all but the script that draws it, which comes when the function is called that
 * this returns.
 */
async function holdBack(page: Page): Promise<() => void> {
  let release = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/assets/index-*.js', async (route) => {
    await held;
    await route.continue();
  });
  return release;
}

describe('a room that is opened by its address', () => {
  it('a room that is opened by its address is requested once, while the page is loaded, if the browser has no copy of it', async () => {
    const { room, page, context, asked } = await newcomer();
    const release = await holdBack(page);
    await page.goto(`${serveUrl}/rooms/${room.id}`, { waitUntil: 'commit' });
    await expect.poll(() => asked.toSorted()).toEqual(['/api/events', '/api/messages']);
    release();
    await page.locator('.room-pane li.message', { hasText: 'said before' }).waitFor();
    await say(page, 'said now');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'said now' }).waitFor();
    // And again after the cursor, for changes in between.
    await expect.poll(() => asked.toSorted()).toEqual(['/api/events', '/api/messages', '/api/messages']);
    await context.close();
  });

  it('a room that is opened by its address is not requested again if the browser has a copy of it', async () => {
    const { room, page, context, asked } = await newcomer();
    await page.goto(`${serveUrl}/rooms/${room.id}`);
    await page.locator('.room-pane li.message', { hasText: 'said before' }).waitFor();
    await say(page, 'said now');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'said now' }).waitFor();
    await expect.poll(() => page.evaluate(`localStorage.getItem('chat-kept-${room.owner.id}')`)).toContain(room.id);
    const before = asked.length;
    await page.reload();
    await page.locator('.room-pane li.message', { hasText: 'said now' }).waitFor();
    await say(page, 'said last');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'said last' }).waitFor();
    expect(asked.slice(before)).toEqual([]);
    await context.close();
  });

  it('a room that is opened by its address leads to the sign-in page if the session has ended, and opens after that', async () => {
    const { room, page, context } = await newcomer();
    await page.evaluate("fetch('/api/sessions/current', { method: 'DELETE' })");
    await page.goto(`${serveUrl}/rooms/${room.id}`);
    await page.getByLabel('Password').waitFor();
    await page.getByLabel('Password').fill(room.owner.password);
    await page.getByRole('button', { name: 'Sign in', exact: true }).click();
    await page.locator('.room-pane li.message', { hasText: 'said before' }).waitFor();
    await context.close();
  });

  it('a room that is opened by its address is requested again for someone else who has meanwhile signed in in another tab', async () => {
    const { room, other, page, context, asked } = await newcomer();
    const release = await holdBack(page);
    await page.goto(`${serveUrl}/rooms/${room.id}`, { waitUntil: 'commit' });
    await expect.poll(() => asked.toSorted()).toEqual(['/api/events', '/api/messages']);
    await context.clearCookies();
    // There, the tab keeps no copy of the room.
    const { page: tab } = await openPage(context, `${serveUrl}/directory`);
    await tab.evaluate("localStorage.removeItem('chat-user')");
    await tab.reload();
    await signIn(tab, other);
    await tab.locator('.rooms li').first().waitFor();
    release();
    await page.locator('.room-pane li.message', { hasText: 'said before' }).waitFor();
    await expect.poll(() => asked.filter((path) => path === '/api/events')).toHaveLength(2);
    await context.close();
  });
});

describe('a page that is opened by its address', () => {
  it('a page that is opened by its address moves nothing that it has shown', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [bob] });
    for (let at = 0; at < 3; at++) await aMessage(bob, room.id, { text: `message ${at}` }, call);
    const { page, context } = await visit({ path: '/directory', as: ann });
    await page.addInitScript(`
      window.shift = 0;
      new PerformanceObserver((list) => {
        for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.shift += value;
      }).observe({ type: 'layout-shift', buffered: true });`);
    // Slow answers show one part of the page after the other.
    await page.route(/\/api\/(blocks|members|messages|rooms\/\w+\/webhooks)\b/, async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 300));
      await route.continue();
    });
    const panels = ['members', 'details', 'search', 'integrations'].map((panel) => `/rooms/${room.id}?panel=${panel}`);
    const moved: [string, unknown][] = [];
    for (const path of [...panels, '/settings/profile']) {
      await page.goto(`${serveUrl}${path}`, { waitUntil: 'networkidle' });
      moved.push([path, await page.evaluate('window.shift')]);
    }
    expect(moved.filter(([, shift]) => !(Number(shift) < 0.01))).toEqual([]);
    await context.close();
  });
});
