import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, aName, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { addMember, aRoom } from '../../../test/support/rooms.ts';
import { call, press, serveUrl, textsOf, visit } from './support.ts';

/** Shows a path to a user. */
async function at(path: string, user: Account) {
  const { page, context, problems } = await visit({ path, as: user });
  return { page, context, problems, dialog: page.getByRole('dialog') };
}

/** The focused element, as its label or its text. */
const focused = (page: Page) =>
  page.evaluate<string>(
    "document.activeElement.getAttribute('aria-label') ?? document.activeElement.labels?.[0]?.textContent ?? document.activeElement.textContent",
  );

const openers: [string, string, (page: Page) => Promise<void>, string][] = [
  [
    'New room',
    '/directory',
    (page) => page.locator('main').getByRole('button', { name: 'New room' }).click(),
    'Name of the room',
  ],
  ['New message', '/', (page) => page.getByRole('button', { name: 'New message' }).click(), 'To:'],
];

describe('a dialog', () => {
  it.each(openers)('a dialog with a field takes text immediately, and Enter sends it: %s', async (_title, path, open, label) => {
    const [admin, other] = [await anAccount({ isAdmin: true }), await anAccount()];
    const { page, context, dialog, problems } = await at(path, admin);
    await open(page);
    await dialog.waitFor();
    expect(await focused(page)).toBe(label);
    await page.keyboard.type(other.username);
    await page.keyboard.press('Enter');
    await page.getByPlaceholder(`Message ${other.username}`).waitFor();
    expect([await dialog.count(), problems]).toEqual([0, []]);
    await context.close();
  });

  it('a field for people picks nobody who was found for the text before the last key', async () => {
    const name = aName();
    const [admin] = [await anAccount({ isAdmin: true }), await anAccount({ username: `${name}-a` })];
    await anAccount({ username: `${name}-b` });
    const { page, context, dialog } = await at('/', admin);
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.waitFor();
    await page.keyboard.type(`${name}-`);
    await expect.poll(() => page.getByRole('option').count()).toBe(2);
    // The people found for the whole text come too late.
    await page.route(
      ({ pathname }) => pathname === '/api/users',
      () => {},
    );
    await page.keyboard.type('b');
    await page.keyboard.press('Enter');
    await page.getByPlaceholder(`Message ${name}-b`).waitFor();
    await context.close();
  });

  it.each(openers)('a dialog without typed text is closed by Escape without a question: %s', async (_title, path, open) => {
    const { page, context, dialog } = await at(path, await anAccount({ isAdmin: true }));
    await open(page);
    await dialog.waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await context.close();
  });

  it('a menu that opens immediately after a dialog was closed stays open', async () => {
    const { page, context, dialog } = await at('/directory', await anAccount());
    await page.locator('main').getByRole('button', { name: 'New room' }).click();
    await dialog.waitFor();
    // The browser reports the closed dialog in a later task.
    await page.evaluate(`new Promise((resolve) => {
      const open = document.querySelector('dialog');
      open.addEventListener('close', () => setTimeout(resolve));
      open.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', cancelable: true }));
      document.querySelector('.sidebar header [aria-haspopup=menu]').click();
    })`);
    expect([await page.getByRole('menu').count(), await dialog.count()]).toEqual([1, 0]);
    await context.close();
  });

  it.each([
    ['Escape', (page: Page) => page.keyboard.press('Escape')],
    ['a click beside it', (page: Page) => page.mouse.click(5, 5)],
    ['its ×', (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Close' }).click()],
  ])('a dialog asks before it loses typed text, and Enter keeps it: %s', async (_how, close) => {
    const name = `Garden ${aName()}`;
    const { page, context, dialog } = await at('/directory', await anAccount({ isAdmin: true }));
    await page.locator('main').getByRole('button', { name: 'New room' }).click();
    await dialog.waitFor();
    await page.keyboard.type(name);
    await close(page);
    await dialog.getByText('Discard what you typed?').waitFor();
    expect(await focused(page)).toBe('Keep writing');
    await page.keyboard.press('Enter');
    expect(await dialog.getByLabel('Name of the room').inputValue()).toBe(name);
    await page.keyboard.press('Escape');
    await page.keyboard.press('Escape');
    expect(await dialog.getByLabel('Name of the room').inputValue()).toBe(name);
    await close(page);
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await context.close();
  });

  it('a dialog with typed text stays, and so does the room behind it, when somebody goes back or forward', async () => {
    const owner = await anAccount();
    const rooms = [
      await aRoom({ owner, name: 'One' }),
      await aRoom({ owner, name: 'Two' }),
      await aRoom({ owner, name: 'Three' }),
    ];
    const [one = '', two = '', three = ''] = rooms.map(({ id }) => `/rooms/${id}`);
    const { page, context, problems, dialog } = await at(one, owner);
    const here = () => new URL(page.url()).pathname;
    const asks = () => dialog.getByText('Discard what you typed?');
    for (const path of [two, three]) {
      await page.locator(`.rooms a[href="${path}"]`).click();
      await page.waitForURL(`**${path}`);
    }
    await page.locator('.room-pane .composer textarea').waitFor();
    await page.evaluate("document.querySelector('.room-pane').isFirst = true");
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.getByLabel('To:').fill('ann');
    for (let time = 0; time < 3; time++) {
      // The browser goes back, and the page returns.
      await page.evaluate(`new Promise((resolve) => {
        addEventListener('popstate', () => addEventListener('popstate', () => setTimeout(resolve), { once: true }), { once: true });
        history.back();
      })`);
      await asks().waitFor();
      await expect.poll(here).toBe(three);
    }
    await page.keyboard.press('Enter');
    await asks().waitFor({ state: 'detached' });
    expect(await dialog.getByLabel('To:').inputValue()).toBe('ann');
    expect([here(), await page.evaluate("document.querySelector('.room-pane').isFirst")]).toEqual([three, true]);
    // Several steps at once, too.
    await page.evaluate('history.go(-2)');
    await asks().waitFor();
    await expect.poll(here).toBe(three);
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.goBack();
    await expect.poll(here).toBe(two);
    await page.getByPlaceholder('Message Two').waitFor();
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.getByLabel('To:').fill('ann');
    await page.evaluate('history.forward()');
    await asks().waitFor();
    await expect.poll(here).toBe(two);
    await dialog.getByRole('button', { name: 'Discard' }).click();
    // An untouched dialog closes with its subject.
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.waitFor();
    await page.goForward();
    await dialog.waitFor({ state: 'detached' });
    expect([here(), problems]).toEqual([three, []]);
    await context.close();
  });

  it('a dialog stays, with its text and its caret, while the page opens the first room by itself', async () => {
    const [newcomer, other] = [await anAccount(), await anAccount()];
    const { page, context, problems, dialog } = await at('/', newcomer);
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.getByLabel('To:').waitFor();
    await page.keyboard.type('an');
    const room = await aRoom({ owner: other });
    await addMember(room, newcomer, 'member', call);
    await page.waitForURL(`**/rooms/${room.id}`);
    await page.locator('.room-pane .composer textarea').waitFor({ state: 'attached' });
    await page.keyboard.type('n');
    expect([await dialog.getByLabel('To:').inputValue(), await focused(page)]).toEqual(['ann', 'To:']);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await dialog.getByRole('button', { name: 'Discard' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.keyboard.type('Hello');
    expect(await page.locator('.room-pane .composer textarea').inputValue()).toBe('Hello');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a dialog with typed text has the browser ask before the page goes', async () => {
    const owner = await anAccount();
    const { id } = await aRoom({ owner });
    const { context } = await at('/directory', owner);
    // Others are left by the tests without that question.
    const page = await context.newPage();
    const dialog = page.getByRole('dialog');
    await page.goto(`${serveUrl}/directory`);
    await page.goto(`${serveUrl}/rooms/${id}`);
    await page.getByRole('button', { name: 'New message' }).click();
    await dialog.getByLabel('To:').fill('ann');
    const question = page.waitForEvent('dialog');
    await page.evaluate('history.back()');
    const asked = await question;
    expect(asked.type()).toBe('beforeunload');
    await asked.dismiss();
    expect(await dialog.getByLabel('To:').inputValue()).toBe('ann');
    await dialog.getByLabel('To:').fill('');
    await page.goBack();
    await page.waitForURL('**/directory');
    await context.close();
  });

  it('a dialog is not closed by selecting its text beyond its edge', async () => {
    const { page, context, dialog } = await at('/directory', await anAccount({ isAdmin: true }));
    await page.locator('main').getByRole('button', { name: 'New room' }).click();
    await dialog.waitFor();
    await page.keyboard.type('A name');
    const box = (await dialog.getByLabel('Name of the room').boundingBox()) as { x: number; y: number };
    await page.mouse.move(box.x + 30, box.y + 10);
    await page.mouse.down();
    await page.mouse.move(5, box.y + 10);
    await page.mouse.up();
    expect(await dialog.getByLabel('Name of the room').inputValue()).toBe('A name');
    await context.close();
  });
});

describe('a question', () => {
  it('the question before deleting a message is answered harmlessly by Enter', async () => {
    const { id, owner } = await aRoom();
    await aMessage(owner, id, { text: 'to be kept' }, call);
    const { page, context, dialog } = await at(`/rooms/${id}`, owner);
    await press(page.locator('li.message'), 'Delete');
    await dialog.waitFor();
    expect(await focused(page)).toBe('Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    expect(await textsOf(page)).toEqual(['to be kept']);
    // The focus is back, so the keys work again.
    await press(page.locator('li.message:focus'), 'Delete');
    await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    await page.getByText('This message was deleted.').waitFor();
    await context.close();
  });

  it.each([
    ['Leave this room', '?panel=details', 'Leave this room'],
    ['Delete this room', '?panel=settings', 'Delete this room'],
    ['Remove', '?panel=members', 'Remove'],
    ['Ban', '?panel=members', 'Ban'],
  ])('a question is answered harmlessly by Enter: %s', async (_what, query, button) => {
    const [owner, other] = [await anAccount({ isAdmin: true }), await anAccount()];
    const { id } = await aRoom({ owner, members: [other] });
    const { page, context, dialog } = await at(`/rooms/${id}${query}`, owner);
    const { body } = await call('GET', `/api/members?room=${id}`, { token: owner.token });
    const second = (body as { _id: { $oid: string }; username: string }[]).find(({ username }) => username === other.username);
    // A second owner, so that the first one may leave.
    if (query === '?panel=details')
      await call('PATCH', `/api/members/${second?._id.$oid}`, { token: owner.token, body: { role: 'owner' } });
    if (query === '?panel=members') {
      await page.getByRole('button', { name: `Actions for ${other.username}` }).click();
      await page.getByRole('menuitem', { name: button, exact: true }).click();
    } else await page.locator('.side').getByRole('button', { name: button, exact: true }).click();
    await dialog.waitFor();
    expect(await focused(page)).toBe('Cancel');
    await page.keyboard.press('Enter');
    await dialog.waitFor({ state: 'detached' });
    const after = await call('GET', `/api/members?room=${id}`, { token: owner.token });
    expect(after.body).toHaveLength(2);
    await context.close();
  });
});

describe('a list with a filter', () => {
  it('a list with a filter has the caret, and leaves the Enter that ends a composition to the input method', async () => {
    const { id, owner } = await aRoom({ name: 'Küche' });
    const { page, context, dialog } = await at('/directory', owner);
    await page.locator('.rooms a', { hasText: 'Küche' }).waitFor();
    await page.keyboard.press('Control+k');
    await dialog.waitFor();
    expect(await focused(page)).toBe('Search or jump to…');
    await dialog.getByRole('option').first().waitFor();
    const composed = `document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', isComposing: true, bubbles: true }))`;
    await page.evaluate(composed);
    expect(await dialog.count()).toBe(1);
    await page.keyboard.press('Enter');
    await page.waitForURL(`**/rooms/${id}`);
    await context.close();
  });

  it('a list with a filter opens by its shortcut on a keyboard that is not Latin, and so does the list of shortcuts', async () => {
    const { owner } = await aRoom();
    const { page, context, dialog } = await at('/directory', owner);
    const press = (key: string, code: string) =>
      page.evaluate(
        `document.body.dispatchEvent(new KeyboardEvent('keydown', { key: '${key}', code: '${code}', ctrlKey: true, bubbles: true }))`,
      );
    await press('л', 'KeyK');
    await dialog.getByRole('combobox', { name: 'Search or jump to…' }).waitFor();
    await page.keyboard.press('Escape');
    await press('.', 'Slash');
    await dialog.getByRole('heading', { name: 'Keyboard shortcuts' }).waitFor();
    await context.close();
  });
});
