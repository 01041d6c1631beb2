import type { Page } from 'playwright-core';
import { describe, expect, it } from 'vitest';
import { browser } from '../../../test/support/browser.ts';
import { aMessage } from '../../../test/support/messages.ts';
import { aRoom } from '../../../test/support/rooms.ts';
import { aPng } from '../../../tools/gallery/pictures.ts';
import { drawn } from '../../../tools/harness/browser.ts';
import { call, openPage, say, serveUrl, signIn, textsOf, visit } from './support.ts';

/** A getter of the window, or of the navigator, that throws as where site data is blocked. */
const throwing = (name: string, of = 'window') =>
  `Object.defineProperty(${of}, '${name}', { configurable: true, get() { throw new DOMException('Access is denied.', 'SecurityError'); } });`;

const missing = (name: string) => `Object.defineProperty(window, '${name}', { configurable: true, value: undefined });`;

/** The storage that a browser may refuse to a page. */
const refusals: [string, string][] = [
  ['localStorage throws', throwing('localStorage')],
  ['sessionStorage throws', throwing('sessionStorage')],
  ['indexedDB throws', throwing('indexedDB')],
  ['indexedDB is missing', missing('indexedDB')],
  ['opening a database throws', `IDBFactory.prototype.open = () => { throw new DOMException('', 'SecurityError'); };`],
  [
    'opening a database fails',
    `IDBFactory.prototype.open = () => {
      const request = new EventTarget();
      request.error = new DOMException('', 'UnknownError');
      setTimeout(() => request.dispatchEvent(new Event('error')));
      return request;
    };`,
  ],
  ['BroadcastChannel is missing', missing('BroadcastChannel')],
  [
    'BroadcastChannel throws',
    `window.BroadcastChannel = class { constructor() { throw new DOMException('', 'SecurityError'); } };`,
  ],
  ['service workers throw', throwing('serviceWorker', 'Navigator.prototype')],
  ['locks are refused', `LockManager.prototype.request = () => Promise.reject(new DOMException('', 'SecurityError'));`],
  [
    'nothing is kept at all',
    ['localStorage', 'sessionStorage', 'indexedDB', 'BroadcastChannel', 'caches'].map((name) => throwing(name)).join(''),
  ],
];

/** Opens a page in a browser that refuses something from the start. */
async function refused(script: string, path: string) {
  const context = await (await browser()).newContext({
    viewport: { width: 1_280, height: 800 },
    serviceWorkers: 'block',
    reducedMotion: 'reduce',
  });
  context.setDefaultTimeout(60_000);
  await context.addInitScript(script);
  return { ...(await openPage(context, `${serveUrl}${path}`)), context };
}

const said = (page: Page) => page.locator('.banner', { hasText: 'does not store data for this page' });

describe('a browser that stores nothing', () => {
  it.each(refusals)('the page works in a browser in which %s', async (what, script) => {
    const { owner, id } = await aRoom();
    await aMessage(owner, id, { text: 'before' }, call);
    const { page, problems, context } = await refused(script, `/rooms/${id}`);
    const notifying = page.waitForResponse(/\/assets\/notify-/);
    await signIn(page, owner);
    await expect.poll(() => textsOf(page)).toEqual(['before']);
    await say(page, 'after');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'after' }).waitFor();
    const { body } = await call('GET', `/api/messages?room=${id}`, { token: owner.token });
    // Code that is loaded late closes the notifications of a room that was read.
    await page.evaluate(`import('${(await notifying).url()}')`);
    await drawn(page);
    expect([(body as { text: string }[]).map(({ text }) => text), problems]).toEqual([['before', 'after'], []]);
    // The page says what will be lost, and only that.
    const losesWhatIsTyped = /localStorage|indexedDB|database|at all/.test(what);
    expect(await said(page).count()).toBe(losesWhatIsTyped ? 1 : 0);
    if (losesWhatIsTyped) {
      await said(page).getByRole('button', { name: 'Close' }).click();
      expect(await said(page).count()).toBe(0);
    }
    await context.close();
  });

  it('a browser without cookies signs in while the page is open, and the page says so', async () => {
    const { owner, id } = await aRoom();
    const noCookies = `Object.defineProperty(Navigator.prototype, 'cookieEnabled', { get: () => false });`;
    const { page, problems, context } = await refused(noCookies, `/rooms/${id}`);
    await page.route('**/api/**', async (route) => {
      const { cookie: _, ...headers } = route.request().headers();
      await route.continue({ headers });
    });
    await signIn(page, owner);
    await page.locator('.banner', { hasText: 'you have to sign in each time' }).waitFor();
    await say(page, 'without a cookie');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'without a cookie' }).waitFor();
    const picture = { name: 'Garden.png', mimeType: 'image/png', buffer: aPng(60, 40) };
    await page.locator('.room-pane .composer input[type=file]').setInputFiles(picture);
    await say(page, 'with a picture');
    const shown = page.locator('li.message:not(.pending)', { hasText: 'with a picture' }).locator('canvas');
    await expect.poll(() => shown.getAttribute('width')).toBe('60');
    await page.getByRole('button', { name: 'Show Garden.png' }).click();
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Download Garden.png' }).click();
    expect((await download).suggestedFilename()).toBe('Garden.png');
    expect([await context.cookies(), problems]).toEqual([[], []]);
    await context.close();
  });

  it('a browser on a device without space sends messages, and says that it stores nothing more', async () => {
    const { owner, id } = await aRoom();
    const { page, problems, context } = await visit({ path: `/rooms/${id}`, as: owner });
    await say(page, 'one');
    await page.locator('.room-pane li.message:not(.pending)').waitFor();
    await page.evaluate(`(() => {
      const full = () => { throw new DOMException('', 'QuotaExceededError'); };
      IDBObjectStore.prototype.add = IDBObjectStore.prototype.put = full;
      Storage.prototype.setItem = full;
    })()`);
    await context.setOffline(true);
    await say(page, 'two');
    await page.locator('.room-pane li.pending .state.waiting').waitFor();
    await say(page, 'three');
    await page.locator('.banner', { hasText: 'storage is full' }).waitFor();
    await context.setOffline(false);
    await expect.poll(() => page.locator('.room-pane li.message:not(.pending)').count()).toBe(3);
    const { body } = await call('GET', `/api/messages?room=${id}`, { token: owner.token });
    expect([(body as { text: string }[]).map(({ text }) => text), problems]).toEqual([['one', 'two', 'three'], []]);
    await context.close();
  });

  it('a browser continues after its site data is deleted, and the page says that nothing is stored', async () => {
    const { owner, id } = await aRoom();
    const { page, problems, context } = await visit({ path: `/rooms/${id}`, as: owner });
    await say(page, 'one');
    await page.locator('.room-pane li.message:not(.pending)').waitFor();
    const session = await context.newCDPSession(page);
    await session.send('Storage.clearDataForOrigin', {
      origin: new URL(serveUrl).origin,
      storageTypes: 'indexeddb,local_storage',
    });
    await said(page).waitFor();
    await say(page, 'two');
    await page.locator('.room-pane li.message:not(.pending)', { hasText: 'two' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('a browser in which stored data can’t be read shows the page', async () => {
    const { owner, id } = await aRoom();
    const { page, problems, context } = await visit({ path: `/rooms/${id}`, as: owner });
    await say(page, 'one');
    await page.locator('.room-pane li.message:not(.pending)').waitFor();
    await page.evaluate("for (const name of Object.keys(localStorage)) localStorage.setItem(name, '{broken')");
    await page.reload();
    await expect.poll(() => textsOf(page)).toEqual(['one']);
    expect(problems).toEqual([]);
    await context.close();
  });
});
