import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/** Debian's Chromium, with a window or without, or the one that `CHROMIUM` names. */
const places = [process.env.CHROMIUM ?? '', '/usr/bin/chromium', '/usr/bin/chromium-headless-shell'];

/** Starts a browser, without its own network requests. */
export function openBrowser(): Promise<Browser> {
  const executablePath = places.find((path) => existsSync(path));
  if (!executablePath) throw new Error("These tests need a browser: install Debian's chromium, or name one in CHROMIUM.");
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/** Goes to a path within the page, as someone who clicks does it: the session stays. */
export const goWithin = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(`history.pushState(null, '', ${JSON.stringify(path)}); dispatchEvent(new PopStateEvent('popstate'))`);
