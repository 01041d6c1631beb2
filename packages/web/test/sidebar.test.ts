import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { browser } from '../../../test/support/browser.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, signIn, visit } from './support.ts';

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
  it('the list of rooms stands still: rooms by name, conversations by what was said last', async () => {
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
    const { page, context } = await visit(browser, { path: '/directory' });
    await signIn(page, owner);
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
    // What is for everyone is bold; a number says what is for me.
    const rowOf = (name: string) => page.locator('.rooms li', { hasText: name });
    await rowOf('beta').locator('.count').getByText('1').waitFor();
    expect([await rowOf('Room 10').locator('.unread').count(), await rowOf('Room 10').locator('.count').count()]).toEqual([1, 0]);
    await rowOf(one.username).locator('.count').getByText('2').waitFor();
    await context.close();
  });

  it('the list of rooms has favourites first, which two clicks make on every device', async () => {
    const owner = await anAccount();
    for (const name of ['Alpha', 'beta']) await aRoom({ owner, name });
    const { page, context } = await visit(browser, { path: '/directory' });
    const elsewhere = await visit(browser, { path: '/directory' });
    await signIn(page, owner);
    await signIn(elsewhere.page, owner);
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
    const { page, context, problems } = await visit(browser, { path: '/directory' });
    await signIn(page, owner);
    await page.locator('.rooms a', { hasText: 'Alpha' }).focus();
    await page.keyboard.press('Tab');
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

  it('the list of rooms folds, and still shows what is for the reader and where a draft waits', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const alpha = await aRoom({ owner, members: [other], name: 'Alpha' });
    await aRoom({ owner, name: 'beta' });
    const { page, context } = await visit(browser, { path: `/rooms/${alpha.id}` });
    await signIn(page, owner);
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

describe('one click', () => {
  it('one click on a message reacts, and two on a name open the conversation with that person', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [other], name: 'Alpha' });
    await aMessage(other, room.id, { text: 'Done!' }, call);
    const { page, context, problems } = await visit(browser, { path: `/rooms/${room.id}` });
    await signIn(page, owner);
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

describe('a field for people', () => {
  it('a field for people completes the names of people with whom the user shares a room', async () => {
    const [owner, other] = [await anAccount(), await anAccount()];
    await aRoom({ owner, members: [other], name: 'Alpha' });
    const { page, context, problems } = await visit(browser);
    await signIn(page, owner);
    await page.getByRole('button', { name: 'New conversation' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type(`@${other.username.slice(0, -4)}`);
    await page.getByRole('option', { name: other.username, selected: true }).waitFor();
    // What is typed on until it is looked for counts, too.
    await page.keyboard.insertText(other.username.slice(-4, -2));
    await page.keyboard.press('Enter');
    expect(await page.getByRole('combobox').inputValue()).toBe(`@${other.username}, `);
    await page.keyboard.press('Enter');
    await page.getByPlaceholder(`Message ${other.username}`).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});

describe('a new room', () => {
  it('a new room is made in one step, closed and with its people', async () => {
    const [admin, other] = [await anAccount({ isAdmin: true }), await anAccount()];
    const { page, context } = await visit(browser);
    await signIn(page, admin);
    await page.getByRole('navigation').getByRole('button', { name: 'New room' }).click();
    await page.getByRole('dialog').waitFor();
    await page.keyboard.type('The plan');
    await page.getByText('Others don’t know of it').click();
    await page.getByLabel('People to add').fill(`@${other.username}, nobody-at-all`);
    await page.keyboard.press('Enter');
    await page.locator('.toast', { hasText: 'Could not add nobody-at-all.' }).waitFor();
    await page.locator('li.member', { hasText: other.username }).waitFor();
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
