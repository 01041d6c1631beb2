import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anAccount } from '../../../test/support/accounts.ts';
import { fillSample, type Sample } from '../../../tools/gallery/sample.ts';
import { looks, screens, show, sizes } from '../../../tools/gallery/screens.ts';
import { openBrowser } from '../../../tools/harness/browser.ts';
import { serveUrl, signIn, visit } from './support.ts';

const axe = readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8');

let browser: Browser;
let sample: Sample;
beforeAll(async () => {
  browser = await openBrowser();
  const admin = await anAccount({ isAdmin: true });
  sample = await fillSample(serveUrl, { ...admin, username: admin.username });
});
afterAll(() => browser.close());

describe('every screen', () => {
  it.each(looks.filter(({ theme }) => theme === 'light').map((look) => [`${look.where}, ${look.direction}`, look] as const))(
    'has nothing that axe-core objects to, light or dark, and fits its width: %s',
    // Twenty-five screens, of which each is looked at for a second.
    { timeout: 600_000 },
    async (_name, look) => {
      const options = { colorScheme: look.theme, reducedMotion: 'reduce' as const, hasTouch: look.where === 'phone' };
      const { page, context, problems } = await visit(browser, { path: '/login', ...sizes[look.where], options });
      const found: string[] = [];
      let isIn = false;
      for (const screen of screens) {
        if (!screen.isSignedOut && !isIn) {
          await show(page, { name: 'login', path: () => '/login' }, sample, look);
          await signIn(page, sample.people.ann);
          isIn = true;
        }
        await show(page, screen, sample, look);
        const objections = [...(await objectionsTo(page, everyRule)), ...(await tooWide(page))];
        await page.emulateMedia({ colorScheme: 'dark' });
        objections.push(...(await objectionsTo(page, rulesOfColours)));
        await page.emulateMedia({ colorScheme: look.theme });
        found.push(...objections.map((objection) => `${screen.name}: ${objection}`));
        await context.setOffline(false);
        await page.keyboard.press('Escape');
        await page.keyboard.press('Escape');
      }
      expect([found, problems]).toEqual([[], []]);
      await context.close();
    },
  );
});

const everyRule = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
// The themes differ in nothing else.
const rulesOfColours = ['color-contrast', 'link-in-text-block'];

/** What axe-core objects to in a page, by rules or groups of them. */
async function objectionsTo(page: Page, rules: string[]): Promise<string[]> {
  if (!(await page.evaluate("'axe' in globalThis"))) await page.evaluate(axe);
  // All that axe-core has to tell would take longer on its way out of the page than to find.
  return page.evaluate(`axe
    .run({ resultTypes: ['violations'], runOnly: ${JSON.stringify(rules)} })
    .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.slice(0, 3).map(({ target, failureSummary }) =>
      [matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light', id, ...target, failureSummary].join(' '))))`);
}

/** What reaches beyond the page's width. */
async function tooWide(page: Page): Promise<string[]> {
  const pixels = (await page.evaluate('document.documentElement.scrollWidth - innerWidth')) as number;
  return pixels > 0 ? [`${pixels} pixels too wide`] : [];
}

describe('the page', () => {
  it('shows in forced colours where one is and what is chosen', async () => {
    const { page, context } = await visit(browser, {
      path: `/rooms/${sample.room}?panel=members`,
      options: { forcedColors: 'active' },
    });
    await signIn(page, sample.people.bob);
    await page.locator('.reaction').first().waitFor();
    await page.keyboard.press('Control+k');
    const outlined =
      "[...document.querySelectorAll('[aria-current], [aria-selected=true], .reaction[aria-pressed=true], .count')]";
    const styles = (await page.evaluate(
      `${outlined}.map((element) => [element.className, getComputedStyle(element).outlineStyle])`,
    )) as [string, string][];
    expect(styles.length).toBeGreaterThan(2);
    expect(styles.filter(([, style]) => style !== 'solid')).toEqual([]);
    await context.close();
  });

  it('moves nothing for those who want that, and still points at a message', async () => {
    const { page, context } = await visit(browser, {
      path: `/rooms/${sample.room}/${sample.linked}`,
      options: { reducedMotion: 'reduce' },
    });
    await signIn(page, sample.people.bob);
    const pointed = page.locator('li.message.pointed');
    await pointed.waitFor();
    const running = () => page.evaluate("document.getAnimations().filter(({ playState }) => playState === 'running').length");
    await expect.poll(running).toBe(0);
    const color = (selector: string) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('${selector}')).backgroundColor`);
    expect(await color('li.message.pointed')).not.toBe(await color('li.message:not(.pointed, .mentions-me)'));
    await context.close();
  });

  it('can be used at 320 pixels, and at twice the size of text', async () => {
    const { page, context } = await visit(browser, { path: `/rooms/${sample.room}`, width: 320, height: 640 });
    await signIn(page, sample.people.bob);
    await page.locator('.room-pane li.message').first().waitFor();
    const tooWide = () => page.evaluate('document.documentElement.scrollWidth - innerWidth');
    expect(await tooWide()).toBeLessThanOrEqual(0);
    await page.setViewportSize({ width: 640, height: 800 });
    await page.evaluate("document.documentElement.style.fontSize = '200%'");
    expect(await tooWide()).toBeLessThanOrEqual(0);
    await context.close();
  });
});
