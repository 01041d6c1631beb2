import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { call, openPage, press, serveUrl, textsOf, visit } from './support.ts';

const field = (page: Page) => page.locator('.room-pane li.message textarea');
const drafts = (page: Page) => page.locator('.rooms').getByRole('link', { name: /^Drafts/ });

/** A draft is stored a moment after the last key. */
const untilKept = (page: Page) => page.waitForTimeout(1_000);

/** A user with an unsaved edit of a message. */
async function editing() {
  const owner = await anAccount();
  const [room, other] = [await aRoom({ owner, name: 'Plans' }), await aRoom({ owner, name: 'Other' })];
  const { _id, seq } = await aMessage(owner, room.id, { text: 'first' }, call);
  const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: owner });
  await page.locator('.room-pane li.message', { hasText: 'first' }).waitFor();
  await page.locator('.room-pane .composer textarea').press('ArrowUp');
  await field(page).fill('a longer text');
  const path = `/api/messages/${_id.$oid}`;
  const stored = async () => ((await call('GET', path, { token: owner.token })).body as { text: string }).text;
  return { owner, room, other, page, context, problems, seq, path, stored, id: _id.$oid };
}

describe('an edit that was not saved', () => {
  it('an edit that was not saved is there after another room, and is thrown away only after a question', async () => {
    const { page, context, problems } = await editing();
    await page.locator('.rooms a', { hasText: 'Other' }).click();
    await page.getByRole('heading', { name: 'Other', exact: true }).waitFor();
    await page.goBack();
    await expect.poll(() => field(page).inputValue()).toBe('a longer text');
    await field(page).press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await expect.poll(() => textsOf(page)).toEqual(['first']);
    await page.reload();
    await expect.poll(() => textsOf(page)).toEqual(['first']);
    expect([await field(page).count(), problems]).toEqual([0, []]);
    await context.close();
  });

  it('an unsaved edit is restored after a reload, and can be cleared, continued and saved once', async () => {
    const { page, context, problems, stored } = await editing();
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toBe('a longer text');
    // After returning, the user writes a new message as usual.
    await page.locator('.room-pane .composer textarea:focus').waitFor();
    await field(page).fill('');
    await field(page).pressSequentially('another');
    await field(page).press('Enter');
    await expect.poll(stored).toBe('another');
    await expect.poll(() => textsOf(page)).toEqual(['another']);
    await page.reload();
    await expect.poll(() => textsOf(page)).toEqual(['another']);
    expect([await field(page).count(), await drafts(page).count(), problems]).toEqual([0, 0, []]);
    await context.close();
  });

  it('an unsaved edit is listed among the drafts in other rooms, with a link to it', async () => {
    const { page, context, problems, room, seq } = await editing();
    expect(await drafts(page).count()).toBe(0);
    await page.locator('.rooms a', { hasText: 'Other' }).click();
    await drafts(page).getByText('1', { exact: true }).waitFor();
    await drafts(page).click();
    await page.locator('.results a', { hasText: 'a longer text' }).click();
    await page.waitForURL((url) => url.pathname === `/rooms/${room.id}/${seq}`);
    await expect.poll(() => field(page).inputValue()).toBe('a longer text');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('an edit that was not saved replaces no text that another device has saved meanwhile, and is offered to its author', async () => {
    const { page, context, other, owner, path, stored } = await editing();
    await page.goto(`${serveUrl}/rooms/${other.id}`);
    await drafts(page).getByText('1', { exact: true }).waitFor();
    await call('PATCH', path, { token: owner.token, body: { text: 'from elsewhere' } });
    // The page shows stored messages until the service has answered.
    const isSaved = Promise.withResolvers<void>();
    await page.route('**/api/events?*', async (route) => {
      await isSaved.promise;
      await route.continue();
    });
    await page.locator('.rooms a', { hasText: 'Plans' }).click();
    await expect.poll(() => field(page).inputValue()).toBe('a longer text');
    await field(page).press('Enter');
    isSaved.resolve();
    await page.getByText('edited somewhere else in the meantime').waitFor();
    expect([await stored(), await page.locator('.unsaved').textContent()]).toEqual(['from elsewhere', 'a longer text']);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });

  it('an edit that was not saved in one tab, and is saved there, is gone from another', async () => {
    const { page, context, room, stored } = await editing();
    await untilKept(page);
    const { page: second } = await openPage(context, `${serveUrl}/rooms/${room.id}`);
    await expect.poll(() => field(second).inputValue()).toBe('a longer text');
    await field(page).press('Enter');
    await expect.poll(stored).toBe('a longer text');
    await expect.poll(() => textsOf(second)).toEqual(['a longer text']);
    expect(await field(second).count()).toBe(0);
    await context.close();
  });

  it('an edit that was not saved is open in its message also after another device has changed that, and replaces nothing', async () => {
    const { page, context, path, owner, stored } = await editing();
    await untilKept(page);
    await call('PATCH', path, { token: owner.token, body: { text: 'from elsewhere' } });
    // Twice: at first the browser has what the message said before.
    for (let time = 1; time <= 2; time++) {
      const isRead = page.waitForResponse((response) => response.url().includes('/api/events?') && response.ok());
      await page.reload();
      await isRead;
      await expect.poll(() => field(page).inputValue()).toBe('a longer text');
    }
    expect(await drafts(page).count()).toBe(0);
    await field(page).press('Enter');
    await page.getByText('edited somewhere else in the meantime').waitFor();
    expect([await stored(), await page.locator('.unsaved').textContent()]).toEqual(['from elsewhere', 'a longer text']);
    await context.close();
  });

  it('an edit that was not saved, begun while an earlier one waited for a connection, is open after that was sent, and is saved', async () => {
    const { page, context, stored } = await editing();
    let isOffline = true;
    await page.route('**/api/messages/*', (route) =>
      isOffline && route.request().method() === 'PATCH' ? route.abort() : route.continue(),
    );
    await field(page).press('Enter');
    await field(page).waitFor({ state: 'detached' });
    await page.locator('.room-pane .composer textarea').press('ArrowUp');
    await field(page).fill('an even longer text');
    await untilKept(page);
    isOffline = false;
    await expect.poll(stored, { timeout: 20_000 }).toBe('a longer text');
    await page.reload();
    await expect.poll(() => field(page).inputValue()).toBe('an even longer text');
    await field(page).press('Enter');
    await expect.poll(stored).toBe('an even longer text');
    expect(await page.getByText('edited somewhere else in the meantime').count()).toBe(0);
    await page.unrouteAll({ behavior: 'ignoreErrors' });
    await context.close();
  });

  it('an unsaved edit is deleted as soon as the saved text is stored', async () => {
    const { page, context, stored } = await editing();
    await untilKept(page);
    await page.evaluate(`{
      const { add } = IDBObjectStore.prototype;
      window.left = [];
      IDBObjectStore.prototype.add = function (...given) {
        const { transaction } = this;
        const look = () => {
          transaction.db.transaction('drafts').objectStore('drafts').getAllKeys().onsuccess = ({ target }) => {
            window.left.push(target.result.length);
          };
        };
        if (this.name === 'outbox') transaction.addEventListener('complete', look);
        return add.apply(this, given);
      };
    }`);
    await field(page).press('Enter');
    await expect.poll(stored).toBe('a longer text');
    await page.waitForFunction('window.left.length > 0');
    expect(await page.evaluate('window.left')).toEqual([0]);
    await context.close();
  });

  it('of edits that were not saved in two tabs the one that was typed last is there, and not both in one', async () => {
    const { page, context, room } = await editing();
    const { page: second } = await openPage(context, `${serveUrl}/rooms/${room.id}`);
    await second.locator('.room-pane li.message').first().waitFor();
    if ((await field(second).count()) === 0) await second.locator('.room-pane .composer textarea').press('ArrowUp');
    await field(second).fill('said in the second tab');
    await untilKept(second);
    await field(page).fill('said in the first tab, later');
    await untilKept(page);
    await page.close();
    await second.close();
    const { page: third } = await openPage(context, `${serveUrl}/rooms/${room.id}`);
    await expect.poll(() => field(third).inputValue()).toBe('said in the first tab, later');
    await context.close();
  });

  it('an edit that was not saved and is open has the focus after ↑ and after Enter on it, with the caret at its end', async () => {
    const { page, context } = await editing();
    await untilKept(page);
    await page.reload();
    await field(page).waitFor();
    const composer = page.locator('.room-pane .composer textarea');
    for (const begin of [
      () => composer.press('ArrowUp'),
      () => page.locator('.room-pane li.message').press('Enter'),
      () => composer.press('ArrowUp'),
    ]) {
      await begin();
      await page.locator('.room-pane li.message textarea:focus').waitFor();
      expect(await field(page).evaluate((element) => (element as { selectionStart?: number }).selectionStart)).toBe(13);
    }
    // The caret stays there.
    await field(page).press('Home');
    await field(page).pressSequentially('so ');
    expect(await field(page).inputValue()).toBe('so a longer text');
    await context.close();
  });

  it('an unsaved edit is open in one place if a room and a thread show its message, and moves to the place that asks for it', async () => {
    const { page, context, room, id, stored } = await editing();
    await untilKept(page);
    await page.goto(`${serveUrl}/rooms/${room.id}?thread=${id}`);
    const fields = page.locator('li.message textarea');
    const inThread = page.locator('.thread-content li.message');
    await inThread.waitFor();
    await field(page).or(inThread.locator('textarea')).first().waitFor();
    await expect.poll(() => fields.count()).toBe(1);
    for (const [row, text] of [
      [inThread, 'typed in the thread'],
      [page.locator('.messages li.message'), 'typed in the room'],
    ] as const) {
      await press(row, 'e');
      await row.locator('textarea:focus').waitFor();
      await expect.poll(() => fields.count()).toBe(1);
      await fields.press('End');
      await fields.fill(`${await fields.inputValue()}, ${text}`);
    }
    await fields.press('Enter');
    await expect.poll(stored).toBe('a longer text, typed in the thread, typed in the room');
    await expect.poll(() => fields.count()).toBe(0);
    await context.close();
  });

  it('an edit that was not saved is among the drafts also in its own room, as long as its message is not shown', async () => {
    const { page, context, room, owner, id } = await editing();
    await field(page).press('Escape');
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click();
    await aMessage(owner, room.id, { text: 'a reply', thread: id }, call);
    await page.goto(`${serveUrl}/rooms/${room.id}?thread=${id}`);
    const reply = page.locator('.thread-content li.message', { hasText: 'a reply' });
    await press(reply, 'e');
    const fields = page.locator('li.message textarea');
    await fields.fill('a longer reply');
    expect(await drafts(page).count()).toBe(0);
    await page.locator('.rooms a', { hasText: 'Plans' }).click();
    await drafts(page).click();
    await page.locator('.results a', { hasText: 'a longer reply' }).click();
    await expect.poll(() => fields.inputValue()).toBe('a longer reply');
    await expect.poll(() => drafts(page).count()).toBe(0);
    await context.close();
  });
});
