import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { openBrowser } from '../../tools/harness/browser.ts';

/**
 * The browser of the test file that imports this, from the file's first hook to its last. Where none
 * can run, the file's tests are skipped, but fail with `CI=true`.
 */
export let browser: Browser;

const missing = process.env.CI ? '' : inject('missingBrowser');

beforeAll(async () => {
  if (!missing) browser = await openBrowser();
});
afterAll(() => browser?.close());
beforeEach(({ skip }) => skip(missing !== '', missing));
