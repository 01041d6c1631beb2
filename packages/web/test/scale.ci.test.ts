import type { Page, Route } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { browser } from '../../../test/support/browser.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, succeed } from '../../../test/support/rooms.ts';
import { call, signIn, visit } from './support.ts';

const many = 1_000;
const idOf = (number: number) => number.toString(16).padStart(24, '7');

type Membership = Record<string, unknown> & { room_name: string };

/** Answers with a thousand memberships; only the last one is real. */
function withMany(mine: Membership): (route: Route) => Promise<void> {
  const all: Membership[] = Array.from({ length: many - 1 }, (_, at) => ({
    ...mine,
    _id: { $oid: idOf(at) },
    room: { $oid: idOf(many + at) },
    room_name: `Another room ${String(at).padStart(3, '0')}`,
    unread: at % 3,
  }));
  all.push(mine);
  return (route) => {
    const url = new URL(route.request().url());
    if (url.searchParams.get('user') !== 'me') return route.continue();
    const [at, limit] = [Number(url.searchParams.get('after') ?? 0), Number(url.searchParams.get('limit'))];
    const isMore = at + limit < many;
    const next = `</api/members?user=me&limit=${limit}&after=${at + limit}>; rel="next"`;
    const headers = { 'X-Next-Cursor': '0.1', ...(isMore && { Link: next }) };
    return route.fulfill({ json: all.slice(at, at + limit), headers });
  };
}

const drawnRooms = (page: Page) => page.locator('.rooms section li').count();

/** Counts the rows of the list in which something changes from now on. */
const watchRows = (page: Page) =>
  page.evaluate(`
    window.changedRows = new Set();
    new MutationObserver((records) => {
      for (const { target } of records) {
        const row = (target.closest ? target : target.parentElement).closest('.rooms li');
        if (row) window.changedRows.add(row.textContent);
      }
    }).observe(document.querySelector('.rooms'), { subtree: true, childList: true, characterData: true, attributes: true });`);

/** The most elements whose styles are computed at a time meanwhile. */
async function countStyled(page: Page, act: () => Promise<unknown>): Promise<number> {
  const own = await browser();
  await own.startTracing(page, { categories: ['devtools.timeline'] });
  await act();
  const { traceEvents } = JSON.parse(String(await own.stopTracing())) as { traceEvents: TraceEvent[] };
  const counts = traceEvents.flatMap(({ name, args }) => (name === 'UpdateLayoutTree' ? [args?.elementCount ?? 0] : []));
  return Math.max(0, ...counts);
}

type TraceEvent = { name: string; args?: { elementCount?: number } };

describe('a thousand rooms', () => {
  it('a thousand rooms are drawn part by part, and what happens in one of them draws no other again', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner, name: 'Zebra' });
    for (let at = 0; at < 5; at++) await aMessage(owner, room.id, { text: `message ${at}` }, call);
    const [mine] = (await succeed(call('GET', '/api/members?user=me', { token: owner.token }))).body as [Membership];
    const { page, context, problems } = await visit({ path: '/login' });
    await page.route('**/api/members?**', withMany(mine));
    await page.addInitScript(`
      window.firstDrawn = new Promise((resolve) => {
        const look = () => {
          const { length } = document.querySelectorAll('.rooms section li');
          return length > 0 ? resolve(length) : requestAnimationFrame(look);
        };
        look();
      });`);
    await signIn(page, owner);
    // After signing in, the page may have opened a room by itself.
    await page.goto(new URL(`/rooms/${room.id}`, page.url()).href);
    expect(await page.evaluate('window.firstDrawn')).toBeLessThanOrEqual(250);
    await expect.poll(() => drawnRooms(page)).toBe(many);
    // The room that is open is the last one of a long list, and in view.
    const current = page.locator('.rooms a[aria-current=page]');
    expect(await current.textContent()).toContain('Zebra');
    await expect.poll(() => current.evaluate((link) => link.getBoundingClientRect().bottom < innerHeight)).toBe(true);
    await page.getByRole('button', { name: /unread above/ }).waitFor();
    await watchRows(page);
    await page.locator('.room-pane .composer textarea').pressSequentially('a message');
    await page.keyboard.press('Enter');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'a message' }).waitFor();
    await page.waitForTimeout(500);
    const changed = (await page.evaluate('[...window.changedRows]')) as string[];
    expect([changed.filter((text) => !text.includes('Zebra')), problems]).toEqual([[], []]);
    // A dialog makes the page inert: the rows in view get new styles, a dozen elements each.
    const styled = await countStyled(page, async () => {
      await page.keyboard.press('Control+k');
      await page.getByRole('combobox').waitFor();
    });
    expect(styled).toBeGreaterThan(100);
    expect(styled).toBeLessThan(4_000);
    await context.close();
  });

  it('emoji are drawn when they come near', async () => {
    const { owner, id } = await aRoom();
    const { page, context } = await visit({ path: `/rooms/${id}`, as: owner });
    await page.getByRole('button', { name: 'Choose an emoji' }).click();
    const drawn = () => page.locator('.emoji-grid button').count();
    await expect.poll(drawn).toBeGreaterThan(50);
    expect(await drawn()).toBeLessThan(250);
    await page.getByRole('button', { name: 'Flags' }).click();
    await page.getByRole('button', { name: 'flag: Germany' }).scrollIntoViewIfNeeded();
    expect(await drawn()).toBeLessThan(900);
    // In the tone of skin that was chosen, also the next time.
    await page.getByRole('searchbox', { name: 'Find an emoji' }).fill('thumbs up');
    await page.getByRole('combobox', { name: 'Skin tone' }).selectOption({ index: 3 });
    await page.getByRole('button', { name: 'thumbs up', exact: true }).hover();
    await page.locator('.emoji-marked', { hasText: 'thumbs up' }).waitFor();
    await page.getByRole('button', { name: 'thumbs up', exact: true }).click();
    expect(await page.locator('.room-pane .composer textarea').inputValue()).toBe('👍🏽');
    await context.close();
  });
});
