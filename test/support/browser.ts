import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { openBrowser } from '../../tools/harness/browser.ts';

/**
 * The browser of the process, from the first hook of the test file that imports this. What the file has opened in it is
 * closed with the file. Where no browser can run, the file's tests are skipped, but fail with `CI=true`.
 */
export let browser: Browser;

const ofProcess = globalThis as { browser?: Browser };
const missing = process.env.CI ? '' : inject('missingBrowser');

beforeAll(async () => {
  if (missing) return;
  if (!ofProcess.browser?.isConnected()) ofProcess.browser = await openBrowser();
  browser = ofProcess.browser;
});
afterAll(() => Promise.all(browser?.contexts().map((context) => context.close()) ?? []));
beforeEach(({ skip }) => skip(missing !== '', missing));
