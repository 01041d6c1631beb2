import type { Browser } from 'playwright-core';
import { TestRunner } from 'vitest';
import { explainMissingBrowser, openBrowser } from '../../tools/harness/browser.ts';
import { atEndOfFile } from './worker.ts';

let missing: Promise<string | undefined> | undefined;
let opened: Browser | undefined;

/**
 * The browser of this process, which is started on first use. Its contexts are closed at the end of
 * the test file. If no browser is installed, the test is skipped; with `CI=true` it fails.
 */
export async function browser(): Promise<Browser> {
  missing ??= process.env.CI ? Promise.resolve(undefined) : explainMissingBrowser();
  const reason = await missing;
  if (reason !== undefined) TestRunner.getCurrentTest()?.context.skip(reason);
  if (!opened?.isConnected()) opened = await openBrowser();
  atEndOfFile(closeContexts);
  return opened;
}

const closeContexts = () => Promise.all(opened?.contexts().map((context) => context.close()) ?? []);
