import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import type { Member } from '../../../lib/members/members.ts';
import { anAccount } from '../../../test/support/accounts.ts';
import { browser } from '../../../test/support/browser.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, memberId, succeed } from '../../../test/support/rooms.ts';
import { drawn, type HeldAnswer, holdAnswer, interceptRequests } from '../../../tools/harness/browser.ts';
import {
  call,
  countEffort,
  openPage,
  serveUrl,
  signIn,
  type Visit,
  type VisitSettings,
  visit,
  waitForConnection,
} from './support.ts';

/** The names in each part of the list. */
const list = (page: Page) =>
  page.evaluate<[string, string[]][]>(
    `[...document.querySelectorAll('.rooms section')].map((part) => [
      part.querySelector('.fold').textContent,
      [...part.querySelectorAll('.room .name')].map((name) => name.textContent),
    ])`,
  );

const actionsFor = (page: Page, name: string) => page.locator('.rooms').getByRole('button', { name: `Actions for ${name}` });

describe('the list of rooms', () => {
  it('the list of rooms keeps its order: rooms by name, conversations by their last message', async () => {
    const [owner, one, other] = [await anAccount(), await anAccount(), await anAccount()];
    for (const name of ['beta', 'Alpha', 'Room 10', 'Room 9']) await aRoom({ owner, members: [one], name });
    const rooms = (await call('GET', '/api/members?user=me', { token: owner.token })).body as {
      room: { $oid: string };
      room_name: string;
    }[];
    const idOf = (name: string) => rooms.find(({ room_name }) => room_name === name)?.room.$oid ?? '';
    const talks: string[] = [];
    for (const { token } of [one, other]) {
      const { body } = await call('POST', '/api/conversations', { token, body: { users: [owner.username] } });
      talks.push((body as { _id: { $oid: string } })._id.$oid);
    }
    await aMessage(one, talks[0] ?? '', { text: 'first' }, call);
    await aMessage(other, talks[1] ?? '', { text: 'second' }, call);
    const { page, context } = await visit({ path: '/directory', as: owner });
    const sorted = ['Alpha', 'beta', 'Room 9', 'Room 10'];
    await expect
      .poll(() => list(page))
      .toEqual([
        ['Rooms', sorted],
        ['Direct messages', [other.username, one.username]],
      ]);
    await aMessage(one, idOf('Room 10'), { text: 'for everyone' }, call);
    await aMessage(one, idOf('beta'), { text: `for @${owner.username}` }, call);
    await aMessage(one, talks[0] ?? '', { text: 'third' }, call);
    await expect
      .poll(() => list(page))
      .toEqual([
        ['Rooms', sorted],
        ['Direct messages', [one.username, other.username]],
      ]);
    // Unread rooms are bold; a number counts the messages for me.
    const rowOf = (name: string) => page.locator('.rooms li', { hasText: name });
    await rowOf('beta').locator('.count').getByText('1').waitFor();
    expect([await rowOf('Room 10').locator('.unread').count(), await rowOf('Room 10').locator('.count').count()]).toEqual([1, 0]);
    await rowOf(one.username).locator('.count').getByText('2').waitFor();
    await context.close();
  });

  it('the list of rooms has favourites first, which take two clicks and appear on every device', async () => {
    const owner = await anAccount();
    for (const name of ['Alpha', 'beta']) await aRoom({ owner, name });
    const { page, context } = await visit({ path: '/directory' });
    const elsewhere = await visit({ path: '/directory' });
    const isConnected = waitForConnection(elsewhere.page);
    await signIn(page, owner);
    await signIn(elsewhere.page, owner);
    await isConnected;
    await expect
      .poll(() => list(elsewhere.page))
      .toEqual([
        ['Rooms', ['Alpha', 'beta']],
        ['Direct messages', []],
      ]);
    await page.locator('.rooms li', { hasText: 'beta' }).hover();
    await actionsFor(page, 'beta').click();
    await page.getByRole('menuitem', { name: 'Add to favourites' }).click();
    const wanted = [
      ['Favourites', ['beta']],
      ['Rooms', ['Alpha']],
      ['Direct messages', []],
    ];
    await expect.poll(() => list(page)).toEqual(wanted);
    await expect.poll(() => list(elsewhere.page)).toEqual(wanted);
    await page.reload();
    await expect.poll(() => list(page)).toEqual(wanted);
    await Promise.all([context.close(), elsewhere.context.close()]);
  });

  it('the list of rooms has a menu for each room that works by keyboard, and that gives the focus back', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner, name: 'Alpha' });
    await aMessage(owner, room.id, { text: 'Hello' }, call);
    const { page, context, problems } = await visit({ path: '/directory', as: owner });
    await page.locator('.rooms a', { hasText: 'Alpha' }).focus();
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('Enter');
    const focused = () => page.evaluate<string>('document.activeElement.textContent.trim()');
    await expect.poll(focused).toBe('Add to favourites');
    await page.keyboard.press('ArrowDown');
    expect(await focused()).toBe('Mute');
    await page.keyboard.press('ArrowUp');
    await page.keyboard.press('ArrowUp');
    expect(await focused()).toBe('Leave this room');
    await page.keyboard.press('Escape');
    await page.locator('[role=menu]').waitFor({ state: 'detached' });
    await actionsFor(page, 'Alpha').and(page.locator(':focus')).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.locator('.rooms li', { hasText: 'Alpha' }).locator('.icon').nth(1).waitFor();
    await expect
      .poll(async () => (await call('GET', '/api/members?user=me', { token: owner.token })).body)
      .toMatchObject([{ is_muted: true }]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the list of rooms has unread rooms first where that is chosen, and a name of any length on one line', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    await succeed(
      call('PATCH', '/api/users/me', { token: owner.token, body: { name: 'Bartholomew Maximilian Featherstonehaugh' } }),
    );
    for (const name of ['Alpha', 'Beta', 'Gamma']) {
      const room = await aRoom({ owner, members: [other], name });
      if (name === 'Gamma') await aMessage(other, room.id, { text: 'new' }, call);
    }
    const { page, context, problems } = await visit({ path: '/directory', as: owner });
    const names = () => page.locator('.rooms section li .name').allTextContents();
    await expect.poll(names).toEqual(['Alpha', 'Beta', 'Gamma']);
    const choose = async (name: string) => {
      await page.locator('.sidebar').getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name }).click();
    };
    await choose('Show unread rooms first');
    await expect.poll(names).toEqual(['Gamma', 'Alpha', 'Beta']);
    // It stays there while it is open and being read.
    await page.locator('.rooms a', { hasText: 'Gamma' }).click();
    await page.locator('.rooms a.unread').waitFor({ state: 'detached' });
    expect(await names()).toEqual(['Gamma', 'Alpha', 'Beta']);
    await page.locator('.rooms a', { hasText: 'Beta' }).click();
    await expect.poll(names).toEqual(['Alpha', 'Beta', 'Gamma']);
    await choose('Sort rooms by name');
    const [face, who] = [page.locator('.sidebar footer .avatar'), page.locator('.sidebar footer .who')];
    const [faceBox, whoBox] = [await face.boundingBox(), await who.boundingBox()];
    expect(whoBox?.height).toBeLessThan(28);
    expect(whoBox?.x).toBeGreaterThan((faceBox?.x ?? 0) + (faceBox?.width ?? 0));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('the list of rooms has room for rooms on a screen that is low, as at twice the size or on a phone on its side', async () => {
    const owner = await anAccount();
    for (let n = 1; n <= 12; n++) await aRoom({ owner, name: `Room ${n}` });
    const { page, context } = await visit({ path: '/', width: 640, height: 400, as: owner });
    await page.locator('.rooms .room').nth(11).waitFor();
    // How many can be seen, and pressed, at the same time.
    const most = await page.evaluate<number>(`(() => {
      const list = document.querySelector('.rooms');
      const isShown = (row) => {
        const { left, top, bottom } = row.getBoundingClientRect();
        return [top + 4, bottom - 4].every((y) => row.contains(document.elementFromPoint(left + 40, y)));
      };
      const counts = [];
      for (list.scrollTop = 0; counts.length < 40; list.scrollTop += 20)
        counts.push([...list.querySelectorAll('.room')].filter((row) => row.matches('section .room') && isShown(row)).length);
      return Math.max(...counts);
    })()`);
    expect(most).toBeGreaterThanOrEqual(4);
    await context.close();
  });

  it('the list of rooms names muted rooms for screen readers, and shows the whole of a name that is cut off', async () => {
    const owner = await anAccount();
    const name = 'Project Alpha, the working group for the northern region';
    const room = await aRoom({ owner, name });
    await call('PATCH', `/api/members/${await memberId(room, owner)}`, { token: owner.token, body: { is_muted: true } });
    const { page, context } = await visit({ path: '/', as: owner });
    await page.getByRole('link', { name: `${name} Muted` }).waitFor();
    await page.locator('.rooms').getByTitle(name, { exact: true }).waitFor();
    await context.close();
  });

  it('a folded list of rooms still shows mentions and drafts', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const alpha = await aRoom({ owner, members: [other], name: 'Alpha' });
    await aRoom({ owner, name: 'beta' });
    const { page, context } = await visit({ path: `/rooms/${alpha.id}`, as: owner });
    await page.locator('.room-pane textarea').fill('to be said');
    await page.locator('.rooms a', { hasText: 'beta' }).click();
    await page.locator('.rooms a', { hasText: /Alpha.*Draft/ }).waitFor();
    await page.getByRole('button', { name: 'Rooms', exact: true }).click();
    await expect
      .poll(() => list(page))
      .toEqual([
        ['Rooms', ['beta']],
        ['Direct messages', []],
      ]);
    await aMessage(other, alpha.id, { text: `@${owner.username}` }, call);
    await expect
      .poll(() => list(page))
      .toEqual([
        ['Rooms', ['Alpha', 'beta']],
        ['Direct messages', []],
      ]);
    await page.reload();
    await page.locator('.rooms a', { hasText: 'Alpha' }).waitFor();
    await page.getByRole('button', { name: 'Rooms', exact: true, expanded: false }).click();
    await context.close();
  });
});

/** A user with these favourites, on several devices. */
async function withFavourites(names: readonly string[], devices: readonly VisitSettings[]) {
  const owner = await anAccount();
  const ids = new Map<string, string>();
  for (const name of [...names, 'other']) {
    const room = await aRoom({ owner, name });
    const path = `/api/members/${await memberId(room, owner)}`;
    ids.set(name, path);
    if (name !== 'other') await succeed(call('PATCH', path, { token: owner.token, body: { is_favourite: true } }));
  }
  const visits: Visit[] = [];
  for (const device of devices) {
    const opened = await visit({ path: '/', ...device });
    const isConnected = waitForConnection(opened.page);
    await signIn(opened.page, owner);
    await isConnected;
    await expect.poll(() => favourites(opened.page)).toEqual(names);
    // The code that moves them is loaded when somebody points there, or a moment after all else.
    await opened.page.locator('.rooms').hover();
    await opened.page.locator('.rooms .draggable').waitFor({ state: 'attached' });
    visits.push(opened);
  }
  const patch = (name: string, body: object) => call('PATCH', ids.get(name) as string, { token: owner.token, body });
  return { owner, visits, pages: visits.map(({ page }) => page), patch, close: () => closeAll(visits) };
}

const closeAll = async (visits: readonly Visit[]) => {
  for (const { context, problems } of visits) {
    expect(problems).toEqual([]);
    await context.close();
  }
};

const favourites = async (page: Page) => (await list(page)).find(([part]) => part === 'Favourites')?.[1];
const row = (page: Page, name: string) => page.locator('.rooms li', { has: page.locator(`a:has-text("${name}")`) });

/** Drags one row to where another is, with the mouse. */
async function drag(page: Page, from: string, to: string, meanwhile: () => Promise<unknown> = async () => {}) {
  const [start, end] = [await row(page, from).boundingBox(), await row(page, to).boundingBox()];
  if (!start || !end) throw new Error('no such row');
  const x = start.x + 60;
  await page.mouse.move(x, start.y + start.height / 2);
  await page.mouse.down();
  await page.mouse.move(x, start.y + start.height / 2 + 6, { steps: 2 });
  await page.mouse.move(x + 40, end.y + end.height / 2, { steps: 6 });
  await meanwhile();
  await page.mouse.up();
}

/** Holds the answers to the next two requests for a list. */
async function holdLists(page: Page): Promise<[HeldAnswer, HeldAnswer]> {
  // Of two that hold, the newer one has the first request.
  const second = await holdAnswer(page, '**/api/members?*');
  return [await holdAnswer(page, '**/api/members?*'), second];
}

describe('favourites', () => {
  it('favourites are dragged into an order that all devices show, and that stands still', async () => {
    const { pages, patch, owner, close } = await withFavourites(['Alpha', 'beta', 'Gamma', 'Delta'].sort(byName), [{}, {}]);
    const [page, other] = pages as [Page, Page];
    await expect.poll(() => favourites(page)).toEqual(['Alpha', 'beta', 'Delta', 'Gamma']);
    const here = page.url();
    await drag(page, 'Gamma', 'Alpha');
    const first = ['Gamma', 'Alpha', 'beta', 'Delta'];
    expect(await favourites(page)).toEqual(first);
    // It was no click: the room did not open.
    expect(page.url()).toBe(here);
    await expect.poll(() => favourites(other)).toEqual(first);
    await drag(other, 'Alpha', 'Delta');
    const second = ['Gamma', 'beta', 'Delta', 'Alpha'];
    for (const one of pages) await expect.poll(() => favourites(one)).toEqual(second);
    // Neither messages nor another favourite move those that have their places.
    const rooms = (await call('GET', '/api/members?user=me', { token: owner.token })).body as Member[];
    const idOf = (name: string) => rooms.find(({ room_name }) => room_name === name)?.room.$oid ?? '';
    await aMessage(owner, idOf('Delta'), { text: 'new' }, call);
    await succeed(patch('other', { is_favourite: true }));
    for (const one of pages) await expect.poll(() => favourites(one)).toEqual([...second, 'other']);
    await page.reload();
    await expect.poll(() => favourites(page)).toEqual([...second, 'other']);
    await close();
  });

  it('favourites stay where they are when a drag is given up, or another device changes them meanwhile', async () => {
    const { pages, patch, close } = await withFavourites(['Alpha', 'beta', 'Gamma'], [{}]);
    const [page] = pages as [Page];
    await drag(page, 'Gamma', 'Alpha', () => page.keyboard.press('Escape'));
    expect(await favourites(page)).toEqual(['Alpha', 'beta', 'Gamma']);
    await drag(page, 'Gamma', 'Alpha', async () => {
      await succeed(patch('beta', { is_favourite: false }));
      await expect.poll(() => favourites(page)).toEqual(['Alpha', 'Gamma']);
      await page.mouse.move(60, 300);
    });
    expect(await favourites(page)).toEqual(['Alpha', 'Gamma']);
    expect(await page.locator('.dragging, .dragged, .rooms li[style*=px]').count()).toBe(0);
    // A click is still a click.
    await row(page, 'Alpha').locator('a').click();
    await page.getByPlaceholder('Message Alpha').waitFor();
    await close();
  });

  it('favourites are moved by the menu, which announces their new place and keeps the focus', async () => {
    const { pages, close } = await withFavourites(['Alpha', 'beta', 'Gamma'], [{}]);
    const [page] = pages as [Page];
    const choose = async (name: string, entry: string) => {
      await actionsFor(page, name).focus();
      await page.keyboard.press('Enter');
      await page.getByRole('menuitem', { name: entry, exact: true }).focus();
      await page.keyboard.press('Enter');
      await actionsFor(page, name).and(page.locator(':focus')).waitFor();
    };
    await choose('Alpha', 'Move down');
    await expect.poll(() => favourites(page)).toEqual(['beta', 'Alpha', 'Gamma']);
    await page.locator('[role=log]', { hasText: 'Alpha: 2 of 3 favourites' }).waitFor({ state: 'attached' });
    await choose('Alpha', 'Move down');
    await expect.poll(() => favourites(page)).toEqual(['beta', 'Gamma', 'Alpha']);
    await choose('Gamma', 'Move up');
    await expect.poll(() => favourites(page)).toEqual(['Gamma', 'beta', 'Alpha']);
    await actionsFor(page, 'Gamma').and(page.locator(':focus')).waitFor();
    await actionsFor(page, 'Gamma').press('Enter');
    await page.getByRole('menuitem', { name: 'Move down' }).waitFor();
    expect(await page.getByRole('menuitem', { name: 'Move up' }).count()).toBe(0);
    await page.keyboard.press('Escape');
    await page.reload();
    await expect.poll(() => favourites(page)).toEqual(['Gamma', 'beta', 'Alpha']);
    await close();
  });

  it('favourites stay where they were moved, and rooms stay muted, when a list from before that arrives after it', async () => {
    const { pages, patch, close } = await withFavourites(['Alpha', 'beta', 'Gamma'], [{}]);
    const [page] = pages as [Page];
    const choose = async (entry: string) => {
      await actionsFor(page, 'Alpha').click();
      const stored = page.waitForResponse((response) => response.request().method() === 'PATCH');
      await page.getByRole('menuitem', { name: entry, exact: true }).click();
      await (await stored).finished();
      await drawn(page);
    };
    // A change elsewhere has the page ask for a list.
    let lists = await holdLists(page);
    await succeed(patch('Gamma', { favourite_order: 2 ** 40 }));
    await lists[0].answered;
    await choose('Move down');
    // The page has stored the move, and reads the list again.
    await lists[1].answered;
    for (const { release } of lists) {
      await release();
      expect(await favourites(page)).toEqual(['beta', 'Alpha', 'Gamma']);
    }
    lists = await holdLists(page);
    await succeed(patch('Gamma', { favourite_order: 2 ** 41 }));
    await lists[0].answered;
    await choose('Mute');
    for (const { release } of lists) {
      await release();
      expect(await row(page, 'Alpha').getByText('Muted').count()).toBe(1);
    }
    await close();
  });

  it('favourites are moved by a finger that rests on one first; one that moves at once scrolls, and one that only rests opens the menu', async () => {
    const phone = { width: 390, height: 780, options: { hasTouch: true, isMobile: true } };
    const { pages, visits, close } = await withFavourites(['Alpha', 'beta', 'Gamma'], [phone]);
    const [page] = pages as [Page];
    const session = await visits[0]?.context.newCDPSession(page);
    const touch = async (type: 'touchStart' | 'touchMove' | 'touchEnd', x = 0, y = 0) =>
      void (await session?.send('Input.dispatchTouchEvent', { type, touchPoints: type === 'touchEnd' ? [] : [{ x, y }] }));
    const middle = async (name: string) => {
      const box = await row(page, name).boundingBox();
      if (!box) throw new Error('no such row');
      return [box.x + 80, box.y + box.height / 2] as const;
    };
    const [x, from] = await middle('Gamma');
    const [, to] = await middle('Alpha');
    // At once, as a finger that rests drags.
    await Promise.all([touch('touchStart', x, from), touch('touchMove', x, from - 12)]);
    for (let y = from - 24; y > to; y -= 12) await touch('touchMove', x, y);
    await touch('touchEnd');
    expect(await favourites(page)).toEqual(['Alpha', 'beta', 'Gamma']);
    // A finger that comes while the list still moves stops that, and nothing else.
    await page.waitForTimeout(1_500);
    await touch('touchStart', x, from);
    await page.locator('.dragged').waitFor();
    for (let y = from; y > to; y -= 12) await touch('touchMove', x, y);
    await touch('touchMove', x, to);
    await touch('touchEnd');
    await expect.poll(() => favourites(page)).toEqual(['Gamma', 'Alpha', 'beta']);
    await touch('touchStart', x, from);
    await page.locator('.dragged').waitFor();
    await touch('touchEnd');
    await page.getByRole('menu', { name: 'Actions for beta' }).waitFor();
    await page.getByRole('menuitem', { name: 'Move up' }).tap();
    await expect.poll(() => favourites(page)).toEqual(['Gamma', 'beta', 'Alpha']);
    await close();
  });

  it('favourites have the same order on two devices that order them at the same moment', async () => {
    const names = ['Alpha', 'beta', 'Gamma', 'Omega'];
    const { pages, owner, close } = await withFavourites(names, [{}, {}]);
    const [page, other] = pages as [Page, Page];
    const moveDown = (on: Page, name: string, times: number) =>
      on.evaluate(`(async () => {
        for (let time = 0; time < ${times}; time++) {
          [...document.querySelectorAll('.rooms li')].find((row) => row.textContent.includes('${name}')).querySelector('button').click();
          const find = () => [...document.querySelectorAll('[role=menuitem]')].find((item) => item.textContent.includes('Move down'));
          while (!find()) await new Promise((resolve) => setTimeout(resolve, 5));
          find().click();
          await new Promise((resolve) => setTimeout(resolve, 20));
        }
      })()`);
    await Promise.all([moveDown(page, 'Alpha', 3), moveDown(other, 'beta', 2)]);
    const stored = async () => {
      const mine = (await call('GET', '/api/members?user=me', { token: owner.token })).body as Member[];
      const place = ({ favourite_order = Number.POSITIVE_INFINITY }: Member) => favourite_order;
      const sorted = mine
        .filter(({ is_favourite }) => is_favourite)
        .sort((one, two) => place(one) - place(two) || byName(one.room_name ?? '', two.room_name ?? ''));
      return sorted.map(({ room_name }) => room_name);
    };
    const isSame = async () => {
      const [one, two, three] = [await favourites(page), await favourites(other), await stored()].map((each) => each?.join());
      return one === two && two === three && one !== names.join();
    };
    await expect.poll(isSame).toBe(true);
    // And it stays so.
    await page.waitForTimeout(1_000);
    expect(await isSame()).toBe(true);
    await close();
  });

  it('favourites return to their places if the service cannot store the change', async () => {
    const { pages, close } = await withFavourites(['Alpha', 'beta'], [{}]);
    const [page] = pages as [Page];
    const end = await interceptRequests(page, '**/api/members/*', (route) => route.abort());
    await drag(page, 'beta', 'Alpha');
    await page.locator('.toast', { hasText: 'can’t be reached' }).waitFor();
    await expect.poll(() => favourites(page)).toEqual(['Alpha', 'beta']);
    end();
    await drag(page, 'beta', 'Alpha');
    await expect.poll(() => favourites(page)).toEqual(['beta', 'Alpha']);
    await close();
  });
});

const byName = (one: string, other: string) => one.localeCompare(other, 'en', { sensitivity: 'base' });

describe('one click', () => {
  it('one click on a message reacts, and two on a name open the conversation with that person', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Alpha' });
    await aMessage(other, room.id, { text: 'Done!' }, call);
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: owner });
    await page.locator('.room-pane li.message').hover();
    await page.getByRole('button', { name: 'React with 👍' }).click();
    await page.getByRole('button', { name: /👍 1, by you/ }).waitFor();
    await page.locator('.room-pane').getByRole('button', { name: other.username }).click();
    await page.getByRole('dialog', { name: other.username }).getByRole('button', { name: 'Message' }).click();
    await page.getByPlaceholder(`Message ${other.username}`).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('the clicks that it takes', () => {
  it('the clicks that it takes are one for a frequent reaction, and two for any other, a conversation, a favourite, or a copied invitation', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Alpha' });
    await aMessage(other, room.id, { text: 'Done!' }, call);
    const context = await (await browser()).newContext({ serviceWorkers: 'block' });
    const effort = await countEffort(context);
    const { page } = await openPage(context, `${serveUrl}/rooms/${room.id}`);
    await signIn(page, owner);
    const clicksFor = async (act: () => Promise<unknown>) => {
      const before = effort.clicks;
      await act();
      return effort.clicks - before;
    };
    const react = async () => {
      await page.locator('.room-pane li.message').hover();
      await page.getByRole('button', { name: 'React with 👍' }).click();
      await page.getByRole('button', { name: /👍 1, by you/ }).waitFor();
    };
    const reactWithAny = async () => {
      await page.locator('.room-pane li.message').hover();
      await page.locator('.actions').getByRole('button', { name: 'React', exact: true }).click();
      await page.getByRole('searchbox', { name: 'Find an emoji' }).fill('cheese');
      await page.locator('.emoji-picker').getByRole('button', { name: 'cheese wedge' }).click();
      await page.getByRole('button', { name: /🧀 1, by you/ }).waitFor();
    };
    const invite = async () => {
      await page.locator('.sidebar').getByRole('button', { name: 'Invite people' }).click();
      const dialog = page.getByRole('dialog', { name: 'Invite people' });
      await dialog.getByRole('button', { name: 'Copy invite link' }).click();
      await dialog.getByLabel('Invitation link').waitFor();
      await page.keyboard.press('Escape');
    };
    const talk = async () => {
      await page.locator('.room-pane').getByRole('button', { name: other.username }).click();
      await page.getByRole('dialog', { name: other.username }).getByRole('button', { name: 'Message' }).click();
      await page.getByPlaceholder(`Message ${other.username}`).waitFor();
    };
    const prefer = async () => {
      await row(page, 'Alpha').hover();
      await actionsFor(page, 'Alpha').click();
      await page.getByRole('menuitem', { name: 'Add to favourites' }).click();
      await expect.poll(() => favourites(page)).toEqual(['Alpha']);
    };
    const frequent = [await clicksFor(react)];
    expect(frequent).toEqual([1]);
    // To copy the invitation to the open room is the second one.
    const others = [reactWithAny, invite, talk, prefer];
    for (const act of others) expect([act.name, await clicksFor(act)]).toEqual([act.name, 2]);
    await context.close();
  });
});

describe('a field for people', () => {
  it('a field for people completes the names of people who share a room with the user', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    await aRoom({ owner, members: [other], name: 'Alpha' });
    const { page, context, problems } = await visit({ as: owner });
    await page.getByRole('button', { name: 'New message' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(`@${other.username.slice(0, -4)}`);
    await page.getByRole('option', { name: other.username, selected: true }).waitFor();
    // Text typed before the search starts counts, too.
    await page.keyboard.insertText(other.username.slice(-4, -2));
    await page.keyboard.press('Enter');
    await page.locator('dialog .chip', { hasText: other.username }).waitFor();
    expect(await page.getByRole('combobox').inputValue()).toBe('');
    await page.keyboard.press('Enter');
    await page.getByPlaceholder(`Message ${other.username}`).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a new room', () => {
  it('a new closed room with members is created in one step', async () => {
    const [admin, other] = [await anAccount({ isAdmin: true }), await anAccount()];
    const { page, context } = await visit({ as: admin });
    await page.getByRole('navigation').getByRole('button', { name: 'New room' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('The plan');
    await page.getByText('Secret').click();
    await page.getByLabel('Add people').fill(`@${other.username}, nobody-at-all`);
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: 'Could not add nobody-at-all.' }).waitFor();
    await page.locator('.room-pane .composer textarea:focus').waitFor();
    const { body } = await call('GET', '/api/members?user=me', { token: other.token });
    const [{ room } = { room: { $oid: '' } }] = body as { room: { $oid: string } }[];
    expect((await call('GET', `/api/rooms/${room.$oid}`, { token: other.token })).body).toMatchObject({
      name: 'The plan',
      is_open: false,
      is_visible: false,
    });
    await context.close();
  });
});
