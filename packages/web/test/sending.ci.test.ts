import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { type Account, anAccount } from '../../../test/support/accounts.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { startProxy } from '../../../test/support/proxy.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { goWithin } from '../../../tools/harness/browser.ts';
import { call, openPage, say, serveUrl, textsOf, visit, waitForCode } from './support.ts';

/**
 * The runs in which the connection is cut. In CI, each thing that a run may do happens in one of
 * them; `OUTBOX_RUNS` runs have all combinations.
 */
const { OUTBOX_RUNS } = process.env;
const runs = OUTBOX_RUNS ? Array.from({ length: Number(OUTBOX_RUNS) }, (_, run) => run + 1) : [1, 3, 4, 6];

/** The texts that the service has stored in a room, in order. */
async function stored(room: string, { token }: Account): Promise<string[]> {
  const { body } = await call('GET', `/api/messages?room=${room}&limit=200`, { token });
  return (body as { text: string }[]).map(({ text }) => text);
}

/** Waits until a page has nothing more to send. */
async function sent(page: Page, count: number): Promise<void> {
  await page
    .locator('.room-pane li.message:not(.pending)')
    .nth(count - 1)
    .waitFor();
  await page.locator('.room-pane li.message.pending').first().waitFor({ state: 'hidden' });
}

/** Keeps a page from writing to its outbox or its drafts until the returned function is called. */
async function hold(page: Page, store: 'outbox' | 'drafts', { id }: Account): Promise<() => Promise<unknown>> {
  // A transaction lasts as long as it gets requests.
  await page.evaluate(`new Promise((resolve) => {
    const opening = indexedDB.open('chat-${id}');
    opening.onsuccess = () => {
      const store = opening.result.transaction('${store}', 'readwrite').objectStore('${store}');
      const ask = () => {
        if (window.isLetGo) opening.result.close();
        else store.count().onsuccess = ask;
      };
      ask();
      resolve();
    };
  })`);
  return () => page.evaluate('window.isLetGo = true');
}

describe('a message', () => {
  it('a message that is written without a connection is sent when there is one, also after a reload', async () => {
    const room = await aRoom();
    const { page, context, problems } = await visit({ path: `/rooms/${room.id}`, as: room.owner });
    await say(page, 'one');
    await sent(page, 1);
    await context.setOffline(true);
    await say(page, 'two');
    await say(page, 'three');
    await page.locator('li.pending .state').nth(1).waitFor();
    await page.getByText('You’re offline').waitFor();
    expect(await textsOf(page)).toEqual(['one', 'two', 'three']);
    expect(await stored(room.id, room.owner)).toEqual(['one']);
    await context.setOffline(false);
    await page.reload();
    await sent(page, 3);
    expect([await stored(room.id, room.owner), await textsOf(page), problems]).toEqual([
      ['one', 'two', 'three'],
      ['one', 'two', 'three'],
      [],
    ]);
    await context.close();
  });

  it('a message that is written without a connection in a room that this browser never read stays visible there while it waits', async () => {
    const one = await aRoom();
    const other = await aRoom({ owner: one.owner, name: 'Elsewhere' });
    const { page, context } = await visit({ path: `/rooms/${one.id}`, as: one.owner });
    await page.locator('.room-pane .beginning').waitFor();
    await context.setOffline(true);
    await page.getByRole('link', { name: 'Elsewhere' }).click();
    await page.locator('.room-pane .loading').getByRole('button', { name: 'Try again' }).waitFor();
    await say(page, 'hello from a train');
    await page.locator('.room-pane li.pending .state').waitFor();
    expect(await textsOf(page)).toEqual(['hello from a train']);
    await context.setOffline(false);
    await sent(page, 1);
    expect([await stored(other.id, one.owner), await textsOf(page)]).toEqual([['hello from a train'], ['hello from a train']]);
    await context.close();
  });

  it('a message that is written without a connection in a thread that could not be read stays visible there while it waits', async () => {
    const { id, owner } = await aRoom();
    const { _id: thread } = await aMessage(owner, id, { text: 'who is on the train?' }, call);
    const { page, context } = await visit({ path: `/rooms/${id}`, as: owner });
    await expect.poll(() => textsOf(page)).toEqual(['who is on the train?']);
    // The code of threads comes a few seconds later than that of rooms.
    await waitForCode(page, 'thread');
    await context.setOffline(true);
    await goWithin(page, `/rooms/${id}?thread=${thread.$oid}`);
    const panel = page.locator('.side');
    await panel.getByRole('button', { name: 'Try again' }).waitFor();
    await panel.locator('textarea').fill('I am');
    await panel.locator('textarea').press('Enter');
    await panel.locator('li.pending .state').waitFor();
    // It is tried more than once.
    for (let failed = 0; failed < 2; failed++)
      await page.waitForEvent('requestfailed', (lost) => lost.url().endsWith(thread.$oid));
    await context.setOffline(false);
    const texts = () => panel.locator('li.message:not(.pending) .text').allInnerTexts();
    await expect.poll(texts).toEqual(['who is on the train?', 'I am']);
    await context.close();
  });

  it('a message that repeats an earlier one before the room was read to its end stays visible while it waits', async () => {
    const { id, owner } = await aRoom();
    await aMessage(owner, id, { text: 'ok' }, call);
    const { page, context } = await visit({ as: owner });
    // The messages arrive, but the cursor of the feed does not.
    await page.route('**/api/events?*', (route) => route.abort());
    await page.locator(`a[href="/rooms/${id}"]`).first().click();
    await expect.poll(() => textsOf(page)).toEqual(['ok']);
    await context.setOffline(true);
    await say(page, 'ok');
    await page.locator('.room-pane li.pending .state.waiting').waitFor();
    expect(await textsOf(page)).toEqual(['ok', 'ok']);
    await context.close();
  });

  it.each(runs)('a message is stored once and in its place after any failure: run %i', async (run) => {
    const room = await aRoom();
    const proxy = await startProxy(new URL(serveUrl).host);
    const address = `http://localhost:${proxy.port}/rooms/${room.id}`;
    const { page, context } = await visit({
      path: `/rooms/${room.id}`,
      baseUrl: `http://localhost:${proxy.port}`,
      as: room.owner,
    });
    const second = run % 3 === 0 ? (await openPage(context, address)).page : undefined;
    const written: string[] = [];
    const write = async (where: Page) => {
      written.push(`message ${written.length + 1}`);
      await say(where, written.at(-1) ?? '');
      // It is stored in the browser from here on.
      await where
        .getByText(written.at(-1) ?? '', { exact: true })
        .first()
        .waitFor();
    };

    await write(page);
    proxy.cut(0.5);
    await write(page);
    await write(second ?? page);
    proxy.set(run % 2 === 0 ? 'mute' : 'down');
    await write(page);
    if (run % 4 === 0) await page.reload({ timeout: 2_000 }).catch(() => {});
    proxy.set('pass');
    proxy.cut(0.3);
    if (run % 4 !== 0) await write(second ?? page);
    proxy.cut(0);
    if (run % 4 === 1) await page.close();
    const last = page.isClosed() ? (second ?? (await openPage(context, address)).page) : page;
    // A page that failed to load may still be trying.
    await expect
      .poll(
        () =>
          last.goto(address, { timeout: 10_000 }).then(
            () => true,
            () => false,
          ),
        { timeout: 90_000, interval: 250 },
      )
      .toBe(true);
    await sent(last, written.length);
    const [inService, onPage] = [await stored(room.id, room.owner), await textsOf(last)];
    // Two tabs write at one time in no order; one tab writes in its own.
    const order = (texts: string[]) => (second ? texts.toSorted() : texts);
    expect([order(inService), order(onPage)]).toEqual([written, written]);
    await context.close();
    await proxy.close();
  });

  it('a message can be sent while the one before is being stored', async () => {
    const room = await aRoom();
    const { owner } = room;
    const { page, context } = await visit({ path: `/rooms/${room.id}`, as: owner });
    await say(page, 'one');
    await sent(page, 1);
    const letGo = await hold(page, 'outbox', owner);
    await say(page, 'two');
    await say(page, 'three');
    expect(await stored(room.id, owner)).toEqual(['one']);
    await letGo();
    await sent(page, 3);
    expect(await stored(room.id, owner)).toEqual(['one', 'two', 'three']);
    await context.close();
  });

  it('a message that is refused says why, and can be changed and sent', async () => {
    const owner = await anAccount();
    const room = await aRoom({ owner });
    const { page, context } = await visit({ path: `/rooms/${room.id}`, as: owner });
    await say(page, 'before');
    await sent(page, 1);
    await context.setOffline(true);
    await say(page, 'too late');
    await page.locator('.room-pane li.message.pending').waitFor();
    await call('PATCH', `${room.path}/details`, { token: owner.token, body: { archived: true } });
    await context.setOffline(false);
    await page.getByText('Not sent: The room is archived.').waitFor();
    await call('PATCH', `${room.path}/details`, { token: owner.token, body: { archived: false } });
    await page.locator('li.pending').getByRole('button', { name: 'Try again' }).click();
    await sent(page, 2);
    expect(await stored(room.id, owner)).toEqual(['before', 'too late']);
    await context.close();
  });
});

/** Shows a room to one of its members, and gives the field to write in. */
async function atField(room: string, member: Account) {
  const { page, context } = await visit({ path: `/rooms/${room}`, as: member });
  return { page, context, field: page.locator('.room-pane .composer textarea') };
}

describe('a draft', () => {
  it('a draft keeps its caret when the room changes', async () => {
    const [one, owner] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [one] });
    const { page, context, field } = await atField(room.id, one);
    await field.fill('to be or to be');
    for (let key = 0; key < 'to be'.length; key++) await field.press('ArrowLeft');
    await call('PATCH', `${room.path}/details`, { token: owner.token, body: { topic: 'Questions' } });
    await call('POST', '/api/messages', { token: owner.token, body: { room: room.id, text: 'Go on' } });
    await page.getByText('Go on', { exact: true }).first().waitFor();
    await page.getByText('Questions', { exact: true }).first().waitFor();
    await page.keyboard.type('not ');
    expect(await field.inputValue()).toBe('to be or not to be');
    await context.close();
  });

  it('a draft is restored in its room after a reload', async () => {
    const [one, owner] = [await anAccount(), await anAccount()];
    const room = await aRoom({ owner, members: [one] });
    await aRoom({ name: 'Other', owner, members: [one] });
    const { page, context, field } = await atField(room.id, one);
    await field.fill('not yet said');
    await page.getByRole('link', { name: 'Other' }).click();
    await page.getByPlaceholder('Message Other').waitFor();
    expect(await field.inputValue()).toBe('');
    await page.goto(`${serveUrl}/rooms/${room.id}`);
    await page.getByPlaceholder('Message General').waitFor();
    await expect.poll(() => field.inputValue()).toBe('not yet said');
    await context.close();
  });

  it('a draft is restored even if the page is left while it is being stored', async () => {
    const { id, owner } = await aRoom();
    const { page, context, field } = await atField(id, owner);
    await field.waitFor();
    await hold(page, 'drafts', owner);
    await field.fill('not yet said');
    // Storing begins 300 milliseconds after the last key.
    await page.waitForTimeout(600);
    await page.reload();
    await expect.poll(() => field.inputValue()).toBe('not yet said');
    await context.close();
  });

  it('a draft is deleted once it is sent, even if its page was hidden while it was typed', async () => {
    const { id, owner } = await aRoom();
    const { page, context, field } = await atField(id, owner);
    await field.waitFor();
    // As when another tab is chosen at once.
    const kept = await page.evaluate(`(() => {
      const field = document.querySelector('.room-pane .composer textarea');
      field.value = 'half of';
      field.dispatchEvent(new Event('input', { bubbles: true }));
      document.dispatchEvent(new Event('visibilitychange'));
      return ${keptWords};
    })()`);
    expect(kept).toContain('half of');
    await say(page, 'all of it');
    await sent(page, 1);
    expect(await page.evaluate(keptWords)).not.toContain('of');
    await page.reload();
    await page.getByText('all of it', { exact: true }).first().waitFor();
    expect(await field.inputValue()).toBe('');
    await context.close();
  });
});

/** The last words of drafts, which a page keeps in case it closes before they are stored. */
const keptWords =
  "Object.entries(localStorage).filter(([key]) => key.startsWith('chat-drafts-')).map(([, words]) => words).join()";
