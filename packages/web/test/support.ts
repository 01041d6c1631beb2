import type { Browser, BrowserContext, Locator, Page } from 'playwright-core';
import { expect } from 'vitest';
import type { Account } from '../../../test/support/accounts.ts';
import { browser } from '../../../test/support/browser.ts';
import { serveUrl as startServer } from '../../../test/support/services.ts';
import { overHttp } from '../../../test/support/transports.ts';

/** The address of the service that serves the pages. */
export const serveUrl = await startServer();

/** Calls the service that the pages use. Writes that bypass it reach its pages much later. */
export const call = overHttp(serveUrl);

/** A page of the client, and its errors. */
export type Visit = { page: Page; problems: string[]; context: BrowserContext };

export type VisitSettings = {
  path?: string;
  width?: number;
  height?: number;
  baseUrl?: string;
  /** The account that has signed in already. */
  as?: Pick<Account, 'username' | 'password'>;
  options?: Parameters<Browser['newContext']>[0];
};

/** Opens the client in a browser of its own, with storage of its own. */
export async function visit({
  path = '/',
  width = 1_280,
  height = 800,
  baseUrl = serveUrl,
  as,
  options = {},
}: VisitSettings = {}): Promise<Visit> {
  const context = await (await browser()).newContext({
    viewport: { width, height },
    serviceWorkers: 'block',
    // Each frame of an animation is drawn by the processor. `story.test.ts` runs with motion.
    reducedMotion: 'reduce',
    ...options,
  });
  // Several browsers share a busy machine.
  context.setDefaultTimeout(60_000);
  if (!as) return { ...(await openPage(context, `${baseUrl}${path}`)), context };
  await context.addCookies([await sessionCookie(baseUrl, as)]);
  const opened = await openPage(context, `${baseUrl}${path}`);
  // Before the page is drawn, it takes no keys.
  await opened.page.locator('.shell').waitFor();
  return { ...opened, context };
}

/** Begins a session whose token is in a cookie, as the form does. */
async function sessionCookie(url: string, { username, password }: Pick<Account, 'username' | 'password'>) {
  const body = { username, password, cookie: true };
  const { status, headers } = await overHttp(url)('POST', '/api/sessions', { body, headers: { origin: url } });
  const [, name = '', value = ''] = /^([^=]+)=([^;]+)/.exec(headers['set-cookie'] ?? '') ?? [];
  if (name === '') throw new Error(`No session begins: ${status}`);
  return { name, value, url, httpOnly: true, sameSite: 'Strict' as const };
}

/** Opens one more tab. */
export async function openPage(context: BrowserContext, address: string): Promise<Omit<Visit, 'context'>> {
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(String(error)));
  page.on('console', (message) => {
    // The browser itself reports refused and lost requests, which are part of some stories.
    const isLost = /^(Failed to load resource|WebSocket connection to )/.test(message.text());
    if (message.type() === 'error' && !isLost) problems.push(message.text());
  });
  page.on(
    'request',
    (request) => new URL(request.url()).origin === new URL(address).origin || problems.push(`asked for ${request.url()}`),
  );
  page.on('dialog', async (dialog) => {
    // Tests leave what they have typed; the page may be closed by then.
    if (dialog.type() === 'beforeunload') await dialog.accept().catch(() => {});
    else problems.push(`opened the dialog ${dialog.message()}`);
  });
  await page.goto(address);
  return { page, problems };
}

/** A user's effort: the number of clicks and the fields filled in. */
export type Effort = { clicks: number; fields: Set<string> };

/** Counts the effort in a browser from its next page on. */
export async function countEffort(context: BrowserContext): Promise<Effort> {
  const effort: Effort = { clicks: 0, fields: new Set() };
  await context.exposeFunction('clicked', () => effort.clicks++);
  await context.exposeFunction('filledIn', (field: string) => effort.fields.add(field));
  // A form that is sent with Enter clicks its button, with no detail.
  await context.addInitScript(`
    addEventListener('click', (event) => event.isTrusted && event.detail > 0 && window.clicked(), true);
    addEventListener('input', ({ target }) => target.name && window.filledIn(target.name), true);`);
  return effort;
}

/** Signs in with the form, in any language. */
export async function signIn(page: Page, { username, password }: Pick<Account, 'username' | 'password'>): Promise<void> {
  await page.locator('input[name=username]').fill(username);
  await page.locator('input[name=password]').fill(password);
  await page.locator('.login form button.primary').click();
  await page.locator('.shell').waitFor();
}

/** The entries that the browser of a page has stored for an account. */
export const storedIn = <Entry>(page: Page, store: 'drafts' | 'messages' | 'outbox', { id }: Pick<Account, 'id'>) =>
  page.evaluate<Entry[]>(`new Promise((resolve) => {
    const opening = indexedDB.open('chat-${id}');
    opening.onsuccess = () => {
      const reading = opening.result.transaction('${store}').objectStore('${store}').getAll();
      reading.onsuccess = () => {
        opening.result.close();
        resolve(reading.result);
      };
    };
  })`);

/** Waits until a page has loaded a part of its code that is not needed at first. */
export async function waitForCode(page: Page, part: string): Promise<void> {
  const hasCode = `performance.getEntriesByType('resource').some(({ name }) => name.includes('/assets/${part}-'))`;
  await expect.poll(() => page.evaluate(hasCode)).toBe(true);
}

/** Waits until a page that is about to sign in is notified of changes by other devices. */
export async function waitForConnection(page: Page): Promise<void> {
  await (await page.waitForEvent('websocket')).waitForEvent('framereceived');
}

/** Signs out by the menu of the service. */
export async function signOut(page: Page): Promise<void> {
  await page.locator('.sidebar').getByRole('button', { name: 'More', exact: true }).click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
}

/** Chooses something in the menu of a message by the keyboard alone. */
export async function press(row: Locator, key: string): Promise<void> {
  await row.press('Enter');
  await row.page().getByRole('menu').waitFor();
  await row.page().keyboard.press(key);
}

/** Writes a message into the room that is open, and sends it. */
export async function say(page: Page, text: string): Promise<void> {
  await page.locator('.room-pane .composer textarea').fill(text);
  await page.locator('.room-pane .composer textarea').press('Enter');
}

/** The texts of the messages in a list, by default the room, without the mark "edited". */
export async function textsOf(page: Page, list = '.room-pane'): Promise<string[]> {
  const texts = await page.locator(`${list} li.message .text`).allInnerTexts();
  return texts.map((text) => text.replace(/\s*\(edited\)$/, ''));
}
