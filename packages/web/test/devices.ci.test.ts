import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom, memberId, succeed } from '../../../test/support/rooms.ts';
import { connected } from '../../../test/support/sockets.ts';
import { holdAnswer } from '../../../tools/harness/browser.ts';
import { call, serveUrl, signIn, textsOf, visit } from './support.ts';

const patience = { timeout: 60_000 };

/** A view without a room. The page marks a room that it shows as read after a second. */
const besideRooms = '/directory';

/** True if an address is that of the whole list of rooms. */
const isWhole = (address: string) => address.includes('/api/members?') && address.includes('limit=200');

async function edit(page: Page, text: string): Promise<void> {
  await page.locator('.room-pane li.message').first().hover();
  await page.locator('.room-pane li.message').first().getByRole('button', { name: 'Edit' }).click();
  await page.locator('.room-pane li.message textarea').fill(text);
  await page.locator('.room-pane li.message textarea').press('Enter');
}

/** A page without a connection on which a message was edited. */
async function anEditOffline() {
  const room = await aRoom();
  const { owner } = room;
  const message = await aMessage(owner, room.id, { text: 'first' }, call);
  const { page, context } = await visit({ path: `/rooms/${room.id}`, as: owner });
  await expect.poll(() => textsOf(page), patience).toEqual(['first']);
  await context.setOffline(true);
  await edit(page, 'mine');
  await expect.poll(() => textsOf(page), patience).toEqual(['mine']);
  const path = `/api/messages/${message._id.$oid}`;
  const stored = async () => ((await call('GET', path, { token: owner.token })).body as { text: string }).text;
  return { page, context, path, token: owner.token, stored };
}

describe('an edit that waited for a connection', () => {
  it('an edit that waited for a connection does not replace an edit from another device, and is offered to its author', async () => {
    const { page, context, path, token, stored } = await anEditOffline();
    await call('PATCH', path, { token, body: { text: 'from elsewhere' } });
    await context.setOffline(false);
    await page.getByText('edited somewhere else in the meantime').waitFor();
    expect([await stored(), await page.locator('.unsaved').textContent()]).toEqual(['from elsewhere', 'mine']);
    await page.getByRole('button', { name: 'Save mine' }).click();
    await expect.poll(stored, patience).toBe('mine');
    await page.locator('.state.refused').waitFor({ state: 'hidden' });
    await context.close();
  });

  it('an edit that waited for a connection is saved when the message was only reacted to', async () => {
    const { context, path, token, stored } = await anEditOffline();
    await call('PUT', `${path}/reactions/owl`, { token, body: {} });
    await context.setOffline(false);
    await expect.poll(stored, patience).toBe('mine');
    await context.close();
  });

  it('an edit of a message that was deleted meanwhile waits for its author', async () => {
    const { page, context, path, token } = await anEditOffline();
    await call('DELETE', path, { token });
    await context.setOffline(false);
    await page.getByText('the message no longer exists').waitFor();
    expect(await page.locator('.room-pane li.pending .text').textContent()).toBe('mine');
    // There is nothing left to save, but the text can be a new message.
    const pending = page.locator('.room-pane li.pending');
    expect(await pending.getByRole('button').allInnerTexts()).toEqual(['Send', 'Edit', 'Discard']);
    await pending.getByRole('button', { name: 'Edit' }).click();
    await expect.poll(() => page.locator('.room-pane .composer textarea').inputValue(), patience).toBe('mine');
    await context.close();
  });
});

it('a room that is read on another device becomes read here within moments, even if it is among the least active', async () => {
  const [ann, bob] = [await anAccount(), await anAccount()];
  const rooms = [];
  for (let n = 0; n < 25; n++) rooms.push(await aRoom({ name: `Room ${n}`, owner: ann, members: [bob] }));
  let last_read = 0;
  for (const { id } of rooms) last_read = (await aMessage(ann, id, {}, call)).seq;
  const { page, context } = await visit({ path: besideRooms, as: bob });
  const [oldest] = rooms as [(typeof rooms)[number]];
  const unread = () => page.locator(`a.room.unread[href="/rooms/${oldest.id}"]`).count();
  await expect.poll(unread, patience).toBe(1);
  // Until something is pushed.
  await page.waitForTimeout(5_000);
  const path = `/api/members/${await memberId(oldest, bob)}`;
  await call('PATCH', path, { token: bob.token, body: { last_read } });
  await expect.poll(unread, { timeout: 20_000 }).toBe(0);
  await context.close();
});

describe('what another device chooses for a room', () => {
  const unreadRow = (page: Page, id: string) => page.locator(`a.room.unread[href="/rooms/${id}"]`);

  it('a choice for a room on another device is shown even if it was made before this device connected', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const rooms = [];
    for (let n = 0; n < 22; n++) rooms.push(await aRoom({ name: `Room ${n}`, owner: ann, members: [bob] }));
    for (const { id } of rooms) await aMessage(ann, id, {}, call);
    const [oldest] = rooms as [(typeof rooms)[number]];
    const { page, context } = await visit({ path: besideRooms });
    const isListed = Promise.withResolvers<void>();
    await page.route('**/api/tickets', async (route) => {
      await isListed.promise;
      await route.continue();
    });
    await signIn(page, bob);
    await unreadRow(page, oldest.id).waitFor();
    await call('PATCH', `/api/members/${await memberId(oldest, bob)}`, { token: bob.token, body: { is_muted: true } });
    isListed.resolve();
    await unreadRow(page, oldest.id).waitFor({ state: 'detached', timeout: 20_000 });
    await context.close();
  });

  it('what another device chooses for a room is not undone by a list of rooms that is on its way', async () => {
    const [ann, bob] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [bob] });
    await aMessage(ann, room.id, {}, call);
    const { page, context } = await visit({ path: besideRooms });
    const isHeard = Promise.withResolvers<void>();
    page.on('websocket', (socket) =>
      socket.on('framereceived', ({ payload }) => {
        if (String(payload).includes('"is_muted":true')) isHeard.resolve();
      }),
    );
    let lists = 0;
    page.on('response', (response) => isWhole(response.url()) && lists++);
    await signIn(page, bob);
    await unreadRow(page, room.id).waitFor();
    // The second list is read after the connection. It would show the choice as well.
    await expect.poll(() => lists).toBeGreaterThan(1);
    let isHeld = false;
    await page.route('**/api/members?*', async (route) => {
      if (isHeld) return route.continue();
      isHeld = true;
      const response = await route.fetch();
      await call('PATCH', `/api/members/${await memberId(room, bob)}`, { token: bob.token, body: { is_muted: true } });
      await isHeard.promise;
      await route.fulfill({ response });
    });
    const isAnswered = page.waitForResponse((response) => response.url().includes('/api/members?'));
    await aMessage(ann, room.id, {}, call);
    await isAnswered;
    await unreadRow(page, room.id).waitFor({ state: 'detached', timeout: 20_000 });
    // The page may be asking once more.
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });
});

describe('the list of rooms', () => {
  it('the list of rooms is read again after a connection, but not by all pages of a service that starts at the same time', async () => {
    const { owner, id } = await aRoom();
    const { page, context } = await visit();
    await context.addInitScript('Math.random = () => 0.99');
    await page.reload();
    let connectedAt = Number.POSITIVE_INFINITY;
    page.on('websocket', (socket) => {
      socket.on('framereceived', () => {
        connectedAt = Math.min(connectedAt, performance.now());
      });
    });
    const listedAt: number[] = [];
    page.on('request', (request) => isWhole(request.url()) && listedAt.push(performance.now()));
    await signIn(page, owner);
    await page.locator(`a.room[href="/rooms/${id}"]`).waitFor();
    // The first list is read before the connection.
    await expect.poll(() => listedAt.length).toBe(2);
    // Three seconds, less what this process may be late.
    expect((listedAt[1] ?? 0) - connectedAt).toBeGreaterThan(1_000);
    await context.close();
  });

  it('the list of rooms keeps newer changes when an older answer with the whole list arrives after them', async () => {
    const [ann, bob, zoe] = [await anAccount(), await anAccount(), await anAccount()];
    const room = await aRoom({ owner: ann, members: [bob] });
    const talk = await succeed(call('POST', '/api/conversations', { token: zoe.token, body: { users: [bob.username] } }));
    await aMessage(zoe, (talk.body as { _id: { $oid: string } })._id.$oid, {}, call);
    for (let n = 0; n < 20; n++) await aRoom({ owner: ann, members: [bob] });
    const { page, context } = await visit();
    let lists = 0;
    page.on('response', (response) => isWhole(response.url()) && lists++);
    await signIn(page, bob);
    await expect.poll(() => lists).toBe(2);
    // The service sends the page the presence of the people it shows.
    const { socket } = await connected(serveUrl, zoe);
    await page
      .locator('.rooms')
      .getByRole('link', { name: `${zoe.username} (away)` })
      .waitFor();
    const { answered, release } = await holdAnswer(page, (url) => isWhole(url.href));
    // A conversation has another name: the page asks for all of them.
    await succeed(call('PATCH', '/api/users/me', { token: zoe.token, body: { name: 'Zoe Zimmer' } }));
    await answered;
    const unread = page.locator(`a.room.unread[href="/rooms/${room.id}"]`);
    await aMessage(ann, room.id, {}, call);
    await unread.waitFor();
    await release();
    await page.waitForTimeout(500);
    await page.locator('.rooms').getByRole('link', { name: 'Zoe Zimmer' }).waitFor();
    expect(await unread.count()).toBe(1);
    socket.close();
    await context.close();
  });
});
